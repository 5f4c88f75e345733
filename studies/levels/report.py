"""The ladder of all levels from several calibrations: a table and a figure of asked and measured levels."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from itertools import pairwise
from statistics import fmean
from typing import Any

from sparring.base.errors import UserError
from sparring.base.plot_style import LINE_COLORS, open_pyplot
from sparring.measure.calibration import AnchorScore, fit_rating
from sparring.measure.ratings import wilson_interval

_SIZE = (4.2, 3.4)


def pooled_report(
    journals: Iterable[Sequence[Mapping[str, Any]]], family: str, elo: Mapping[str, float]
) -> dict[str, Any]:
    """A ladder of the games of several journals of `sparring calibrate`, such as runs with other seeds, or
    runs that did not end.

    `journals` are their entries, the header first; `elo` has the ratings of the family's anchors. Games of
    other families, and of anchors with each other, are left out. Raises UserError if a level has two dials.
    """
    dials: dict[str, Any] = {}
    names: set[str] = set()
    scores: dict[str, dict[str, list[float]]] = {}
    for header, *games in journals:
        names |= header["dials"].keys()
        for game in games:
            if (dial := header["dials"].get(player := game["player"])) is None:
                continue
            if dials.setdefault(player, dial) != dial:
                raise UserError(f"the journals have two dials of level {player}")
            scores.setdefault(player, {}).setdefault(game["anchor"], []).append(game["score"])
    rows, matches = [], []
    for player, by_opponent in scores.items():
        by_anchor = {name: each for name, each in by_opponent.items() if name in elo}
        if by_anchor:
            fit = fit_rating([AnchorScore(elo[name], each) for name, each in by_anchor.items()])
            counts = {name: [sum(each), len(each)] for name, each in by_anchor.items()}
            rows.append({"player": player, "asked": float(player), **asdict(fit), "scores": counts})
        matches += [
            {
                "players": [player, other],
                "score": fmean(each),
                "interval": list(wilson_interval(fmean(each), len(each))),
                "games": len(each),
            }
            for other, each in by_opponent.items()
            if other in names
        ]
    return {"dials": dials, "families": {family: {"levels": rows}}, "matches": matches}


def merge_ladders(reports: Sequence[Mapping[str, Any]], levels: Sequence[int]) -> dict[str, Any]:
    """One ladder of the levels: rows by family, mean error, and the matches. Families stay apart."""
    families: dict[str, list[dict[str, Any]]] = {}
    for report in reports:
        for family, found in report["families"].items():
            families.setdefault(family, []).extend(
                {**row, "dials": report["dials"][row["player"]]} for row in found["levels"]
            )
    merged = {}
    for family, rows in families.items():
        rows.sort(key=lambda row: row["asked"])
        counted = [row for row in rows if row["asked"] in levels]
        merged[family] = {
            "levels": rows,
            "mean_error": fmean(abs(row["rating"] - row["asked"]) for row in counted) if counted else None,
            "monotone": all(low["rating"] < high["rating"] for low, high in pairwise(rows)),
        }
    return {"families": merged, "matches": [match for report in reports for match in report["matches"]]}


def ladder_table(ladder: Mapping[str, Any]) -> str:
    """Asked and measured levels as Markdown."""
    lines = []
    for family, found in ladder["families"].items():
        lines += [
            f"{family}:",
            "",
            "| asked | measured | 95 % | games | temperature | nodes |",
            "|---" * 6 + "|",
        ]
        for row in found["levels"]:
            low, high = row["interval"]
            dials = row["dials"]
            lines.append(
                f"| {row['asked']:.0f} | {row['rating']:.0f} | {low:.0f} to {high:.0f} | {row['games']} "
                f"| {dials['temperature']} | {dials['nodes']} |"
            )
        lines += ["", f"Mean error {found['mean_error'] or 0:.0f}; monotone: {found['monotone']}.", ""]
    for match in ladder["matches"]:
        low, high = match["interval"]
        a, b = match["players"]
        lines.append(
            f"{a} against {b}: {match['score']:.1%} ({low:.1%} to {high:.1%}) of {match['games']} games."
        )
    return "\n".join(lines)


def ladder_figure(ladder: Mapping[str, Any]) -> Any:
    """Measured over asked levels with intervals, a line per family."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    every = [row["asked"] for found in ladder["families"].values() for row in found["levels"]]
    axis.plot([min(every), max(every)], [min(every), max(every)], color=LINE_COLORS[8], linewidth=0.8)
    for colour, (family, found) in zip(LINE_COLORS, ladder["families"].items(), strict=False):
        rows = found["levels"]
        values = [row["rating"] for row in rows]
        spread = [
            [row["rating"] - row["interval"][0] for row in rows],
            [row["interval"][1] - row["rating"] for row in rows],
        ]
        axis.errorbar(
            [row["asked"] for row in rows], values, yerr=spread, marker="o", markersize=3, linewidth=1,
            capsize=2, color=colour, label=family,
        )  # fmt: skip
    axis.set_xlabel("level asked for")
    axis.set_ylabel("rating measured")
    axis.legend(frameon=False, fontsize=8)
    return figure
