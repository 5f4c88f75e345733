"""Models of pool weights: by group, as a curve over ratings, or by position features."""

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
    """Gives the weight of each policy in each position."""

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """The weights [policies, positions]; `groups` [positions] is the group of each position."""
        ...


@dataclass(frozen=True)
class GroupWeights:
    """The same weights in all positions of a group."""

    table: Array
    """[groups, policies]"""

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """The weights of each position's group."""
        return self.table[groups].T


@dataclass(frozen=True)
class AlphaWeights:
    """The blend paper's weights alpha and 1 - alpha, with alpha as a curve over ratings."""

    alpha: Curve

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64] | None = None) -> Array:
        """The weights for the rating of each player to move."""
        ratings = choices.metadata["rating"].tolist()
        first = self.alpha.at_all([None if np.isnan(rating) else rating for rating in ratings])
        return np.stack([first, 1 - first])

    def mean_nll(self, choices: ChoiceData) -> float:
        """The mean negative log-likelihood in nats."""
        logs = segment_log_softmax(pooled_logs(choices, self.weights(choices)), choices.offsets)
        return float(-logs[choices.played].mean())


@dataclass(frozen=True)
class RatingWeights:
    """One piecewise linear curve over ratings per policy, as `Curve` and TOML files have it."""

    knots: tuple[int, ...]
    """Ascending ratings; a single knot means constant weights."""
    fit: Fit

    @staticmethod
    def fitted(
        choices: ChoiceData, *, constrained: bool = False, knots: tuple[int, ...] | None = None
    ) -> RatingWeights:
        """Maximum likelihood curves; without `knots` they are spread over the ratings of the data."""
        at = knots or place_knots(choices.metadata["rating"])
        return RatingWeights(
            at, fit(choices, hat_basis(choices.metadata["rating"], at), constrained=constrained)
        )

    def features(self, choices: ChoiceData) -> Array:
        """The features [positions, features] of which the weights are linear functions."""
        return hat_basis(choices.metadata["rating"], self.knots)

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """The weights for the rating of each player to move."""
        return self.fit.weights(self.features(choices))

    def curves(self) -> list[Curve]:
        """One curve per policy."""
        return _curves(self.knots, self.fit.theta)


@dataclass(frozen=True)
class PositionWeights:
    """Curves over ratings plus a linear function of the position's features."""

    knots: tuple[int, ...]
    scale: FeatureScaler
    fit: Fit
    """Its features are the hat functions of the knots, then the position features."""

    @staticmethod
    def fitted(choices: ChoiceData) -> PositionWeights:
        """Maximum likelihood curves and coefficients."""
        knots, traits = place_knots(choices.metadata["rating"]), _traits(choices)
        scale = FeatureScaler.of(traits)
        features = np.hstack([hat_basis(choices.metadata["rating"], knots), scale.apply(traits)])
        return PositionWeights(knots, scale, fit(choices, features))

    def features(self, choices: ChoiceData) -> Array:
        """The features [positions, features] of which the weights are linear functions."""
        traits = self.scale.apply(_traits(choices))
        return np.hstack([hat_basis(choices.metadata["rating"], self.knots), traits])

    def weights(self, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
        """The weights in each position."""
        return self.fit.weights(self.features(choices))

    def curves(self) -> list[Curve]:
        """One curve per policy, for a position with mean features."""
        return _curves(self.knots, self.fit.theta[:, : len(self.knots)])

    def trait_coefficients(self) -> Array:
        """[policies, features]: the change of the weight per standard deviation of a feature."""
        return self.fit.theta[:, len(self.knots) :]


def pooled_logs(choices: ChoiceData, weights: Array, kind: str = "geometric", beta: float = 1.0) -> Array:
    """Unnormalised log-probabilities [moves] of the pool with weights [policies, positions]."""
    logs = choices.log_probabilities.astype(np.float64)
    return pool_log_probabilities(kind, segment_repeat(weights, choices.offsets), logs, beta)


def place_knots(ratings: NDArray[np.floating], count: int = _KNOTS) -> tuple[int, ...]:
    """Evenly spaced knots from the 5 % to the 95 % quantile of the ratings; one knot if all are equal or
    unknown."""
    known = ratings[~np.isnan(ratings)]
    if not len(known):
        return (0,)
    low, high = np.quantile(known, [0.05, 0.95])
    return tuple(sorted({round(float(each)) for each in np.linspace(low, high, count)}))


def hat_basis(ratings: NDArray[np.floating], knots: tuple[int, ...]) -> Array:
    """The hat functions [ratings, knots] at these ratings; unknown ratings are put at the middle."""
    at = np.where(np.isnan(ratings), (knots[0] + knots[-1]) / 2, ratings)
    return np.stack([np.interp(at, knots, row) for row in np.eye(len(knots))], axis=1)


def _curves(knots: tuple[int, ...], values: Array) -> list[Curve]:
    return [Curve(tuple(zip(map(float, knots), row.tolist(), strict=True))) for row in values]


def _traits(choices: ChoiceData) -> Array:
    logs = choices.log_probabilities.astype(np.float64)
    return position_features(logs, choices.offsets, choices.metadata["ply"].astype(np.float64))
