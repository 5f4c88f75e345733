"""Provenance of a measurement: the command, the date and the machine."""

from __future__ import annotations

import datetime
import os
import platform
from pathlib import Path
from typing import Any


def provenance(command: str) -> dict[str, Any]:
    """The first entries of every report: `command`, `date` and `machine`."""
    return {"command": command, "date": today(), "machine": describe_machine()}


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
