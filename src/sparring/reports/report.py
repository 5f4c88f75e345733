"""A report's files: the content as JSON, one SVG a figure, and on request an HTML page of both."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.reports import page
from sparring.reports.machine import provenance
from sparring.reports.plot_style import MatplotlibMissing, save_svg
from sparring.storage import atomic_write

Content = dict[str, Any]
"""The content of a report: plain values that JSON holds."""

FIGURES = "figures"
"""The folder of a report's figures."""


class BadReport(Exception):
    """A folder has no report that can be rendered; the message says why."""


@dataclass(frozen=True)
class Figure:
    """A figure of a report."""

    name: str
    """The name of its file, without suffix."""
    title: str
    """Its heading on the page."""
    draw: Callable[[], Any]
    """Makes the matplotlib figure. Raises MatplotlibMissing."""


def write_report(content: Content, out: Path, command: str, figures: Iterable[Figure]) -> str:
    """Writes `report.json` (provenance first) and `figures/*.svg` into the folder `out`.

    Without matplotlib the figures are left out. Returns a message about that, else an empty string.
    Raises OSError.
    """
    write_json(provenance(command) | content, out / "report.json")
    try:
        for figure in figures:
            save_svg(figure.draw(), out / FIGURES, figure.name)
    except MatplotlibMissing as error:
        return f"without figures: {error}"
    return ""


def write_json(content: Mapping[str, Any], path: Path) -> None:
    """Writes a report's JSON atomically, indented by one space. Raises OSError."""
    atomic_write(path, json.dumps(content, indent=1) + "\n")


def read_json(path: Path) -> Content:
    """Reads a report's JSON. Raises BadReport if there is none, or if it is no JSON object."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise BadReport(f"there is no report {path}") from None
    except ValueError as error:
        raise BadReport(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadReport(f"{path} is not a report: it holds no JSON object")
    return content


def read_figures(folder: Path, titles: Mapping[str, str]) -> dict[str, str]:
    """The SVG texts of the figures that a report's folder has, by title, ready to be inlined.

    `titles` gives the titles by file name, in the page's order; figures without a file are left out.
    """
    paths = {title: folder / FIGURES / f"{name}.svg" for name, title in titles.items()}
    return {
        title: page.inline_svg(path.read_text(encoding="utf-8"), path.stem)
        for title, path in paths.items()
        if path.is_file()
    }
