"""Figures of the study: rank correlation of think times, the judge's areas, conversion. Drawing needs
matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.base.plot_style import LINE_COLORS, open_pyplot, save_svg
from sparring.measure.reports import read_json

_SIZE = (4.8, 2.9)
"""Inches; the picture fits 400 pixels."""


def write_figures(folder: Path) -> list[Path]:
    """Draws the figures of manners.json and conversion.json. Raises BadFile or MissingExtra."""
    report = read_json(folder / "manners.json")
    paths = []
    if "think_time" in report:
        paths.append(save_svg(think_time_figure(report["think_time"]["unseen games"]), folder, "think-time"))
    if "judge" in report:
        paths.append(save_svg(judge_figure(report["judge"]), folder, "judge"))
    if (folder / "conversion.json").exists():
        conversion = read_json(folder / "conversion.json")
        paths.append(save_svg(conversion_figure(conversion["ours"]), folder, "conversion"))
    return paths


def think_time_figure(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Rank correlation with people's times by time control and rating."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    _intervals(axis, [(row["group"], row) for row in rows], LINE_COLORS[0])
    axis.set_xlim(0, 1)
    axis.set_xlabel("rank correlation with people's times")
    return figure


def judge_figure(areas: Mapping[str, Mapping[str, Any]]) -> Any:
    """The area under the curve of one judge for all programs, by level; 0.5 is a game that it cannot tell
    from a person's."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    names = sorted(areas, key=lambda name: float(areas[name]["all"]["value"]))
    for place, name in enumerate(names):
        rows = sorted((int(level), row) for level, row in areas[name]["all"]["by_level"].items())
        values = [row["value"] for _, row in rows]
        spread = [
            [row["value"] - row["low"] for _, row in rows],
            [row["high"] - row["value"] for _, row in rows],
        ]
        levels = [level + 12 * (place - len(names) / 2) for level, _ in rows]
        axis.errorbar(
            levels, values, yerr=spread, fmt="o-", markersize=4, capsize=2, linewidth=1,
            color=LINE_COLORS[place % len(LINE_COLORS)], label=name.replace("_", ", "),
        )  # fmt: skip
    axis.axhline(0.5, color=LINE_COLORS[8], linewidth=0.8, linestyle="--")
    axis.set_ylim(0.3, 1.02)
    axis.set_xlabel("level")
    axis.set_ylabel("area under the curve")
    axis.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.2), ncol=3)
    return figure


def conversion_figure(rows: Sequence[Mapping[str, Any]]) -> Any:
    """Wins of ours and of people in the same won positions, by level."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    won = [row for row in rows if row["kind"] == "won"]
    for place, (key, label) in enumerate((("wins", "ours"), ("people", "people"))):
        shown = [(str(row["level"]), row[key]) for row in won]
        _intervals(axis, shown, LINE_COLORS[place], label, 0.1 * (1 - 2 * place))
    axis.set_xlim(0, 1)
    axis.set_xlabel("share of won positions that are won")
    axis.set_ylabel("level")
    axis.legend(fontsize=8, loc="lower left")
    return figure


def _intervals(
    axis: Any,
    rows: Sequence[tuple[str, Mapping[str, Any]]],
    colour: str,
    label: str | None = None,
    shift: float = 0.0,
) -> None:
    places = [len(rows) - 1 - number + shift for number in range(len(rows))]
    values = [row["value"] for _, row in rows]
    spread = [[row["value"] - row["low"] for _, row in rows], [row["high"] - row["value"] for _, row in rows]]
    axis.errorbar(values, places, xerr=spread, fmt="o", markersize=4, capsize=2, color=colour, label=label)
    axis.set_yticks([round(place - shift) for place in places], [name for name, _ in rows])
