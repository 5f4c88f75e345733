"""The report of the ACE study as lines for the terminal, and what is missing in it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

_COMMANDS = {
    "tuning": ("tuned classes", "sparring tune levels chess --network strong --records GAMES"),
    "round_robin": ("experiment 1, the round robin", "python -m studies ace-games TUNING"),
    "positions": (
        "experiment 2, the position test",
        "python -m studies ace --records GAMES --positions FOLDER",
    ),
    "strength": ("strength from games", "python -m studies ace-evidence, then ace-strength"),
    "gradients": ("gradients", "python -m studies ace-gradients"),
    "curve": ("Theta by rating on held-out moves", "python -m studies ace-curve"),
    "cross": ("each class's Theta on the others' moves", "python -m studies ace-cross"),
    "losses": ("loss a move of the classes", "python -m studies ace-losses"),
    "baselines": ("policies without search on held-out moves", "python -m studies ace-baselines"),
}


def summary_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """Tuned classes, both experiments and the errors of the strength model, as far as the report has them."""
    for row in report.get("tuning", {}).get("classes", ()):
        theta = ", ".join(
            f"{name} {row['theta'][key]:.2f}"
            for name, key in (("tau", "temperature"), ("t", "policy_temperature"), ("c_puct", "c_puct"))
        )
        yield f"class {row['class']}: {theta}"
    if "round_robin" in report:
        yield from _round_robin(report["round_robin"])
    for row in report.get("positions", {}).get("players", ()):
        estimate = row["people"]
        nominal = "" if row["nominal"] is None else f" ({row['nominal']:.0f})"
        yield (
            f"position test, {row['name']}{nominal}: "
            f"{estimate['rating']:.0f} ({estimate['low']:.0f} to {estimate['high']:.0f})"
        )
    for row in report.get("strength", {}).get("unseen_games", ()):
        games = "one unseen game" if row["games"] == 1 else f"{row['games']} unseen games"
        yield f"rating from {games}: error {row['mean_absolute_error']:.0f}"


def _round_robin(report: Mapping[str, Any]) -> Iterator[str]:
    for row in report["pairs"]:
        paper = "" if row["paper_observed"] is None else f", paper {row['paper_observed']:.3f}"
        yield (
            f"{row['weaker']} v {row['stronger']}, {row['games']} games: expected {row['expected']:.3f}, "
            f"observed {row['observed']:.3f} ({row['low']:.3f} to {row['high']:.3f}){paper}"
        )
    test = report["chi_square"]
    verdict = "they differ" if test["p"] < 0.05 else "no difference is seen"
    p = f"p = {test['p']:.2g}" if test["p"] > 0 else "p < 1e-300"
    yield (
        f"observed against expected scores: chi-square {test['statistic']:.1f}, {test['degrees']} degrees of "
        f"freedom, {p}: {verdict}"
    )


def missing_lines(report: Mapping[str, Any]) -> Iterator[str]:
    """The parts that the report does not have, with the command that makes each."""
    for part, (what, command) in _COMMANDS.items():
        if part not in report:
            yield f"missing: {what}; {command}"
