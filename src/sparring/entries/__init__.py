"""Entries of TOML tables against the types of the dataclasses that they become."""

from __future__ import annotations

import dataclasses
import types
import typing
from typing import Any

_WORDS = {int: "a whole number", float: "a number", str: "a text", bool: "true or false"}


class TypeMismatch(Exception):
    """An entry of another kind than its field: what is expected in words, and what was found."""

    def __init__(self, expected: str, found: object) -> None:
        super().__init__(f"is {expected}, not {found!r}")


def coerce(hint: Any, value: Any) -> Any:
    """The value for a field with this type: whole numbers serve as fractions, lists as tuples.

    Types that TOML does not have are not looked at. Raises TypeMismatch.
    """
    if isinstance(hint, types.UnionType):
        return _one_of(hint, value)
    origin = typing.get_origin(hint)
    if origin is tuple:
        return _tuple(hint, value)
    if origin is typing.Literal:
        fits = value in typing.get_args(hint)
    else:
        fits = hint not in _WORDS or type(value) is hint or (hint is float and type(value) is int)
    if not fits:
        raise TypeMismatch(describe_type(hint), value)
    return float(value) if hint is float else value


def describe_type(hint: Any) -> str:
    """What a field with this type takes."""
    if isinstance(hint, types.UnionType):
        return " or ".join(map(describe_type, _alternatives(hint)))
    if typing.get_origin(hint) is typing.Literal:
        return f"one of {', '.join(map(str, typing.get_args(hint)))}"
    if typing.get_origin(hint) is tuple:
        kinds = typing.get_args(hint)
        return "a list of texts" if kinds[-1] is Ellipsis else f"a list of {len(kinds)} numbers"
    return _WORDS[hint]


def field_names(kind: type[Any]) -> tuple[str, ...]:
    """Of a dataclass: the entries that it takes."""
    return tuple(each.name for each in dataclasses.fields(kind))


def missing_fields(kind: type[Any], given: typing.Container[str]) -> list[str]:
    """The fields of a dataclass that have no default and are not given."""
    return [
        each.name
        for each in dataclasses.fields(kind)
        if each.name not in given and each.default is each.default_factory is dataclasses.MISSING
    ]


def _alternatives(hint: types.UnionType) -> list[Any]:
    return [each for each in typing.get_args(hint) if each is not types.NoneType]


def _one_of(hint: types.UnionType, value: Any) -> Any:
    if value is None and types.NoneType in typing.get_args(hint):
        return None
    *others, last = _alternatives(hint)
    for each in others:
        try:
            return coerce(each, value)
        except TypeMismatch:
            continue
    try:
        return coerce(last, value)
    except TypeMismatch:
        if others:
            raise TypeMismatch(describe_type(hint), value) from None
        raise


def _tuple(hint: Any, value: Any) -> tuple[Any, ...]:
    kinds = typing.get_args(hint)
    if kinds[-1] is Ellipsis:
        if not isinstance(value, list) or not all(type(each) is kinds[0] for each in value):
            raise TypeMismatch(describe_type(hint), value)
        return tuple(value)
    if not isinstance(value, list) or len(value) != len(kinds):
        raise TypeMismatch(describe_type(hint), value)
    return tuple(coerce(kind, each) for kind, each in zip(kinds, value, strict=True))
