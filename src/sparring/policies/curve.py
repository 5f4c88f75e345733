"""A number, or a number that changes with the player's rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Curve:
    """Straight lines between knots, level beyond the first and the last.

    A player of unknown rating is taken for one in the middle of the knots.
    """

    knots: tuple[tuple[float, float], ...]
    """Ratings, ascending, and the value at each."""

    @staticmethod
    def constant(value: float) -> Curve:
        """The same whatever the rating."""
        return Curve(((0.0, float(value)),))

    @staticmethod
    def through(values: Mapping[int, float]) -> Curve:
        """The curve with these values at these ratings."""
        if not values:
            raise ValueError("a curve needs at least one rating with its value")
        return Curve(tuple((float(rating), float(values[rating])) for rating in sorted(values)))

    def at(self, rating: float | None) -> float:
        """The value for a player of this rating."""
        return float(self.at_all([rating])[0])

    def at_all(self, ratings: Sequence[float | None]) -> NDArray[np.float64]:
        """[ratings]: the values for players of these ratings."""
        at, values = zip(*self.knots, strict=True)
        middle = (at[0] + at[-1]) / 2
        found: NDArray[np.float64] = np.interp([middle if r is None else r for r in ratings], at, values)
        return found

    @property
    def values(self) -> tuple[float, ...]:
        """At the knots: between them it is never higher than the highest nor lower than the lowest."""
        return tuple(value for _, value in self.knots)
