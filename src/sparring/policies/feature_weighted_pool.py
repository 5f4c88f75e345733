"""A geometric pool whose weights depend on features of the position (feature-weighted stacking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparring.networks import Position, Prediction
from sparring.networks.batches import PositionBatch, PredictionBatch
from sparring.policies.features import (
    FeatureScaler,
    geometric_pool,
    position_feature_names,
    position_features,
)
from sparring.policies.policy import known_ratings
from sparring.policies.pool import (
    MAX_WEIGHT,
    PoolingFunction,
    PoolMember,
    check_same_game,
    pool_batch,
    pool_predictions,
    weights_at,
    weights_of_ratings,
)
from sparring.policies.segments import Array, Offsets


@dataclass(frozen=True)
class FeatureWeightedPool:
    """The geometric pool with weights w_k(position) = w_k(rating) + by_k . features(position), features
    scaled.

    The log-probabilities are linear in the coefficients, so the likelihood of people's moves is log-concave
    in them.

    Raises ValueError if the shapes of members, coefficients and scaler do not agree.
    """

    name: str
    members: tuple[PoolMember, ...]
    scale: FeatureScaler
    by: tuple[tuple[float, ...], ...]
    """[members, features]: change of the weight per standard deviation of each feature, in the order of
    `position_feature_names`."""

    def __post_init__(self) -> None:
        check_same_game([member.policy for member in self.members])
        width = len(position_feature_names(len(self.members)))
        coefficients = [value for row in self.by for value in row]
        curves = [value for member in self.members for value in member.weight.values]
        if not all(abs(value) <= MAX_WEIGHT for value in (*curves, *coefficients)):
            raise ValueError(f"a weight is a number from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}")
        if [len(row) for row in self.by] != [width] * len(self.members):
            raise ValueError(f"each of {len(self.members)} policies needs {width} numbers for its traits")
        if len(self.scale.means) != width or len(self.scale.stds) != width or min(self.scale.stds) <= 0:
            raise ValueError(f"{width} traits need their means, and spreads above 0")

    @property
    def game(self) -> str:
        """The game of the members."""
        return self.members[0].policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The pooled predictions, one per position."""
        plies = np.array([position.state.ply for position in positions], np.float64)
        base_weights = weights_at(self.members, positions)
        predictions = [member.policy.predict(positions) for member in self.members]
        return pool_predictions(np.ones_like(base_weights), predictions, self._mean(base_weights, plies))

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The pooled predictions for a batch of positions."""
        base_weights = weights_of_ratings(self.members, known_ratings(batch))
        mean = self._mean(base_weights, batch.states.plies.astype(np.float64))
        policies = [member.policy for member in self.members]
        return pool_batch(batch, policies, np.ones_like(base_weights), mean)

    def _mean(self, base_weights: Array, plies: Array) -> PoolingFunction:
        """The geometric pool with the weights that the features of each position give."""

        def mean(_: Array, logs: Array, offsets: Offsets) -> Array:
            features = self.scale.apply(position_features(logs, offsets, plies))
            return geometric_pool(base_weights + np.array(self.by) @ features.T, logs, offsets)

        return mean
