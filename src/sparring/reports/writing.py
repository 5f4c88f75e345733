"""A report's files: the content as JSON, its figures, and a page of both."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sparring.disk import write_whole
from sparring.reports.look import NoPlots
from sparring.reports.machine import describe_machine, today

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
    write_whole(out / "report.json", json.dumps(full, indent=1) + "\n")
    undone, figures = "", {}
    try:
        figures = draw(content, out / "figures")
    except NoPlots as error:
        undone = f"without figures: {error}"
    write_whole(out / "report.html", page(full, figures))
    return undone
