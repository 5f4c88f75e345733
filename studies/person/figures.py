"""The figure of the study of one person. Drawing needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sparring.base.plot_style import INK_COLOR, LINE_COLORS, name_lines, page_axes

Content = Mapping[str, Any]
_LEAST_PEOPLE = 5
"""Fewer people have no mean worth a line."""


def gain_figure(reports: Mapping[str, Content]) -> Any:
    """Nats per move gained over the number of games, one line a game with its interval, and every person."""
    figure, axis = page_axes(4.0)
    for number, (game, report) in enumerate(reports.items()):
        colour = LINE_COLORS[number]
        for person in report["people"]:
            sizes = {int(size): entry for size, entry in person["sizes"].items() if size in report["summary"]}
            values = [entry["nats"]["value"] for entry in sizes.values()]
            axis.plot(list(sizes), values, color=colour, linewidth=0.4, alpha=0.25)
        summary = {
            int(size): entry["nats"]
            for size, entry in report["summary"].items()
            if entry["people"] >= min(_LEAST_PEOPLE, len(report["people"]))
        }
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


def identification_figure(reports: Mapping[str, Content]) -> Any:
    """The share of people who are found over the number of games that tell, one line a game and a number of
    games that people are known by, with intervals."""
    figure, axis = page_axes(4.0)
    ticks: set[int] = set()
    for number, (game, report) in enumerate(reports.items()):
        rows = report.get("identification", [])
        sizes = sorted({row["known_by"] for row in rows})
        for size in sizes:
            found = [row for row in rows if row["known_by"] == size]
            games = [row["games"] for row in found]
            ticks.update(games)
            last = size == sizes[-1]
            axis.plot(
                games,
                [row["value"] for row in found],
                color=LINE_COLORS[number],
                linestyle="-" if last else ":",
                linewidth=1.8,
                marker="o",
                markersize=4,
                label=f"{game}, known by {size} games",
            )
            if last:
                low, high = ([row[edge] for row in found] for edge in ("low", "high"))
                axis.fill_between(games, low, high, color=LINE_COLORS[number], alpha=0.2, linewidth=0)
    axis.set_xscale("log")
    axis.set_xticks(sorted(ticks), [str(tick) for tick in sorted(ticks)])
    axis.minorticks_off()
    axis.set_ylim(0, 1)
    axis.set_xlabel("games that tell")
    axis.set_ylabel("people who are found")
    name_lines(axis)
    return figure
