"""Whether a Go player's rank follows from its moves: the strength model of chess on ranks 6d to 9d."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np

from sparring.measure.strength import collect_evidence
from sparring.policies import Policy
from sparring.records import RecordedGame, Split, open_records
from studies.ace.strength_fit import RatedPlayer, fit_strength_model, strength_errors

RANKS = (6, 7, 8, 9)
"""Dan ranks of which there are enough games between people."""
GAMES = (1, 2, 5)


def balanced_games(records: Sequence[Path], games: int) -> list[RecordedGame]:
    """Held-out games between players of these ranks, an equal number by the stronger rank."""
    by_rank: dict[int, list[RecordedGame]] = {rank: [] for rank in RANKS}
    for path in records:
        for game in open_records(path, "go"):
            known = all(rank in RANKS for rank in game.ratings) and all(game.players)
            if known and game.split() is not Split.TRAIN and len(game) >= 60:
                by_rank[max(int(rank) for rank in game.ratings if rank is not None)].append(game)
    each = games // len(RANKS)
    return [game for known in by_rank.values() for game in sorted(known, key=lambda g: _hash(g.id))[:each]]


def measure_go(human: Policy, games: Sequence[RecordedGame]) -> dict[str, Any]:
    """The model fitted on half of the players, and its errors on the others, beside those of the prior.

    `without_games` of each row is the error of the mean rank of the population: the model is of use only
    where its own error is clearly smaller.
    """
    by_player: dict[str, list[tuple[float, Any]]] = {}
    for game, sides in zip(games, collect_evidence(human, None, games, RANKS), strict=True):
        for name, rank, evidence in zip(game.players, game.ratings, sides, strict=True):
            if evidence is not None and rank is not None and name:
                by_player.setdefault(name, []).append((float(rank), evidence))
    fitted = {name: rows for name, rows in by_player.items() if _hash(name)[0] % 2 == 0}
    others = {name: rows for name, rows in by_player.items() if _hash(name)[0] % 2 == 1}
    model = fit_strength_model("go", RANKS, [p for n in GAMES for p in _players(fitted, n)])
    rows = [
        {"games": count, **strength_errors(model, players)}
        for count in GAMES
        if len(players := _players(others, count)) >= 8
    ]
    ranks = [int(rank) for each in others.values() for rank, _ in each]
    return {
        "model": asdict(model),
        "rows": rows,
        "games": len(games),
        "fitted_players": len(fitted),
        "sides_by_rank": {rank: ranks.count(rank) for rank in RANKS},
    }


def _players(known: dict[str, list[tuple[float, Any]]], games: int) -> list[RatedPlayer]:
    """Players with so many games, with the first of them."""
    found = []
    for name, rows in known.items():
        if len(rows) >= games:
            rank = float(np.mean([rank for rank, _ in rows[:games]]))
            found.append(RatedPlayer(name, rank, tuple(evidence for _, evidence in rows[:games])))
    return found


def _hash(text: str) -> bytes:
    return hashlib.blake2b(text.encode(), digest_size=8).digest()
