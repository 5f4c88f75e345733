"""Processes for which the disk is shut or full, even where the tests run as root."""

from __future__ import annotations

import ctypes
import subprocess
import sys
from pathlib import Path

import pytest

linux = pytest.mark.skipif(sys.platform != "linux", reason="needs Linux's /dev/full or capabilities")
_LIBC = ctypes.CDLL(None)


def drop_root_capabilities() -> None:
    """Even root may read only what permissions say once these capabilities are gone (Linux's prctl)."""
    drop_from_bounding_set, override, read_search = 24, 1, 2
    for capability in (override, read_search):
        _LIBC.prctl(drop_from_bounding_set, capability, 0, 0, 0)


def run(script: str, path: Path, *, drop_capabilities: bool = False) -> subprocess.CompletedProcess[str]:
    """Runs a script that finds the path in its arguments, perhaps as a user whom permissions bind."""
    return subprocess.run(
        [sys.executable, "-c", script, str(path)],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=drop_root_capabilities if drop_capabilities else None,
    )
