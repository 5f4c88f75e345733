"""A position with its context: the state, the ratings of both players and the clock."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Position:
    """A state and the context in which a person moves. Policies and networks predict moves for it."""

    state: Any
    """A state of the game. Earlier states are found along its `previous`."""
    rating: int | None = None
    """Rating of the player to move, or None if unknown. In Go a rank as a number: 1 is 1d, -1 is 1k."""
    opponent_rating: int | None = None
    """Rating of the opponent, or None if unknown."""
    clock: float | None = None
    """Seconds that the player to move has left; None if unknown or untimed."""
