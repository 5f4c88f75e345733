"""The ladder of the Expendibots agent: each step against the one below, by the acceptance match."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.arena.acceptance import MatchSummary
from sparring.cli.accept import play_ladder_match
from sparring.players.expendibots import LADDER
from sparring.reports import describe_machine, today
from sparring.storage import atomic_write

PAIRINGS = (
    *zip(list(LADDER)[1:], list(LADDER)[:-1], strict=True),
    ("champion", "random"),
    ("champion", "report"),
)
"""The new player and the old: neighbours on the ladder, and what the agent must show."""


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
    """All matches, written to `ladder.json` after each."""
    report: dict[str, Any] = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "games": games,
        "nodes_a_move": nodes,
        "seed": seed,
        "players": LADDER,
        "matches": [],
    }
    for new, old in pairings:
        summary = play_ladder_match(new, old, games=games, nodes=nodes, seed=seed, folder=out / "games")
        report["matches"].append(asdict(summary))
        atomic_write(out / "ladder.json", json.dumps(report, indent=1) + "\n")
        callback(summary)
    return report
