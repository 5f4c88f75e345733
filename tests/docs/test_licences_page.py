"""docs/licences.md has a row for everything that a wheel has in it, with an existing text."""

from __future__ import annotations

import json
import re
import tomllib
from typing import Any

import pytest

from sparring import data
from sparring.networks.card import read_card_from_file
from tests.docs.markdown import PAGES, ROOT

ROWS = re.findall(r"^\| (`[^|]*|[a-z][^|]*) \| (.*) \|$", PAGES["docs/licences.md"].read_text(), re.M)
"""The first cell of each row, and the rest of the row."""


def rows_of(name: str) -> list[list[str]]:
    """The cells of the rows that begin with a name, without the first."""
    return [rest.split(" | ") for first, rest in ROWS if re.match(rf"`{re.escape(name)}`", first)]


@pytest.mark.parametrize("name", data.names("networks"))
def test_a_network_has_a_row_with_the_licence_of_its_card(name: str) -> None:
    ((licence, _, teacher, _),) = rows_of(name)
    card = read_card_from_file(data.path("networks", name))
    assert card.licence.startswith(licence)
    assert ("none" in teacher) == (card.teachers == "")


@pytest.mark.parametrize("kind", ["styles", "synopsis_networks", "value_networks"])
def test_a_network_of_another_kind_has_a_row(kind: data.Kind) -> None:
    names = data.names(kind)
    assert names
    assert {name: len(rows_of(name)) for name in names} == dict.fromkeys(names, 1)


def test_a_package_in_the_built_page_has_a_row_with_its_version_and_licence() -> None:
    lock: dict[str, dict[str, Any]] = json.loads((ROOT / "web/package-lock.json").read_text())["packages"]
    shipped = {name.removeprefix("node_modules/"): row for name, row in lock.items() if not row.get("dev")}
    fonts = json.loads((ROOT / "web/package.json").read_text())["devDependencies"]
    shipped |= {
        name: lock[f"node_modules/{name}"] for name in fonts if name.startswith("@fontsource")
    }  # a file of it
    del shipped[""]
    assert len(shipped) >= 6
    for name, package in shipped.items():
        ((version, licence, _, _),) = rows_of(name)
        assert (version, licence) == (package["version"], package["license"]), name


def test_the_runtime_of_networks_in_the_browser_edition_has_a_row_with_its_version() -> None:
    tools = json.loads((ROOT / "web/native/package.json").read_text())["dependencies"]
    ((version, licence, _, _),) = rows_of("onnxruntime-web")
    assert (version, licence) == (tools["onnxruntime-web"], "MIT")


def test_every_text_exists_and_is_named() -> None:
    named = {text for _, rest in ROWS for text in re.findall(r"`(LICENSES?(?:/[\w.-]+)?)`", rest)}
    there = {path.relative_to(ROOT).as_posix() for path in (ROOT / "LICENSES").glob("*.txt")}
    assert named == {*there, "LICENSE"}


def test_the_metadata_name_every_licence() -> None:
    expression = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
    licences = set(
        re.findall(r"\b(?:A?GPL|CC0|OFL|MIT|BSD)(?:-[\w.-]+)?", " ".join(rest for _, rest in ROWS))
    )
    for licence in expression.split(" AND "):
        assert licence in licences, licence
