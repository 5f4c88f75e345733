"""The tables of options in docs/, generated from the configuration classes.

A page has `<!-- options: module:Class -->` before a table and `<!-- end of options -->` behind it.
`python -m tests.config.option_tables` writes all tables anew.
"""

from __future__ import annotations

import ast
import dataclasses
import inspect
import re
import textwrap
from pathlib import Path
from pkgutil import resolve_name
from typing import Any

from sparring.base.config import describe_type, field_hints

DOCS = Path(__file__).parents[2] / "docs"
_TABLE = re.compile(r"<!-- options: (\S+) -->\n.*?<!-- end of options -->\n", re.DOTALL)


def documented_classes(page: str) -> list[str]:
    """The classes whose tables a page has, as `module:Class`."""
    return _TABLE.findall(page)


def with_tables(page: str) -> str:
    """The page with its tables of options as they should be."""
    return _TABLE.sub(
        lambda found: (
            f"<!-- options: {found[1]} -->\n{options_table(resolve_name(found[1]))}<!-- end of options -->\n"
        ),
        page,
    )


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


def _default_text(field: dataclasses.Field[Any]) -> str:
    if field.default is dataclasses.MISSING:
        return "" if field.default_factory is not dataclasses.MISSING else "required"
    if field.default is None or field.default in ("", ()) or dataclasses.is_dataclass(field.default):
        return ""
    return str(field.default).lower() if isinstance(field.default, bool) else f"{field.default}"


def _field_docs(cls: type[Any]) -> dict[str, str]:
    """The docstrings below the fields of a dataclass and its bases, as one line for each field. Those of
    native options are the core's."""
    docs = {}
    for base in cls.__bases__:
        if dataclasses.is_dataclass(base):
            docs.update(_field_docs(base))
    (node,) = ast.parse(textwrap.dedent(inspect.getsource(cls))).body
    assert isinstance(node, ast.ClassDef)
    for field, below in zip(node.body, node.body[1:], strict=False):
        if (
            isinstance(field, ast.AnnAssign)
            and isinstance(field.target, ast.Name)
            and isinstance(below, ast.Expr)
            and isinstance(below.value, ast.Constant)
        ):
            docs[field.target.id] = " ".join(str(below.value.value).split())
    fields = dataclasses.fields(cls)
    native = [field for field in fields if "native" in field.metadata]
    return docs | {field.name: field.metadata["native"].doc for field in native}


if __name__ == "__main__":
    for path in sorted(DOCS.glob("*.md")):
        path.write_text(with_tables(path.read_text()))
