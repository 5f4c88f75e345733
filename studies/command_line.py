"""The command line that a report records."""

from __future__ import annotations

import re
import shlex
import sys


def command_line() -> str:
    """`python -m studies ...` as typed, with files named without their folders."""
    words = (re.sub(r"[^=]*/(?=.)", "", word.rstrip("/")) for word in sys.argv[1:])
    return shlex.join(["python", "-m", "studies", *words])
