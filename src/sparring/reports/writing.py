"""A report's files: the content as JSON, its figures, and a page of both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparring.reports.machine import describe_machine, today
from sparring.reports.plot_style import MatplotlibMissing
from sparring.storage import atomic_write

Content = dict[str, Any]


def write_report(
    content: Content,
    out: Path,
    command: str,
    draw: Callable[[Content, Path], dict[str, str]],
    page: Callable[[Content, dict[str, str]], str],
) -> str:
    """Writes report.json, figures/ and report.html, whole or not at all. Says what stays undone, if anything.

    `draw` gives the figures by their titles, `page` the HTML of content and figures. Raises OSError.
    """
    full = {"command": command, "date": today(), "machine": describe_machine(), **content}
    atomic_write(out / "report.json", json.dumps(full, indent=1) + "\n")
    undone, figures = "", {}
    try:
        figures = draw(content, out / "figures")
    except MatplotlibMissing as error:
        undone = f"without figures: {error}"
    atomic_write(out / "report.html", page(full, figures))
    return undone
