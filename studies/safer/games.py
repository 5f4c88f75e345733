"""The games of the study, and the plies that are looked at."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparring.records import RecordedGame, Split
from sparring.records.readers import open_records

FIRST_PLY = 8
"""Plies before it are opening theory for most people."""


def held_out_games(files: Sequence[Path], split: Split | None) -> list[RecordedGame]:
    """Games with both ratings and a result, each once, in the order of a hash. `split` None takes all
    games."""
    games: dict[int, RecordedGame] = {}
    for path in files:
        for game in open_records(path, game="chess"):
            if None in game.ratings or game.result is None or game.record.start is not None:
                continue
            if split is None or game.split() is split:
                games.setdefault(game.identity, game)
    return [game for _, game in in_hash_order([(0, game) for game in games.values()])]


def in_hash_order(games: Sequence[tuple[int, RecordedGame]]) -> list[tuple[int, RecordedGame]]:
    """Games with the number of their source, in an order that does not depend on the source."""
    return sorted(games, key=lambda row: hashlib.sha256(f"safer {row[1].identity}".encode()).digest())


def ply_order(game: RecordedGame) -> list[int]:
    """All plies from `FIRST_PLY` on in an order that the game's identity decides: a prefix is a random
    sample."""
    plies = np.arange(FIRST_PLY, len(game))
    order: list[int] = np.random.default_rng(game.identity).permutation(plies).tolist()
    return order
