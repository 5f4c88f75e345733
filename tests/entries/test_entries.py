"""Entries of TOML files: what fits a field, and the words where it does not."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import pytest

from sparring.entries import TypeMismatch, coerce, field_names, missing_fields


@pytest.mark.parametrize(
    ("hint", "value", "fitted"),
    [
        (int, 3, 3),
        (float, 3, 3.0),
        (float | None, None, None),
        (int | str | None, "3d", "3d"),
        (Literal["a", "b"], "b", "b"),
        (tuple[str, ...], ["x", "y"], ("x", "y")),
        (tuple[float, float], [1, 2.5], (1.0, 2.5)),
        (dict[str, Any], 7, 7),
    ],
)
def test_values_fit_their_fields(hint: Any, value: Any, fitted: Any) -> None:
    found = coerce(hint, value)
    assert found == fitted
    assert type(found) is type(fitted)


@pytest.mark.parametrize(
    ("hint", "value", "words"),
    [
        (int, True, "is a whole number, not True"),
        (int, 1.5, "is a whole number, not 1.5"),
        (bool, 1, "is true or false, not 1"),
        (float, None, "is a number, not None"),
        (float | None, "x", "is a number, not 'x'"),
        (int | str | None, 1.5, "is a whole number or a text, not 1.5"),
        (Literal["a", "b"], "c", "is one of a, b, not 'c'"),
        (tuple[str, ...], ["x", 1], "is a list of texts, not ['x', 1]"),
        (tuple[int, int], [1], "is a list of 2 numbers, not [1]"),
        (tuple[int, int], [1, 2.5], "is a whole number, not 2.5"),
    ],
)
def test_what_does_not_fit_is_said(hint: Any, value: Any, words: str) -> None:
    with pytest.raises(TypeMismatch) as caught:
        coerce(hint, value)
    assert str(caught.value) == words


def test_fields_without_a_default_are_needed() -> None:
    @dataclass
    class Example:
        one: int
        two: int
        three: int = 3

    assert field_names(Example) == ("one", "two", "three")
    assert missing_fields(Example, {"two": 2}) == ["one"]
