"""When a player offers and accepts a draw."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class DrawOffers:
    """Draws are offered and accepted in level positions."""

    within: float
    """Largest distance of the expected score (0 to 1) from 0.5; 0 never offers or accepts."""
    after: int
    """First ply at which draws are offered and accepted."""

    def agrees(self, ply: int, value: float | None) -> bool:
        """Whether a draw is fair. `value` is the expected result from -1 to 1, None if unknown."""
        return value is not None and abs(value) / 2 < self.within and ply >= self.after
