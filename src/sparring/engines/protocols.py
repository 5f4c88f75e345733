"""UCI and USI: two dialects of one language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparring.engines.analysis import lc0_centipawns, mate_in_moves, mate_in_plies, shogi_centipawns
from sparring.games import PROTOCOL_GAMES, load


@dataclass(frozen=True)
class ProtocolSpec:
    """How a protocol says what both mean."""

    name: str
    game: Any
    """Whose positions and moves it speaks."""
    position_keyword: str
    """The word before a position's text."""
    sides: tuple[str, str]
    """The letters of the players' clocks."""
    no_move: str
    """What it answers where there is no move to play."""
    can_resign: bool
    """Whether it can say so."""
    claim_move: str | None
    """The move that claims the game, played wherever it is legal."""
    centipawns: Callable[[float], int]
    mate_in: Callable[[int], int]
    """How it counts the plies of `Line.forced`."""


PROTOCOL_SPECS = {
    "uci": ProtocolSpec(
        name="uci",
        game=load(PROTOCOL_GAMES["uci"]),
        position_keyword="fen",
        sides=("w", "b"),
        no_move="(none)",
        can_resign=False,
        claim_move=None,
        centipawns=lc0_centipawns,
        mate_in=mate_in_moves,
    ),
    "usi": ProtocolSpec(
        name="usi",
        game=load(PROTOCOL_GAMES["usi"]),
        position_keyword="sfen",
        sides=("b", "w"),
        no_move="resign",
        can_resign=True,
        claim_move="win",
        centipawns=shogi_centipawns,
        mate_in=mate_in_plies,
    ),
}
