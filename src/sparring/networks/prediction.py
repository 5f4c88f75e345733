"""What goes into a prediction and what comes out: the words that networks and policies share."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import Move


@dataclass(frozen=True)
class Position:
    """A state with the line behind it, and the context that a person has at the board."""

    state: Any
    """A native state; earlier boards are found along its `previous`."""
    rating: int | None = None
    """Of the player to move; in Go the rank as `records.ranks.rank_order` numbers it: 1 is 1d, -1 is 1k."""
    opponent_rating: int | None = None
    clock: float | None = None
    """Seconds that the player to move has left; None where unknown or untimed."""


@dataclass(frozen=True)
class Prediction:
    """What a network thinks of a position, for the side to move."""

    moves: tuple[Move, ...]
    """The legal moves, ascending."""
    probabilities: NDArray[np.float32]
    """[len(moves)], adding up to 1."""
    value: float | None = None
    """Expected result from -1 (lost) to 1 (won)."""
    wdl: tuple[float, float, float] | None = None
    """Probabilities of a win, a draw and a loss."""
    lead: float | None = None
    """Go: expected points ahead."""
    moves_left: float | None = None
    """Expected plies to the end of the game."""

    def top(self, count: int) -> list[tuple[Move, float]]:
        """The most likely moves with their probabilities."""
        order = np.argsort(-self.probabilities, kind="stable")[:count]
        return [(self.moves[i], float(self.probabilities[i])) for i in order]
