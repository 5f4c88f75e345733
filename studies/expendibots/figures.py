"""Figures of the Expendibots studies. Drawing needs matplotlib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sparring.base.plot_style import LINE_COLORS, open_pyplot

Interval = tuple[str, float, float, float]
"""A row of an interval plot: label, low end, value, high end."""


def interval_plot(rows: Sequence[Interval], label: str, reference: float | None = None) -> Any:
    """A matplotlib figure with one interval a row, the first row on top.

    `label` names the horizontal axis; `reference` draws a vertical line. Raises MissingExtra.
    """
    figure, axis = open_pyplot().subplots(figsize=(7, 0.45 * len(rows) + 1))
    for place, (_, low, value, high) in enumerate(reversed(rows)):
        axis.plot([low, high], [place, place], color=LINE_COLORS[1], linewidth=2)
        axis.plot([value], [place], "o", color=LINE_COLORS[0])
    axis.set_yticks(range(len(rows)), [name for name, *_ in reversed(rows)])
    if reference is not None:
        axis.axvline(reference, color=LINE_COLORS[8], linewidth=0.8)
    axis.set_xlabel(label)
    return figure
