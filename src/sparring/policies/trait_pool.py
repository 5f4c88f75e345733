"""A pool whose weights are different in every position: a few numbers say how they go with its traits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sparring.networks import Position, Prediction
from sparring.policies.policy import Policy
from sparring.policies.pool import check_games, pooled
from sparring.policies.segments import Array, Offsets
from sparring.policies.traits import Scale, ratings_of, trait_names, traits_of, weighted


@dataclass(frozen=True)
class TraitPool:
    """The geometric pool with weight = base + the sum of coefficient times scaled trait, for each policy.

    Since that is linear in the coefficients, the likelihood of people's moves stays convex in them.
    Raises ValueError where the parts do not go together.
    """

    name: str
    policies: tuple[Policy, ...]
    scale: Scale
    coefficients: tuple[tuple[float, ...], ...]
    """[policies, 1 + traits]: the base, then as `trait_names` orders them."""

    def __post_init__(self) -> None:
        check_games(self.policies)
        width = 1 + len(trait_names(len(self.policies)))
        if len(self.coefficients) != len(self.policies) or any(
            len(row) != width for row in self.coefficients
        ):
            raise ValueError(
                f"each of {len(self.policies)} policies needs a base and {width - 1} coefficients"
            )
        if len(self.scale.means) != width - 1 or min(self.scale.spreads) <= 0:
            raise ValueError(f"{width - 1} traits need their means, and spreads above 0")

    @property
    def game(self) -> str:
        """That of its policies."""
        return self.policies[0].game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The pooled predictions."""
        ratings = ratings_of([position.rating for position in positions])
        plies = np.array([position.state.ply for position in positions], np.float64)

        def mean(_: Array, logs: Array, offsets: Offsets) -> Array:
            traits = self.scale.apply(traits_of(logs, offsets, ratings, plies))
            return weighted(np.array(self.coefficients) @ traits.T, logs, offsets)

        said = [policy.predict(positions) for policy in self.policies]
        return pooled(np.ones((len(self.policies), len(positions))), said, mean)
