"""The report of the ACE study: what was tuned, and the paper's experiments beside its tables."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparring.arena.results import ArenaGame
from sparring.base.plot_style import LINE_COLORS, open_pyplot, save_svg
from sparring.base.storage import read_journal
from sparring.measure.reports import read_json
from sparring.measure.tuning import DescentStep
from sparring.measure.tuning_run import fit_theta_curve
from studies.ace.amsterdam import read_answers, skill_curve
from studies.ace.answers import answers_of
from studies.ace.curve import results_in
from studies.ace.players import CLASS_NAMES
from studies.ace.position_items import FORM, PositionTest
from studies.ace.position_scores import calibrate_on_people, grade_rating, score_player
from studies.ace.round_robin import round_robin_report

PAPER_TABLE_3 = {"D": 1316, "B": 1727, "Expert": 2108, "GM": 2546}
"""Table 3: the paper's estimates by Elometer."""
_SIZE = (4.4, 3.0)


def descent_report(folder: Path) -> list[dict[str, Any]]:
    """The descents of all classes with journals, finished or not: means over each epoch.

    An epoch has all positions once, so that losses of epochs are comparable. `significance` is the mean
    gradient in log t and log c_puct of the last epoch in standard errors.
    """
    rows = []
    for path in folder.glob("class-*.jsonl"):
        header, *entries = read_journal(path)
        steps = [DescentStep.of(entry) for entry in entries if "searched" in entry]
        size = max(header["positions"] // header["batch"], 1)
        epochs = [steps[i : i + size] for i in range(0, len(steps) - size + 1, size)]
        if not epochs:
            continue
        errors = np.sqrt(np.sum(np.square([step.error for step in epochs[-1]]), axis=0)) / size
        rows.append({
            "class": header["class"], "nodes": header["nodes"], "steps": len(steps),
            "gradient": header["gradient"], "positions": header["positions"],
            "loss": [float(np.mean([step.loss for step in epoch])) for epoch in epochs],
            "temperature": [_geometric([step.temperature for step in epoch]) for epoch in epochs],
            "policy_temperature": [_geometric(np.exp([s.searched[0] for s in epoch])) for epoch in epochs],
            "c_puct": [_geometric(np.exp([s.searched[1] for s in epoch])) for epoch in epochs],
            "significance": (np.mean([s.gradient for s in epochs[-1]], axis=0) / errors).tolist(),
        })  # fmt: skip
    return sorted(rows, key=lambda row: int(row["class"]))


def _geometric(values: Any) -> float:
    return float(np.exp(np.mean(np.log(values))))


def tuning_report(folder: Path) -> dict[str, Any]:
    """The tuned classes, and Theta as a smooth function of the rating; only the descents if none is
    finished."""
    classes = list(results_in(folder))
    descents = descent_report(folder)
    if not classes:
        return {"descents": descents}
    curve = fit_theta_curve(classes)
    return {
        "descents": descents,
        "classes": [{key: each for key, each in result.items() if key != "path"} for result in classes],
        "curve": {
            "log_coefficients": curve.coefficients.tolist(),
            "rows": {rating: vars(curve.at(rating)) for rating in range(600, 2601, 200)},
        },
    }


def games_report(path: Path) -> dict[str, Any]:
    """Experiment 1 from a journal of `ace-games`."""
    results: list[ArenaGame] = [
        ArenaGame(**{key: value for key, value in entry.items() if key != "games_end"})
        for entry in read_journal(path)
        if "result" in entry
    ]
    names = {name for result in results for name in (result.first, result.second)}
    ratings = {name: float(rating) for rating, name in CLASS_NAMES.items() if name in names}
    return round_robin_report(results, ratings)


def positions_report(test: PositionTest, answers: Path, curves: Path, amsterdam: Path) -> dict[str, Any]:
    """Experiment 2 from the files of `ace-answers`: calibration on people, and every player's result.

    `amsterdam` is the file of the Amsterdam Chess Test, which may be missing.
    """
    content = read_json(curves)
    people = content["people"]
    line, groups = calibrate_on_people(
        np.array([person["rating"] for person in people]),
        np.array([person["curve"] for person in people]),
        FORM,
    )
    form = [np.array(curve) for curve in content["form"]]
    players = []
    for entry in read_journal(answers)[1:]:
        scores = score_player(test, form, answers_of(test, entry), line)
        players.append(
            {"name": entry["name"], "family": entry["family"], "nominal": entry["rating"], **scores}
        )
    references = [(p["nominal"], p["graded"]["grade"]) for p in players if p["family"] == "human"]
    for player in players:
        if len(references) >= 2:
            player["graded"]["rating"] = grade_rating(player["graded"]["grade"], references)
        player["paper"] = PAPER_TABLE_3.get(player["name"].removeprefix("ACE "))
    found = {
        "positions": {"people": len(test.people), "puzzles": len(test.puzzles), "graded": len(test.graded)},
        "calibration": {"intercept": line.intercept, "slope": line.slope, "people": groups},
        "players": players,
    }
    return found | ({"amsterdam": skill_curve(*read_answers(amsterdam))} if amsterdam.exists() else {})


def write_figures(report: Mapping[str, Any], folder: Path) -> list[Path]:
    """Draws theta.svg, scores.svg, positions.svg and games.svg, as far as the report has their parts."""
    drawn = {
        "theta": ("tuning", theta_figure),
        "scores": ("round_robin", scores_figure),
        "positions": ("positions", positions_figure),
        "strength": ("strength", strength_figure),
    }
    return [
        save_svg(draw(report[part]), folder, name) for name, (part, draw) in drawn.items() if part in report
    ]


def theta_figure(tuning: Mapping[str, Any]) -> Any:
    """tau, t and c_puct of the classes and the curves through them; of unfinished classes, the last epoch."""
    if "classes" not in tuning:
        return _descents_figure(tuning["descents"])
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    rows = tuning["curve"]["rows"]
    labels = {"temperature": "tau", "policy_temperature": "t", "c_puct": "c_puct"}
    for colour, (key, label) in zip(LINE_COLORS, labels.items(), strict=False):
        classes = tuning["classes"]
        axis.plot([group["class"] for group in classes], [group["theta"][key] for group in classes], "o",
                  color=colour, markersize=4)  # fmt: skip
        axis.plot([int(r) for r in rows], [row[key] for row in rows.values()], color=colour, label=label)
    axis.set_yscale("log")
    axis.set_xlabel("rating of the class")
    axis.set_ylabel("parameter")
    axis.legend(fontsize=8)
    return figure


def _descents_figure(descents: Sequence[Mapping[str, Any]]) -> Any:
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    labels = {"temperature": "tau", "policy_temperature": "t", "c_puct": "c_puct"}
    for colour, (key, label) in zip(LINE_COLORS, labels.items(), strict=False):
        axis.plot([row["class"] for row in descents], [row[key][-1] for row in descents], "o-", color=colour,
                  markersize=4, label=label)  # fmt: skip
    axis.set_yscale("log")
    axis.set_xlabel("rating of the class")
    axis.set_ylabel("parameter, last epoch")
    axis.legend(fontsize=8)
    return figure


def scores_figure(report: Mapping[str, Any]) -> Any:
    """Observed scores of the weaker player over the expected ones, ours and the paper's."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    rows = report["pairs"]
    places = np.arange(len(rows))
    axis.bar(places - 0.27, [row["expected"] for row in rows], 0.27, color=LINE_COLORS[8], label="expected")
    spread = [[row["observed"] - row["low"] for row in rows], [row["high"] - row["observed"] for row in rows]]
    axis.bar(places, [row["observed"] for row in rows], 0.27, yerr=spread, color=LINE_COLORS[0], label="ours",
             error_kw={"linewidth": 0.8})  # fmt: skip
    paper = [row["paper_observed"] or 0 for row in rows]
    axis.bar(places + 0.27, paper, 0.27, color=LINE_COLORS[1], label="paper")
    axis.set_xticks(places, [f"{row['weaker']} v {row['stronger']}" for row in rows], rotation=30, ha="right")
    axis.set_ylabel("score of the weaker class")
    axis.legend(fontsize=8)
    return figure


def positions_figure(report: Mapping[str, Any]) -> Any:
    """Estimated over nominal rating by family, with people as the reference."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    groups = report["calibration"]["people"]
    axis.plot([g["rating"] for g in groups], [g["estimate"] for g in groups], color=LINE_COLORS[8],
              label="people")  # fmt: skip
    families = ("ACE", "level", "Stockfish", "Maia, best move")
    for colour, family in zip(LINE_COLORS, families, strict=False):
        rows = [p for p in report["players"] if p["family"] == family]
        if rows:
            _points(axis, rows, family, colour)
    axis.axline((1500, 1500), slope=1, color=LINE_COLORS[8], linewidth=0.6, linestyle="--")
    axis.set_xlabel("nominal rating")
    axis.set_ylabel("rating by 76 positions")
    axis.legend(fontsize=8)
    return figure


def strength_figure(report: Mapping[str, Any]) -> Any:
    """Mean absolute error over the number of games."""
    figure, axis = open_pyplot().subplots(figsize=_SIZE)
    labels = {"unseen_games": "unseen games", "all_games": "all games"}
    for colour, (key, label) in zip(LINE_COLORS, labels.items(), strict=False):
        rows = report[key]
        spread = [[r["mean_absolute_error"] - r["low"] for r in rows],
                  [r["high"] - r["mean_absolute_error"] for r in rows]]  # fmt: skip
        axis.errorbar([r["games"] for r in rows], [r["mean_absolute_error"] for r in rows], spread,
                      marker="o", markersize=4, capsize=2, color=colour, label=label)  # fmt: skip
    axis.set_xscale("log")
    sizes = sorted({r["games"] for key in labels for r in report[key]})
    axis.set_xticks(sizes, [str(size) for size in sizes])
    axis.minorticks_off()
    axis.set_ylim(bottom=0)
    axis.set_xlabel("games")
    axis.set_ylabel("mean absolute error")
    axis.legend(fontsize=8)
    return figure


def _points(axis: Any, rows: Sequence[Mapping[str, Any]], label: str, colour: str) -> None:
    values = [row["people"]["rating"] for row in rows]
    spread = [[v - r["people"]["low"] for v, r in zip(values, rows, strict=True)],
              [r["people"]["high"] - v for v, r in zip(values, rows, strict=True)]]  # fmt: skip
    axis.errorbar([row["nominal"] for row in rows], values, spread, fmt="o", markersize=4, capsize=2,
                  linewidth=0.8, color=colour, label=label)  # fmt: skip
