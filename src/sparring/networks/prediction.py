"""The result of a policy or a network: probabilities over the legal moves, and expected results."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sparring.games import Move, move_name
from sparring.games.position import Position

__all__ = ["Position", "Prediction", "RankedMove"]


class RankedMove(NamedTuple):
    """A move of a prediction."""

    move: Move
    """The move's code."""
    probability: float
    text: str
    """The move as people write it, such as `Nf3`, `P-7f` or `D4`; the code if the state is unknown.
    `Game.parse_move` reads it."""


@dataclass(frozen=True)
class Prediction:
    """Probabilities over the legal moves of a position, and its expected result for the side to move."""

    moves: tuple[Move, ...]
    """The legal moves, ascending."""
    probabilities: NDArray[np.float32]
    """[len(moves)]; they sum to 1."""
    value: float | None = None
    """Expected result from -1 (loss) to 1 (win)."""
    wdl: tuple[float, float, float] | None = None
    """Probabilities of win, draw and loss."""
    lead: float | None = None
    """Go: expected lead in points."""
    moves_left: float | None = None
    """Expected number of plies to the end of the game."""
    state: Any = field(default=None, repr=False, compare=False)
    """The state that was predicted for; None if unknown."""
    ownership: NDArray[np.float32] | None = field(default=None, repr=False, compare=False)
    """Go: expected owner of each point, [points], from 1 (the side to move) to -1."""

    def top(self, count: int) -> list[RankedMove]:
        """The `count` most likely moves with their probabilities and texts, most likely first."""
        order = np.argsort(-self.probabilities, kind="stable")[:count]
        return [
            RankedMove(self.moves[i], float(self.probabilities[i]), self._text(self.moves[i])) for i in order
        ]

    def _text(self, move: Move) -> str:
        return str(move) if self.state is None else move_name(self.state, move)
