"""A report's files: the content as JSON, one SVG a figure, and on request an HTML page of both."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sparring.base.errors import BadFile, MissingExtra
from sparring.base.plot_style import save_svg
from sparring.base.provenance import provenance
from sparring.base.storage import atomic_write
from sparring.measure import page

Content = dict[str, Any]
"""The content of a report: plain values that JSON holds."""

FIGURES = "figures"
"""The folder of a report's figures."""


@dataclass(frozen=True)
class Figure:
    """A figure of a report."""

    name: str
    """The name of its file, without suffix."""
    title: str
    """Its heading on the page."""
    draw: Callable[[], Any]
    """Makes the matplotlib figure. Raises MissingExtra."""


def write_report(content: Content, out: Path, command: str, figures: Iterable[Figure]) -> str:
    """Writes `report.json` (provenance first) and `figures/*.svg` into the folder `out`.

    Without matplotlib the figures are left out. Returns a message about that, else an empty string.
    Raises OSError.
    """
    write_json(provenance(command) | content, out / "report.json")
    try:
        for figure in figures:
            save_svg(figure.draw(), out / FIGURES, figure.name)
    except MissingExtra as error:
        return f"without figures: {error}"
    return ""


def write_json(content: Mapping[str, Any], path: Path) -> None:
    """Writes a report's JSON atomically, indented by one space. Raises OSError."""
    atomic_write(path, json.dumps(content, indent=1) + "\n")


def read_json(path: Path) -> Content:
    """Reads a report's JSON. Raises BadFile if there is none, or if it is no JSON object."""
    try:
        content = json.loads(path.read_text(encoding="utf-8"))
    except OSError:
        raise BadFile(f"there is no report {path}") from None
    except ValueError as error:
        raise BadFile(f"{path} is not JSON: {error}") from None
    if not isinstance(content, dict):
        raise BadFile(f"{path} is not a report: it holds no JSON object")
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


# Names of networks as readers know them.


_KNOWN: tuple[tuple[str, str], ...] = (
    (r"human", "Sparring's human network"),
    (r"strong", "Sparring's strong network"),
    (r"blend", "Sparring's blend"),
    (r"maia-(\d{4})", r"Maia \1"),
    (r"maias|maia-own-group", "the Maia of each rating"),
    (r"maia-s-wide", "Maia's recipe, all ratings"),
    (r"maia-s-(\d{4})", r"Maia's recipe, \1"),
    (r"t1(-256x10)?", "Lc0 T1"),
    (r"maia3-(\d+)m", r"Maia-3 \1M"),
    (r"(?:g170e?-)?(b\d+(?:c\d+)?)", r"KataGo \1"),
)
"""Patterns of names and what readers call them."""


def reader_name(name: str) -> str:
    """The name of a policy for plots and findings: `maia-1500` is Maia 1500. Other names stay as they are."""
    for pattern, template in _KNOWN:
        if match := re.fullmatch(pattern, name):
            return match.expand(template)
    return name
