"""The ladder of Expendibots agents: acceptance matches between each agent and the one below it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.arena.acceptance import MatchSummary
from sparring.cli.accept import play_ladder_match
from sparring.players.expendibots import LADDER
from sparring.reports import provenance
from sparring.reports.plot_style import save_svg
from sparring.reports.report import FIGURES, write_json
from studies.expendibots.figures import interval_plot

REPORT = "ladder.json"
PAIRINGS = (
    *zip(list(LADDER)[1:], list(LADDER)[:-1], strict=True),
    ("champion", "random"),
    ("champion", "report"),
)
"""(new, old) players: neighbours on the ladder, and the shipped agent against two fixed opponents."""


def run_ladder(
    out: Path,
    *,
    games: int,
    nodes: int,
    seed: int,
    command: str,
    pairings: Sequence[tuple[str, str]] = PAIRINGS,
    callback: Callable[[MatchSummary], None] = lambda _: None,
) -> dict[str, Any]:
    """Plays all matches, `games` each at `nodes` a move; writes `ladder.json` after each. Returns the report.

    Games are kept in `out/games`, so that a stopped run resumes. `callback` is called after each match.
    """
    report: dict[str, Any] = {
        **provenance(command),
        "games": games,
        "nodes_a_move": nodes,
        "seed": seed,
        "players": LADDER,
        "matches": [],
    }
    for new, old in pairings:
        summary = play_ladder_match(new, old, games=games, nodes=nodes, seed=seed, folder=out / "games")
        report["matches"].append(asdict(summary))
        write_json(report, out / REPORT)
        callback(summary)
    return report


def draw_ladder(report: dict[str, Any], out: Path) -> None:
    """Draws the score of each match with its 95 % interval. Raises MatplotlibMissing."""
    rows = [
        (f"{m['new']} v {m['old']}", 100 * m["score_low"], 100 * m["score"], 100 * m["score_high"])
        for m in report["matches"]
    ]
    save_svg(interval_plot(rows, "points of 100", reference=50), out / FIGURES, "ladder")
