"""Figures of the search study: loss and Elo over nodes. Drawing needs matplotlib."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from sparring.base.plot_style import LINE_COLORS, open_pyplot, save_svg
from sparring.measure.reports import read_json

_SIZE = (4.2, 2.9)
"""Inches; the picture fits 400 pixels."""


def write_figures(folder: Path) -> list[Path]:
    """Draws loss.svg and elo.svg from loss.json and ratings.json. Raises BadFile or MissingExtra."""
    ratings = read_json(folder / "ratings.json")
    return [
        save_svg(loss_figure(read_json(folder / "loss.json")), folder, "loss"),
        save_svg(elo_figure(ratings["ladder"]["players"]), folder, "elo"),
    ]


def loss_figure(report: Mapping[str, Any]) -> Any:
    """Expected loss over nodes, one line per search, with the policy and people as levels."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    rows = report["table"]
    policy = next(row for row in rows if row["nodes"] == 0)
    for level, label in ((policy, "no search"), (report["people"], "people")):
        axis.axhline(level["value"], color=LINE_COLORS[8], linewidth=0.8, linestyle="--")
        axis.annotate(label, (0.99, level["value"]), xycoords=("axes fraction", "data"), fontsize=8,
                      ha="right", va="bottom")  # fmt: skip
    for colour, name in zip(
        LINE_COLORS, dict.fromkeys(r["search"] for r in rows if r["nodes"]), strict=False
    ):
        _line(axis, [row for row in rows if row["search"] == name], "value", name, colour)
    axis.set_ylabel("expected points lost a move")
    _finish(axis, [row["nodes"] for row in rows if row["nodes"]])
    return figure


def elo_figure(players: Sequence[Mapping[str, Any]]) -> Any:
    """Elo over nodes; the player without search is the reference."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    known = [
        dict(player, nodes=int(player["name"].split()[0]))
        for player in players
        if "batch" not in player["name"]
    ]
    known = sorted((each for each in known if each["nodes"]), key=lambda each: int(each["nodes"]))
    _line(axis, known, "elo", "default settings", LINE_COLORS[0])
    axis.set_ylabel("Elo above no search")
    axis.set_ylim(bottom=0)
    _finish(axis, [each["nodes"] for each in known])
    return figure


def _line(axis: Any, rows: Sequence[Mapping[str, Any]], key: str, name: str, colour: str) -> None:
    nodes, values = [row["nodes"] for row in rows], [row[key] for row in rows]
    spread = [[v - r["low"] for v, r in zip(values, rows, strict=True)],
              [r["high"] - v for v, r in zip(values, rows, strict=True)]]  # fmt: skip
    axis.errorbar(
        nodes, values, spread, marker="o", markersize=4, linewidth=1.4, capsize=2, color=colour, label=name
    )


def _finish(axis: Any, nodes: Sequence[int]) -> None:
    sizes = sorted(set(nodes))
    axis.set_xscale("log")
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.minorticks_off()
    axis.set_xlabel("nodes")
    axis.legend(fontsize=8, loc="best")
