"""Random games of reconnaissance blind chess for tests."""

from __future__ import annotations

import random
from pathlib import Path

from sparring._core import RbcState
from sparring.games import describe
from sparring.rbc.game import NO_SENSE, SENSE, Rbc
from sparring.rbc.history import to_history
from sparring.records import GameRecord, Termination


def random_game(seed: int, turns: int, *, sensing: float = 1.0, fen: str | None = None) -> RbcState:
    """A game of random moves, at most `turns` of each side; a fraction `sensing` of them has a sense."""
    rng = random.Random(seed)
    state = Rbc().parse(fen) if fen else Rbc().initial()
    for _ in range(2 * turns):
        if state.outcome is not None:
            break
        sense = SENSE + rng.randrange(64) if rng.random() < sensing else NO_SENSE
        state = state.play(sense)
        state = state.play(rng.choice(state.legal_moves()))
    return state


def keys(texts: list[str]) -> set[str]:
    """Boards as FEN without the counters, which no observation shows."""
    return {text.rsplit(" ", 2)[0] for text in texts}


def write_history(path: Path) -> None:
    """Writes a random game without a result as reconchess records it."""
    record = GameRecord(
        moves=random_game(8, 6).pack_moves(describe("rbc").packed_move_bytes),
        result=None,
        ending=Termination.UNKNOWN,
        first="a",
        second="b",
    )
    path.write_text(to_history(record))
