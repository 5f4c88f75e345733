"""The tables of options in docs/, generated from the configuration classes.

A page has `<!-- options: module:Class -->` before a table and `<!-- end of options -->` behind it.
`python -m tests.config.option_tables` writes all tables anew.
"""

from __future__ import annotations

import re
from pathlib import Path
from pkgutil import resolve_name

from sparring.base.config import options_table

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


if __name__ == "__main__":
    for path in sorted(DOCS.glob("*.md")):
        path.write_text(with_tables(path.read_text()))
