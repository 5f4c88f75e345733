"""Small tables of random games with ratings, ranks, clocks and evaluations."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sparring.games import describe, load_game
from sparring.records import GameRecord, Termination, records_of
from sparring.records.table import TableWriter, read_shards


def random_record(game: str, rng: random.Random, plies: int, **facts: Any) -> GameRecord:
    """A random game with a start where the game's table needs one."""
    rules = load_game(game, size=7) if game == "go" else load_game(game)
    state = rules.initial()
    start = rules.text(state) if game == "go" else None
    while state.ply < plies and (moves := state.legal_moves()):
        state = state.play(rng.choice(moves))
    return GameRecord(
        moves=state.pack_moves(describe(game).packed_move_bytes),
        result=1.0,
        start=start,
        ending=Termination.NORMAL,
        site=str(rng.random()),
        **facts,
    )


def rated(count: int, rng: random.Random, group: int, plies: int = 30, **facts: Any) -> list[GameRecord]:
    """Chess games between players of one hundred."""
    return [
        random_record(
            "chess",
            rng,
            plies,
            first_rating=group + rng.randrange(100),
            second_rating=group + rng.randrange(100),
            **facts,
        )
        for _ in range(count)
    ]


def write_table(
    folder: Path,
    game: str,
    records: Sequence[GameRecord],
    *,
    source: str = "source.pgn",
    games: dict[str, Any] | None = None,
    **positions: Any,
) -> Path:
    writer = TableWriter(folder, game, {"games": games or {}, "positions": positions}, shard=16)
    for record in records:
        writer.add(record, source)
        if writer.full:
            writer.commit({})
    writer.commit({})
    return folder


def chess_table(folder: Path, count: int = 60, **positions: Any) -> Path:
    """So many games in each of the groups 1100 and 1900."""
    rng = random.Random(7)
    return write_table(folder, "chess", rated(count, rng, 1100) + rated(count, rng, 1900), **positions)


def read_table(folder: Path) -> list[GameRecord]:
    return [record for shard in read_shards(folder) for record in records_of(shard)]


def tenths(*seconds: float) -> bytes:
    return np.array([round(10 * second) for second in seconds], np.int32).tobytes()
