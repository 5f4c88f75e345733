"""Where and when a number was measured."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path


def describe_machine() -> dict[str, object]:
    """The processor, its cores and the Python: what a reader needs to judge a speed."""
    return {"processor": _processor(), "cores": os.cpu_count(), "python": platform.python_version()}


def today() -> str:
    """The date in UTC."""
    return datetime.datetime.now(datetime.UTC).date().isoformat()


def _processor() -> str:
    information = Path("/proc/cpuinfo")
    for line in information.read_text().splitlines() if information.exists() else []:
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return platform.processor() or platform.machine()
