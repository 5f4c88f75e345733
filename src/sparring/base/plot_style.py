"""The style of figures: colours, fonts, labels and the SVG file. Drawing needs matplotlib."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from sparring.base.errors import require
from sparring.base.storage import atomic_write

INK_COLOR = "#3b2a1a"
BAR_COLOR = "#b58863"
MUTED_BAR_COLOR = "#d9c3a5"
LINE_COLORS = (
    "#b5502b", "#2f6f8f", "#6b8e3a", "#8a5a9e", "#c79a1e", "#4f5d75", "#b0527a", "#3f8f7a", "#7a6a55",
)  # fmt: skip
"""Line colours for light and dark backgrounds, distinct also for most colour-blind readers."""
PAGE_WIDTH = 4.8
"""Inches of a figure on a page: text of 8 points is still readable at 400 pixels."""
MOST_LINES = 4
"""Lines of a plot."""
_SHORT_NAME = 24
BACKGROUND = ' style="background: white"'
"""The attribute of an SVG file's root element, for viewers with a dark background."""

_STYLE: dict[Any, object] = {
    "axes.edgecolor": INK_COLOR,
    "axes.labelcolor": INK_COLOR,
    "axes.labelsize": 9,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlecolor": INK_COLOR,
    "axes.titlelocation": "left",
    "axes.titlesize": 11,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "font.family": "sans-serif",
    "legend.frameon": False,
    "svg.fonttype": "none",
    "svg.hashsalt": "sparring",
    "text.color": INK_COLOR,
    "xtick.color": INK_COLOR,
    "xtick.labelsize": 8,
    "ytick.color": INK_COLOR,
    "ytick.labelsize": 8,
}


def open_pyplot() -> Any:
    """Returns matplotlib.pyplot with this style set. Raises MissingExtra."""
    require("matplotlib", "plots", "pictures need")
    import matplotlib

    matplotlib.use("Agg")
    from matplotlib import pyplot

    matplotlib.rcParams.update(_STYLE)
    return pyplot


def save_svg(figure: Any, folder: Path, name: str) -> Path:
    """Writes a matplotlib figure to `folder/name.svg`, closes it and returns the path. Raises OSError.

    The file has a white background, which `page.inline_svg` removes.
    """
    drawn = io.StringIO()
    # "tight" keeps long labels at the ends of lines inside the picture.
    figure.savefig(drawn, format="svg", metadata={"Date": None}, bbox_inches="tight", pad_inches=0.1)
    open_pyplot().close(figure)
    path = folder / f"{name}.svg"
    atomic_write(path, drawn.getvalue().replace("<svg", f"<svg{BACKGROUND}", 1))
    return path


def page_axes(height: float = 3.6) -> tuple[Any, Any]:
    """A figure for a page, which is readable at 400 pixels, and its axes. Raises MissingExtra."""
    figure = open_pyplot().figure(figsize=(PAGE_WIDTH, height))
    return figure, figure.add_axes((0.13, 0.5 / height, 0.85, 1 - 0.6 / height))


def name_lines(axis: Any) -> None:
    """Names the labelled lines above the axes, in their colours, the line that ends highest first."""
    lines = sorted(
        zip(*axis.get_legend_handles_labels(), strict=True), key=lambda line: -float(line[0].get_ydata()[-1])
    )
    if lines:
        handles, labels = zip(*lines, strict=True)
        axis.legend(
            handles,
            labels,
            loc="lower left",
            bbox_to_anchor=(0, 1.0),
            borderaxespad=0.2,
            ncols=2 if max(map(len, labels)) <= _SHORT_NAME else 1,
            labelcolor="linecolor",
            fontsize=8.5,
        )


def most_telling(names: Sequence[str], scores: Sequence[float]) -> list[str]:
    """At most four of the names, in their order: the first, which others are compared with, and the best."""
    rest = sorted(range(1, len(names)), key=lambda i: -scores[i])[: MOST_LINES - 1]
    return [name for i, name in enumerate(names) if i == 0 or i in rest]


def label_line_ends(axis: Any, ends: Sequence[tuple[float, float, str, str]]) -> None:
    """Labels lines at their right ends `(x, y, name, colour)`; overlapping labels are moved apart."""
    from matplotlib.transforms import offset_copy

    if not ends:
        return
    low, high = axis.get_ylim()
    # 11 points a line of text, in units of the axis.
    height = axis.get_window_extent().height * 72 / axis.figure.dpi
    step = 11 * (high - low) / height
    right = max(x for x, *_ in ends)
    places = spread_labels([y for _, y, *_ in ends], step)
    for (x, y, name, colour), place in zip(ends, places, strict=True):
        axis.annotate(
            name,
            (x, y),
            xytext=(right, place),
            textcoords=offset_copy(axis.transData, axis.figure, 8, 0, units="points"),
            color=colour,
            fontsize=8.5,
            va="center",
            annotation_clip=False,
        )


def spread_labels(values: Sequence[float], step: float) -> list[float]:
    """Moves values at least `step` apart, keeping their order; clusters stay centred."""
    order = sorted(range(len(values)), key=lambda i: values[i])
    clusters: list[list[int]] = []

    def bottom(cluster: list[int]) -> float:
        return sum(values[i] for i in cluster) / len(cluster) - (len(cluster) - 1) * step / 2

    for i in order:
        clusters.append([i])
        while len(clusters) > 1:
            top = bottom(clusters[-2]) + (len(clusters[-2]) - 1) * step
            if bottom(clusters[-1]) >= top + step:
                break
            last = clusters.pop()
            clusters[-1] += last
    places = [0.0] * len(values)
    for cluster in clusters:
        for rank, i in enumerate(cluster):
            places[i] = bottom(cluster) + rank * step
    return places
