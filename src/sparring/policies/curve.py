"""A number that may depend on the player's rating."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray


@dataclass(frozen=True)
class Curve:
    """A piecewise linear function of the rating, constant beyond the first and the last knot. An unknown
    rating is evaluated at the middle of the knots."""

    knots: tuple[tuple[float, float], ...]
    """(rating, value) pairs with ascending ratings."""

    @staticmethod
    def constant(value: float) -> Curve:
        """A curve with the same value for every rating."""
        return Curve(((0.0, float(value)),))

    @staticmethod
    def through(values: Mapping[int, float]) -> Curve:
        """The curve with these values at these ratings. Raises ValueError if `values` is empty."""
        if not values:
            raise ValueError("a curve needs at least one rating with its value")
        return Curve(tuple((float(rating), float(values[rating])) for rating in sorted(values)))

    def at(self, rating: float | None) -> float:
        """The value at a rating; None is an unknown rating."""
        return float(self.at_all([rating])[0])

    def at_all(self, ratings: Sequence[float | None]) -> NDArray[np.float64]:
        """The values [ratings] at these ratings; None is an unknown rating."""
        at, values = zip(*self.knots, strict=True)
        middle = (at[0] + at[-1]) / 2
        found: NDArray[np.float64] = np.interp([middle if r is None else r for r in ratings], at, values)
        return found

    @property
    def values(self) -> tuple[float, ...]:
        """The values at the knots. They bound the curve."""
        return tuple(value for _, value in self.knots)
