"""When a player offers and accepts draws."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DrawOffers:
    """Draws are offered in level positions, and accepted in positions that are level or worse."""

    within: float
    """Largest distance of the expected score (0 to 1) from 0.5; 0 never offers or accepts."""
    after: int
    """First ply at which draws are offered and accepted."""
    offering: bool = True
    """Whether it offers draws; else it only accepts."""
    chance: float = 1.0
    """Chance of an offer on a turn at which it may offer one."""

    def offers(self, ply: int, value: float | None, rng: np.random.Generator | None = None) -> bool:
        """Whether it offers a draw. `value` is its expected result from -1 to 1, None if unknown."""
        if not self.offering or value is None or abs(value) / 2 >= self.within or ply < self.after:
            return False
        return self.chance >= 1 or (rng is not None and rng.random() < self.chance)

    def accepts(self, ply: int, value: float | None) -> bool:
        """Whether it accepts a draw: it expects no more than one, or little more."""
        return self.within > 0 and value is not None and value / 2 < self.within and ply >= self.after
