"""The figure of the study of one person. Drawing needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparring.reports.plot_style import INK_COLOR, LINE_COLORS, name_lines, page_axes

Content = Mapping[str, Any]


def gain_figure(reports: Mapping[str, Content]) -> Any:
    """Nats per move gained over the number of games, one line a game with its interval, and every person."""
    figure, axis = page_axes(4.0)
    for number, (game, report) in enumerate(reports.items()):
        colour = LINE_COLORS[number]
        for person in report["people"]:
            sizes = {int(size): entry for size, entry in person["sizes"].items() if size in report["summary"]}
            values = [entry["nats"]["value"] for entry in sizes.values()]
            axis.plot(list(sizes), values, color=colour, linewidth=0.4, alpha=0.25)
        summary = {int(size): entry["nats"] for size, entry in report["summary"].items()}
        low, high = ([entry[edge] for entry in summary.values()] for edge in ("low", "high"))
        axis.fill_between(list(summary), low, high, color=colour, alpha=0.2, linewidth=0)
        mean = [entry["value"] for entry in summary.values()]
        axis.plot(list(summary), mean, color=colour, linewidth=1.8, marker="o", markersize=4, label=game)
    axis.axhline(0, color=INK_COLOR, linewidth=0.8)
    axis.set_xscale("log")
    ticks = sorted({int(size) for report in reports.values() for size in report["summary"]})
    axis.set_xticks(ticks, [str(size) for size in ticks])
    axis.minorticks_off()
    axis.set_xlabel("games of the person")
    axis.set_ylabel("nats per move gained")
    name_lines(axis)
    return figure
