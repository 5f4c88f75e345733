"""The ladder of the Expendibots agent: each step against the one below, by the acceptance match."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.players.expendibots import LADDER, AlphaBetaLimits, ladder_player
from sparring.reports import describe_machine, today
from sparring.storage import atomic_write
from sparring.studies.acceptance import MatchSummary, NamedPlayer, TimedResult, play_match, summarise_match

PAIRINGS = (
    *zip(list(LADDER)[1:], list(LADDER)[:-1], strict=True),
    ("champion", "random"),
    ("champion", "report"),
)
"""The new player and the old: neighbours on the ladder, and what the agent must show."""


def match(
    new: str,
    old: str,
    *,
    games: int,
    nodes: int,
    seed: int,
    folder: Path | None = None,
    callback: Callable[[TimedResult], None] = lambda _: None,
) -> MatchSummary:
    """One match between rungs; its games are kept in the folder."""
    budget = AlphaBetaLimits(nodes=nodes)
    journal = None if folder is None else folder / f"{new}-{old}-{nodes}-{seed}.jsonl"
    played = []
    sides = (NamedPlayer(name, ladder_player(name, budget)) for name in (new, old))
    for each in play_match("expendibots", *sides, games=games, seed=seed, journal=journal):
        played.append(each)
        callback(each)
    return summarise_match(new, old, played)


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
        summary = match(new, old, games=games, nodes=nodes, seed=seed, folder=out / "games")
        report["matches"].append(asdict(summary))
        atomic_write(out / "ladder.json", json.dumps(report, indent=1) + "\n")
        callback(summary)
    return report
