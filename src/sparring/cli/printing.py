"""Printing text that is not ours: names, paths, model cards, messages of other programs.

rich takes `[...]` for markup and `:name:` for emoji, and terminals obey escape sequences. Every command
prints through `make_console` and puts text of others through `foreign`, or `visible` where is no markup.
"""

from __future__ import annotations

import os
import unicodedata
from typing import Any

from rich.console import Console
from rich.markup import escape


def make_console(**options: Any) -> Console:
    """A console for markup of our own, without rich's emoji codes and highlighting.

    With NO_COLOR it has no styles: rich alone would still send bold and dim.
    """
    if os.environ.get("NO_COLOR"):
        options["color_system"] = None
    return Console(**{"highlight": False, "emoji": False, **options})


def foreign(text: object) -> str:
    """Text of others for rich's markup: it is shown as it is, and control characters are visible."""
    shown = visible(text)
    # A backslash before the next tag would escape that tag. The zero-width space separates them.
    return escape(f"{shown}\u200b" if shown.endswith("\\") else shown)


def visible(text: object) -> str:
    """Text of others without control characters: ESC becomes \\x1b, a line feed \\n."""
    return "".join(
        each if each.isprintable() or unicodedata.category(each) == "Zs" else _escaped(each)
        for each in str(text)
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")
