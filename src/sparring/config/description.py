"""Configurations in words: for error messages and for the tables of options in the docs."""

from __future__ import annotations

import ast
import dataclasses
import inspect
import textwrap
import types
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any, Literal, Union

from msgspec import Meta

_WORDS = {
    int: ("an integer", "integers"),
    float: ("a number", "numbers"),
    str: ("a string", "strings"),
    bool: ("true or false", "booleans"),
    Path: ("a path", "paths"),
}


def describe_type(hint: Any) -> str:
    """The values that a field with this annotation takes, in words."""
    if typing.get_origin(hint) is Annotated:
        inner, *extras = typing.get_args(hint)
        return describe_type(inner) + "".join(_range_text(each) for each in extras if isinstance(each, Meta))
    if is_union(hint):
        return " or ".join(
            describe_type(each) for each in typing.get_args(hint) if each is not types.NoneType
        )
    origin, arguments = typing.get_origin(hint), typing.get_args(hint)
    if origin is Literal:
        return f"one of {', '.join(map(str, arguments))}"
    if origin is tuple:
        count = "" if arguments[-1] is Ellipsis else f"{len(arguments)} "
        return f"a list of {count}{_plural(arguments[0])}"
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return f"a table of {_plural(arguments[1])}"
    return _WORDS[hint][0] if hint in _WORDS else "a table"


def options_table(cls: type[Any]) -> str:
    """A Markdown table of a configuration's keys: type and range, default, and the field's docstring."""
    hints, docs = field_hints(cls), _field_docs(cls)
    rows = ["| key | value | default | |", "|---|---|---|---|"]
    for field in dataclasses.fields(cls):
        cells = [
            f"`{field.name}`",
            describe_type(hints[field.name]),
            _default_text(field),
            docs.get(field.name, ""),
        ]
        rows.append(f"| {' | '.join(cell.replace('|', '&#124;') for cell in cells)} |")
    return "\n".join(rows) + "\n"


def field_hints(cls: type[Any]) -> dict[str, Any]:
    """The annotations of the fields of a dataclass, in their order."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls)}


def is_union(hint: Any) -> bool:
    """Whether an annotation is `X | Y`."""
    return isinstance(hint, types.UnionType) or typing.get_origin(hint) is Union


def _plural(hint: Any) -> str:
    if typing.get_origin(hint) is Annotated:
        inner, *extras = typing.get_args(hint)
        return _plural(inner) + "".join(_range_text(each) for each in extras if isinstance(each, Meta))
    if hint in _WORDS:
        return _WORDS[hint][1]
    return "values" if hint is Any or is_union(hint) else "tables"


def _range_text(meta: Meta) -> str:
    if meta.ge is not None and meta.le is not None:
        return f" from {meta.ge} to {meta.le}"
    bounds = ((">=", meta.ge), (">", meta.gt), ("<=", meta.le), ("<", meta.lt))
    numbers = " and ".join(f"{sign} {bound}" for sign, bound in bounds if bound is not None)
    length = f"of at least {meta.min_length}" if meta.min_length is not None else ""
    return "".join(f" {part}" for part in (numbers, length) if part)


def show_value(value: object) -> str:
    """A value as one short line; huge integers have no decimal text."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except (ValueError, RecursionError):
        return "a huge number" if isinstance(value, int) else "a huge value"
    return text if len(text) <= 60 else f"{text[:50]}..."


def _default_text(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING:
        return "" if field.default_factory is not dataclasses.MISSING else "required"
    if field.default is None or field.default in ("", ()) or dataclasses.is_dataclass(field.default):
        return ""
    return str(field.default).lower() if isinstance(field.default, bool) else f"{field.default}"


def _field_docs(cls: type[Any]) -> dict[str, str]:
    """The docstrings below the fields of a dataclass, each as one line."""
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(node, ast.ClassDef)
    docs = {}
    for field, below in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            docs[field.target.id] = " ".join(str(below.value.value).split())
    return docs
