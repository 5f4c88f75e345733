"""UCI and USI: two dialects of one language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparring.engines.analysis import lc0_centipawns, mate_in_moves, mate_in_plies, shogi_centipawns
from sparring.games import Chess, Shogi


@dataclass(frozen=True)
class Dialect:
    """How a protocol says what both mean."""

    name: str
    game: Any
    """Whose positions and moves it speaks."""
    setup: str
    """The word before a position's text."""
    sides: tuple[str, str]
    """The letters of the players' clocks."""
    no_move: str
    """What it answers where there is no move to play."""
    resigns: bool
    """Whether it can say so."""
    declares: str | None
    """The move that claims the game, played wherever it is legal."""
    centipawns: Callable[[float], int]
    mate_in: Callable[[int], int]
    """How it counts the plies of `Line.forced`."""


DIALECTS = {
    "uci": Dialect(
        name="uci",
        game=Chess(),
        setup="fen",
        sides=("w", "b"),
        no_move="(none)",
        resigns=False,
        declares=None,
        centipawns=lc0_centipawns,
        mate_in=mate_in_moves,
    ),
    "usi": Dialect(
        name="usi",
        game=Shogi(),
        setup="sfen",
        sides=("b", "w"),
        no_move="resign",
        resigns=True,
        declares="win",
        centipawns=shogi_centipawns,
        mate_in=mate_in_plies,
    ),
}
