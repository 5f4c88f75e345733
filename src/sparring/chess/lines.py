"""The native search of chess lines, with its shipped value network."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from typing import Any

from sparring import data
from sparring._core import ChessLineSearch, ChessState
from sparring.base.storage import read_npz
from sparring.games import Move
from sparring.measure.analysis import ScoredLine

_WIN = 1_000_000
_DECIDED = _WIN - 1_000
MATE_CENTIPAWNS = 32_000
_SCALE = 0.68
"""The network learned from scores of Lichess of 2014 to 2022. Stockfish has made its centipawns larger since
(100
are an even chance to win); the factor is fitted to its scores of 499 positions of people's games."""


class ChessLines:
    """Searches lines of chess. One search runs at a time."""

    def __init__(self, megabytes: int = 16) -> None:
        """`megabytes` is the size of the transposition table."""
        self._search = ChessLineSearch(**_network(), megabytes=megabytes)

    def search(
        self, state: ChessState, nodes: int, lines: int = 1, only: Sequence[Move] = ()
    ) -> list[ScoredLine]:
        """The best lines with different first moves, best first. Mates are proven.

        The game is not over: else ValueError.
        """
        scored, _, _ = self._search.search(state, nodes, lines=lines, only=list(only))
        return [_scored(score, moves) for score, moves in scored]

    def clear(self) -> None:
        """Forgets earlier searches."""
        self._search.clear()

    def evaluate(self, state: ChessState) -> int:
        """The network's centipawns for the side to move, without search."""
        return round(_SCALE * self._search.evaluate(state))


def _scored(score: int, moves: Sequence[Move]) -> ScoredLine:
    if abs(score) <= _DECIDED:
        return ScoredLine(tuple(moves), round(_SCALE * score))
    number = (_WIN - abs(score) + 1) // 2
    sign = 1 if score > 0 else -1
    return ScoredLine(tuple(moves), sign * (MATE_CENTIPAWNS - number), sign * number)


@cache
def _network() -> dict[str, Any]:
    arrays = read_npz(data.path("line_search", "chess"))
    return {name: arrays[name] for name in ("first", "first_bias", "last", "last_bias")}
