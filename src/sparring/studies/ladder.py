"""The ladder of the Expendibots agent: each step against the one below, by the acceptance match."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

from sparring.disk import write_whole
from sparring.players.expendibots import RUNGS, Budget, rung
from sparring.reports import describe_machine, today
from sparring.studies.acceptance import Played, Side, Verdict, judge, play_match

STEPS = (
    *zip(list(RUNGS)[1:], list(RUNGS)[:-1], strict=True),
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
    heard: Callable[[Played], None] = lambda _: None,
) -> Verdict:
    """One match between rungs; its games are kept in the folder."""
    budget = Budget(nodes=nodes)
    journal = None if folder is None else folder / f"{new}-{old}-{nodes}-{seed}.jsonl"
    played = []
    sides = (Side(name, rung(name, budget)) for name in (new, old))
    for each in play_match("expendibots", *sides, games=games, seed=seed, journal=journal):
        played.append(each)
        heard(each)
    return judge(new, old, played)


def climb(
    out: Path,
    *,
    games: int,
    nodes: int,
    seed: int,
    command: str,
    steps: Sequence[tuple[str, str]] = STEPS,
    heard: Callable[[Verdict], None] = lambda _: None,
) -> dict[str, Any]:
    """All matches, written to `ladder.json` after each."""
    report: dict[str, Any] = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "games": games,
        "nodes_a_move": nodes,
        "seed": seed,
        "players": RUNGS,
        "matches": [],
    }
    for new, old in steps:
        verdict = match(new, old, games=games, nodes=nodes, seed=seed, folder=out / "games")
        report["matches"].append(asdict(verdict))
        write_whole(out / "ladder.json", json.dumps(report, indent=1) + "\n")
        heard(verdict)
    return report
