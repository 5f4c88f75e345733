"""`python -m studies page FOLDER`: renders HTML pages from the JSON and the figures of a results folder."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from sparring.base.errors import BadFile
from sparring.base.plot_style import save_svg
from sparring.measure import matching_report as matching
from sparring.measure.matching_report import report_figures as matching_figures
from sparring.measure.reports import FIGURES, Content, read_json
from studies.blend import report as blend
from studies.blend.figures import report_figures as blend_figures
from studies.expendibots import algorithms, ladder
from studies.expendibots.pages import write_algorithm_page, write_ladder_page

Writer = Callable[[Path, Path | None], Path]
"""Renders the page of a folder to a path (None: into the folder) and returns the path."""
_PAGES: tuple[tuple[str, Callable[[Content], bool], Writer], ...] = (
    ("report.json", blend.is_blend_report, blend.write_page),
    ("report.json", matching.is_matching_report, matching.write_page),
    (algorithms.REPORT, lambda content: "standings" in content, write_algorithm_page),
    (ladder.REPORT, lambda content: "matches" in content, write_ladder_page),
)
"""A report's file, a test of its content, and the function that renders its page."""


def write_pages(folder: Path, out: Path | None = None) -> list[Path]:
    """Renders every page that a results folder has data for and returns their paths.

    Pages go into the folder `out` (default: beside the data). Raises BadFile if there is no known report.
    """
    written = []
    for name, fits, write in _PAGES:
        if (folder / name).exists() and fits(read_json(folder / name)):
            target = None if out is None else out / ("report.html" if name == "report.json" else name)
            written.append(write(folder, target and target.with_suffix(".html")))
    if not written:
        names = ", ".join(dict.fromkeys(name for name, *_ in _PAGES))
        raise BadFile(f"{folder} has no report that makes a page: none of {names} fits")
    return written


def redraw_figures(folder: Path) -> None:
    """Draws the figures of a matching or blend report anew from its JSON. Raises BadFile or OSError."""
    content = read_json(folder / "report.json")
    draw = blend_figures if blend.is_blend_report(content) else matching_figures
    drawn = {save_svg(each.draw(), folder / FIGURES, each.name) for each in draw(content)}
    for path in set((folder / FIGURES).glob("*.svg")) - drawn:
        path.unlink()


def page(
    folder: Annotated[Path, typer.Argument(help="A results folder, such as results/blend-chess.")],
    out: Annotated[Path | None, typer.Option(help="Folder of the pages; default: the same.")] = None,
    redraw: Annotated[
        bool, typer.Option("--redraw", help="Draw the figures of a report.json anew, and render no page.")
    ] = False,
) -> None:
    """Render HTML pages from the JSON and the figures of a results folder."""
    if redraw:
        redraw_figures(folder)
        return
    for path in write_pages(folder, out):
        print(path)
