"""A search as a policy."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.networks import Position, Prediction
from sparring.policies import Policy
from sparring.search.limits import SearchLimits
from sparring.search.move_selection import kl_regularised
from sparring.search.puct import Puct, PuctConfig


@dataclass(frozen=True)
class SearchPolicy:
    """KL-regularised search (Jacob et al. 2022): PUCT with a policy as evaluator.

    The distribution is P exp(Q / lambda) / Z with lambda = c_puct / sqrt(n) after n visits, which PUCT's
    visits approach. With an infinite c_puct it is the policy itself; as c_puct goes to 0 it is the best
    move.
    """

    policy: Policy
    """Gives priors and values; it needs a value head."""
    c_puct: float
    nodes: int
    """Visits per position."""

    @property
    def name(self) -> str:
        """The policy's name with c_puct and nodes."""
        return f"{self.policy.name}, c {self.c_puct:g}, {self.nodes} nodes"

    @property
    def game(self) -> str:
        """The policy's game."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """Searches each position. Raises ValueError if the policy gives no values."""
        if math.isinf(self.c_puct):
            return self.policy.predict(positions)
        return [self._searched(position) for position in positions]

    def _searched(self, position: Position) -> Prediction:
        ratings = (position.rating, position.opponent_rating)

        def evaluator(states: Sequence[Any]) -> list[Prediction]:
            """Gives each side of the tree its own rating."""
            sides = [
                ratings if state.to_move == position.state.to_move else ratings[::-1] for state in states
            ]
            return self.policy.predict(
                [Position(state, *side) for state, side in zip(states, sides, strict=True)]
            )

        search = Puct(evaluator, PuctConfig(c_puct=self.c_puct, batch=8), np.random.default_rng(0))
        result = search.search(position.state, SearchLimits(nodes=self.nodes))
        shares = kl_regularised(self.c_puct / math.sqrt(self.nodes))(result).astype(np.float32)
        if result.evaluation is None:
            raise AssertionError("a new search evaluates its root")
        return replace(result.evaluation, probabilities=shares, value=result.value)
