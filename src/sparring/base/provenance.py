"""Provenance of a measurement: the command, the date, the version of the code and the machine."""

from __future__ import annotations

import datetime
import os
import platform
import re
import shlex
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import Any

import sparring
from sparring import data

_CODE = ("src", "core", "studies", "bench")
"""Folders of the checkout that decide a measurement; its own files in results/ do not."""


def provenance(command: str) -> dict[str, Any]:
    """The first entries of every report: `command`, `date`, `version`, `commit` and `machine`.

    There is no `commit` where the package does not run from a git checkout.
    """
    commit = checkout_commit()
    return {
        "command": command,
        "date": today(),
        "version": sparring.__version__,
        **({} if commit is None else {"commit": commit}),
        "machine": describe_machine(),
    }


@cache  # a commit while the process runs does not change its code
def checkout_commit() -> str | None:
    """The short commit of the checkout that the package runs from, with `-dirty` if its code has changes.

    None without a checkout or without git. It is asked once a process.
    """
    return None if (root := data.checkout()) is None else commit_of(root)


def commit_of(root: Path) -> str | None:
    """The same for the checkout at `root`."""
    # One process tells commit and changes; the files in .git do not tell changes.
    command = ["git", "--no-optional-locks", "-C", str(root), "status", "--porcelain=v2", "--branch", "--"]
    try:
        done = subprocess.run([*command, *_CODE], capture_output=True, text=True, check=True, timeout=30)
    except (OSError, subprocess.SubprocessError):
        return None
    lines = done.stdout.splitlines()
    commits = [line.split()[2] for line in lines if line.startswith("# branch.oid ")]
    dirty = any(not line.startswith("#") for line in lines)
    return commits[0][:8] + ("-dirty" if dirty else "") if commits else None


def describe_machine() -> dict[str, object]:
    """`processor` (model name), `cores` (logical) and `python` (version) of this machine."""
    return {"processor": _processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def today() -> str:
    """The date in UTC, as YYYY-MM-DD."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    for line in information.read_text().splitlines() if information.exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()


# The command line that a report records: others can run it, and it names no folder of this machine.


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
    checkout = next((folder for folder in (here, *here.parents) if (folder / ".git").exists()), here)
    for folder in (here, checkout):
        if path.is_relative_to(folder) and folder != folder.parent:
            return str(path.relative_to(folder))
    return path.name
