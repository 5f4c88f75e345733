"""A geometric pool whose weights depend on features of the position (feature-weighted stacking)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparring.networks import Position, Prediction
from sparring.policies.features import (
    FeatureScaler,
    geometric_pool,
    position_feature_names,
    position_features,
)
from sparring.policies.pool import PoolMember, check_same_game, pool_predictions, weights_at
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

        def mean(_: Array, logs: Array, offsets: Offsets) -> Array:
            traits = self.scale.apply(position_features(logs, offsets, plies))
            return geometric_pool(base_weights + np.array(self.by) @ traits.T, logs, offsets)

        predictions = [member.policy.predict(positions) for member in self.members]
        return pool_predictions(np.ones_like(base_weights), predictions, mean)
