"""The differences between UCI and USI."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sparring.engines.analysis import lc0_centipawns, mate_in_moves, mate_in_plies, shogi_centipawns
from sparring.games import PROTOCOL_GAMES, load_game


@dataclass(frozen=True)
class ProtocolSpec:
    """The parts in which UCI and USI differ."""

    name: str
    game: Any
    """The rules of its game."""
    position_keyword: str
    """The word before a position's text."""
    sides: tuple[str, str]
    """Letters of the clocks of players 0 and 1."""
    no_move: str
    """Answer if there is no legal move."""
    can_resign: bool
    """Whether an engine can resign."""
    claim_move: str | None
    """Move that claims a win; it is played whenever it is legal."""
    centipawns: Callable[[float], int]
    """From a value from -1 to 1 to a score."""
    mate_in: Callable[[int], int]
    """From `PvLine.forced` to the number after `score mate`."""


PROTOCOL_SPECS = {
    "uci": ProtocolSpec(
        name="uci",
        game=load_game(PROTOCOL_GAMES["uci"]),
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
        game=load_game(PROTOCOL_GAMES["usi"]),
        position_keyword="sfen",
        sides=("b", "w"),
        no_move="resign",
        can_resign=True,
        claim_move="win",
        centipawns=shogi_centipawns,
        mate_in=mate_in_plies,
    ),
}
