"""Ways to weigh policies in every position: by group, along a curve over ratings, or by its traits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.blending.likelihood import Fit, fit
from sparring.matching import ChoiceData
from sparring.policies import Curve
from sparring.policies.features import FeatureScaler, position_features
from sparring.policies.pool import pool_log_probabilities
from sparring.policies.segments import Array, segment_log_softmax, segment_repeat

_KNOTS = 3


class WeightModel(Protocol):
    """Says how much each policy counts in each position."""

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """[policies, positions]; groups [positions] are numbers."""
        ...


@dataclass(frozen=True)
class GroupWeights:
    """The same weights in all positions of a group."""

    table: Array
    """[groups, policies]"""

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """Those of each position's group."""
        return self.table[groups].T


@dataclass(frozen=True)
class AlphaWeights:
    """The paper's two weights, alpha and 1 - alpha, with alpha along a curve."""

    alpha: Curve

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64] | None = None) -> Array:
        """Those of each mover's rating."""
        ratings = choices.metadata["rating"].tolist()
        first = self.alpha.at_all([None if np.isnan(rating) else rating for rating in ratings])
        return np.stack([first, 1 - first])

    def mean_nll(self, choices: ChoiceData) -> float:
        """The mean negative log-likelihood."""
        logs = segment_log_softmax(pooled_logs(choices, self.weights(choices)), choices.offsets)
        return float(-logs[choices.played].mean())


@dataclass(frozen=True)
class RatingWeights:
    """Straight lines between ratings, one for each policy: what `Curve` is, and what a TOML file can say."""

    knots: tuple[int, ...]
    """Ratings, ascending; one alone means that ratings are not looked at."""
    fit: Fit

    @staticmethod
    def fitted(
        choices: ChoiceData, *, constrained: bool = False, knots: tuple[int, ...] | None = None
    ) -> RatingWeights:
        """The likeliest curves; knots are spread over the ratings unless they are given."""
        at = knots or place_knots(choices.metadata["rating"])
        return RatingWeights(
            at, fit(choices, hat_basis(choices.metadata["rating"], at), constrained=constrained)
        )

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """Those of each mover's rating."""
        return self.fit.weights(hat_basis(choices.metadata["rating"], self.knots))

    def curves(self) -> list[Curve]:
        """One for each policy."""
        return _curves(self.knots, self.fit.theta)


@dataclass(frozen=True)
class PositionWeights:
    """Curves over ratings, and what the traits of the position add to them."""

    knots: tuple[int, ...]
    scale: FeatureScaler
    fit: Fit
    """Its features are the hats of the knots, then the traits."""

    @staticmethod
    def fitted(choices: ChoiceData) -> PositionWeights:
        """The likeliest curves and numbers."""
        knots, traits = place_knots(choices.metadata["rating"]), _traits(choices)
        scale = FeatureScaler.of(traits)
        features = np.hstack([hat_basis(choices.metadata["rating"], knots), scale.apply(traits)])
        return PositionWeights(knots, scale, fit(choices, features))

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """Those of each position."""
        traits = self.scale.apply(_traits(choices))
        return self.fit.weights(np.hstack([hat_basis(choices.metadata["rating"], self.knots), traits]))

    def curves(self) -> list[Curve]:
        """One for each policy, for positions whose traits are the mean ones."""
        return _curves(self.knots, self.fit.theta[:, : len(self.knots)])

    def trait_coefficients(self) -> Array:
        """[policies, traits]: what a spread of each trait adds."""
        return self.fit.theta[:, len(self.knots) :]


def pooled_logs(choices: ChoiceData, weights: Array, kind: str = "geometric", beta: float = 1.0) -> Array:
    """[moves]: the pool's logarithms, without their constant, for weights [policies, positions]."""
    logs = choices.log_probabilities.astype(np.float64)
    return pool_log_probabilities(kind, segment_repeat(weights, choices.offsets), logs, beta)


def place_knots(ratings: NDArray[np.floating], count: int = _KNOTS) -> tuple[int, ...]:
    """Ratings from low to high ones, evenly; one alone where all are the same or unknown."""
    known = ratings[~np.isnan(ratings)]
    if not len(known):
        return (0,)
    low, high = np.quantile(known, [0.05, 0.95])
    return tuple(sorted({round(float(each)) for each in np.linspace(low, high, count)}))


def hat_basis(ratings: NDArray[np.floating], knots: tuple[int, ...]) -> Array:
    """[ratings, knots]: how much of each knot's value a rating gets; unknown ones are in the middle."""
    at = np.where(np.isnan(ratings), (knots[0] + knots[-1]) / 2, ratings)
    return np.stack([np.interp(at, knots, row) for row in np.eye(len(knots))], axis=1)


def _curves(knots: tuple[int, ...], values: Array) -> list[Curve]:
    return [Curve(tuple(zip(map(float, knots), row.tolist(), strict=True))) for row in values]


def _traits(choices: ChoiceData) -> Array:
    logs = choices.log_probabilities.astype(np.float64)
    return position_features(logs, choices.offsets, choices.metadata["ply"].astype(np.float64))
