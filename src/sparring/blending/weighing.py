"""Ways to weigh policies in every position: by group, along a curve over ratings, or by its traits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.blending.likelihood import Fit, fit
from sparring.matching import Choices
from sparring.policies import Curve
from sparring.policies.pool import mean_of
from sparring.policies.segments import Array, normalised_logs, spread
from sparring.policies.traits import Scale, traits_of

_KNOTS = 3


class Weighing(Protocol):
    """Says how much each policy counts in each position."""

    def weights(self, choices: Choices, groups: NDArray[np.int64]) -> Array:
        """[policies, positions]; groups [positions] are numbers."""
        ...


@dataclass(frozen=True)
class ByGroup:
    """The same weights in all positions of a group."""

    table: Array
    """[groups, policies]"""

    def weights(self, choices: Choices, groups: NDArray[np.int64]) -> Array:
        """Those of each position's group."""
        return self.table[groups].T


@dataclass(frozen=True)
class ByAlpha:
    """The paper's two weights, alpha and 1 - alpha, with alpha along a curve."""

    alpha: Curve

    def weights(self, choices: Choices, groups: NDArray[np.int64] | None = None) -> Array:
        """Those of each mover's rating."""
        ratings = choices.facts["rating"].tolist()
        first = self.alpha.at_all([None if np.isnan(rating) else rating for rating in ratings])
        return np.stack([first, 1 - first])

    def nats(self, choices: Choices) -> float:
        """The mean negative log-likelihood."""
        logs = normalised_logs(pooled_logs(choices, self.weights(choices)), choices.offsets)
        return float(-logs[choices.played].mean())


@dataclass(frozen=True)
class ByRating:
    """Straight lines between ratings, one for each policy: what `Curve` is, and what a TOML file can say."""

    knots: tuple[int, ...]
    """Ratings, ascending; one alone means that ratings are not looked at."""
    fit: Fit

    @staticmethod
    def fitted(choices: Choices, *, tied: bool = False, knots: tuple[int, ...] | None = None) -> ByRating:
        """The likeliest curves; knots are spread over the ratings unless they are given."""
        at = knots or spread_knots(choices.facts["rating"])
        return ByRating(at, fit(choices, hats(choices.facts["rating"], at), tied=tied))

    def weights(self, choices: Choices, groups: NDArray[np.int64]) -> Array:
        """Those of each mover's rating."""
        return self.fit.weights(hats(choices.facts["rating"], self.knots))

    def curves(self) -> list[Curve]:
        """One for each policy."""
        return _curves(self.knots, self.fit.theta)


@dataclass(frozen=True)
class ByTraits:
    """Curves over ratings, and what the traits of the position add to them."""

    knots: tuple[int, ...]
    scale: Scale
    fit: Fit
    """Its features are the hats of the knots, then the traits."""

    @staticmethod
    def fitted(choices: Choices) -> ByTraits:
        """The likeliest curves and numbers."""
        knots, traits = spread_knots(choices.facts["rating"]), _traits(choices)
        scale = Scale.of(traits)
        features = np.hstack([hats(choices.facts["rating"], knots), scale.apply(traits)])
        return ByTraits(knots, scale, fit(choices, features))

    def weights(self, choices: Choices, groups: NDArray[np.int64]) -> Array:
        """Those of each position."""
        traits = self.scale.apply(_traits(choices))
        return self.fit.weights(np.hstack([hats(choices.facts["rating"], self.knots), traits]))

    def curves(self) -> list[Curve]:
        """One for each policy, for positions whose traits are the mean ones."""
        return _curves(self.knots, self.fit.theta[:, : len(self.knots)])

    def by(self) -> Array:
        """[policies, traits]: what a spread of each trait adds."""
        return self.fit.theta[:, len(self.knots) :]


def pooled_logs(choices: Choices, weights: Array, kind: str = "geometric", beta: float = 1.0) -> Array:
    """[moves]: the pool's logarithms, without their constant, for weights [policies, positions]."""
    logs = choices.log_probabilities.astype(np.float64)
    return mean_of(kind, spread(weights, choices.offsets), logs, beta)


def spread_knots(ratings: NDArray[np.floating], count: int = _KNOTS) -> tuple[int, ...]:
    """Ratings from low to high ones, evenly; one alone where all are the same or unknown."""
    known = ratings[~np.isnan(ratings)]
    if not len(known):
        return (0,)
    low, high = np.quantile(known, [0.05, 0.95])
    return tuple(sorted({round(float(each)) for each in np.linspace(low, high, count)}))


def hats(ratings: NDArray[np.floating], knots: tuple[int, ...]) -> Array:
    """[ratings, knots]: how much of each knot's value a rating gets; unknown ones are in the middle."""
    at = np.where(np.isnan(ratings), (knots[0] + knots[-1]) / 2, ratings)
    return np.stack([np.interp(at, knots, row) for row in np.eye(len(knots))], axis=1)


def _curves(knots: tuple[int, ...], values: Array) -> list[Curve]:
    return [Curve(tuple(zip(map(float, knots), row.tolist(), strict=True))) for row in values]


def _traits(choices: Choices) -> Array:
    logs = choices.log_probabilities.astype(np.float64)
    return traits_of(logs, choices.offsets, choices.facts["ply"].astype(np.float64))
