"""The command line that a report records: others can run it, and it names no folder of this machine."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Sequence
from pathlib import Path

_BREAK = re.compile(r"([=,:]|\s(?=[/~.])|(?<=^-\w)(?=/))")
"""Where a path may begin within a word: NAME=FILE, a list with commas, `-rFILE`, an engine's command."""


def portable_command(words: Sequence[str]) -> str:
    """Returns a command line without folders outside the working directory and its git checkout.

    Relative paths stay as typed. A path that is absolute or has `..` becomes relative to the working
    directory, or else to the root of the checkout; outside of both only its name is left.
    """
    return shlex.join("".join(_portable(part) for part in _BREAK.split(word)) for word in words)


def _portable(text: str) -> str:
    if text.startswith("~"):
        return Path(text).name
    if not text.startswith("/") and ".." not in Path(text).parts:
        return text
    here = Path.cwd()
    path = Path(os.path.normpath(here / text))
    checkout = next((each for each in (here, *here.parents) if (each / ".git").exists()), here)
    for folder in (here, checkout):
        if path.is_relative_to(folder) and folder != folder.parent:
            return str(path.relative_to(folder))
    return path.name
