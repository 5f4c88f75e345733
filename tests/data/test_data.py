"""Shipped files by kind and name."""

from __future__ import annotations

import typing

import pytest

from sparring import data

USERS_ONLY = {"styles"}
"""Kinds of which nothing is shipped yet: a user's own files."""


@pytest.mark.parametrize("kind", sorted({*typing.get_args(data.Kind)} - USERS_ONLY))
def test_every_kind_has_files_and_every_name_is_a_file(kind: data.Kind) -> None:
    assert data.names(kind)
    assert all(data.path(kind, name).is_file() for name in data.names(kind))


def test_every_file_of_the_folder_has_a_kind_and_its_suffix() -> None:
    folder = data.path("networks", "any").parents[1]
    named = {data.path(kind, name) for kind in typing.get_args(data.Kind) for name in data.names(kind)}
    files = {path for path in folder.rglob("*") if path.is_file() and "__pycache__" not in path.parts}
    page = {path for path in files if path.parent == folder / "page"}
    assert data.page() == folder / "page"
    assert files - named - page == {
        folder / "__init__.py",
        folder / "cards.toml",
        folder / "unlicensed.toml",
        folder / "versions.toml",
    }
