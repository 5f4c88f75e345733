"""A policy that thinks: what a search makes of another policy, as a distribution over moves."""

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
    """KL-regularised search (Jacob et al. 2022): PUCT with the policy's own moves and values.

    With c_puct and n visits, PUCT's visits approach prior * exp(Q / lambda) at lambda = c_puct / sqrt(n).
    That is what this gives: at an infinite c_puct the policy itself, towards 0 the best value found.
    """

    policy: Policy
    c_puct: float
    nodes: int

    @property
    def name(self) -> str:
        """The policy's, and how far it looks."""
        return f"{self.policy.name}, c {self.c_puct:g}, {self.nodes} nodes"

    @property
    def game(self) -> str:
        """The policy's."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """What the search makes of each position. Raises ValueError where the policy has no values."""
        if math.isinf(self.c_puct):
            return self.policy.predict(positions)
        return [self._searched(position) for position in positions]

    def _searched(self, position: Position) -> Prediction:
        ratings = (position.rating, position.opponent_rating)

        def evaluator(states: Sequence[Any]) -> list[Prediction]:
            """Both players stay who they are, whoever is to move in the tree."""
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
            raise AssertionError("a new search asks about its root")
        return replace(result.evaluation, probabilities=shares, value=result.value)
