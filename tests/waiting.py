"""Waiting for what another thread or process does; a test fails if it does not come."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path


def wait_until(condition: Callable[[], object], what: str = "the condition", seconds: float = 60) -> None:
    """Waits until the condition is true, and fails after `seconds`."""
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end, f"{what} did not hold within {seconds:g} seconds"
        time.sleep(0.002)


def wait_for_lines(path: Path, count: int) -> None:
    """Waits until a file that a process writes has so many lines."""
    wait_until(
        lambda: path.exists() and path.read_bytes().count(b"\n") >= count, f"{path.name}: {count} lines"
    )
