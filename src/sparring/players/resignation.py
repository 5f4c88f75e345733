"""When a player resigns."""

from __future__ import annotations


class Resignation:
    """Resigns after some moves in a row with a low expected score. Counts each side on its own.

    Args:
        below: expected score, from 0 to 1, below which a position is lost; 0 never resigns.
        after: moves in a row that must be lost.
    """

    def __init__(self, below: float, after: int) -> None:
        self._below, self._after = below, after
        self._lost_moves = [0, 0]

    def reset(self) -> None:
        """Begins a new game."""
        self._lost_moves = [0, 0]

    def decide(self, player: int, value: float | None) -> bool:
        """Whether the player resigns now. `value` is its expected result from -1 to 1, None if unknown."""
        if value is None:
            return False
        lost = (value + 1) / 2 < self._below
        self._lost_moves[player] = self._lost_moves[player] + 1 if lost else 0
        return self._lost_moves[player] >= self._after
