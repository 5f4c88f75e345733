"""Options that the studies share, and the command line that a report records."""

from __future__ import annotations

import re
import shlex
import sys
from typing import Annotated, TypeAlias

import typer

Html: TypeAlias = Annotated[bool, typer.Option("--html", help="Render the HTML page too.")]


def command_line() -> str:
    """`python -m studies ...` as typed, with files named without their folders."""
    words = (re.sub(r"[^=]*/(?=.)", "", word.rstrip("/")) for word in sys.argv[1:])
    return shlex.join(["python", "-m", "studies", *words])
