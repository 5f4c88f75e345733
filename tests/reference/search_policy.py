"""A search as a policy: the reference for the studies' searches in batches."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparring.networks import Position, Prediction
from sparring.policies import Policy
from sparring.search.lockstep import search_together
from sparring.search.puct import PuctConfig
from studies.blend.searched import SelectionRule, selection_rule

_TREES = 1024
"""Positions that are searched together."""


@dataclass(frozen=True)
class SearchPolicy:
    """PUCT with a policy as evaluator, as a policy: the distribution that a rule makes of each search.

    Every position is searched leaf by leaf; many positions share the network's batches. With an infinite
    c_puct it is the policy itself.
    """

    policy: Policy
    """Gives priors and values; it needs a value head."""
    c_puct: float
    nodes: int
    """Visits per position."""
    rule: SelectionRule = "visits"
    """visits: N / n after n visits. regularised: lambda P / (alpha - Q), which the visits approach (Grill et
    al. 2020). kl: P exp(Q / lambda) / Z with lambda = c_puct / sqrt(n) (Jacob et al. 2022)."""

    @property
    def name(self) -> str:
        """The policy's name with c_puct, nodes and rule."""
        return f"{self.policy.name}, c {self.c_puct:g}, {self.nodes} nodes, {self.rule}"

    @property
    def game(self) -> str:
        """The policy's game."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """Searches each position. Raises ValueError if the policy gives no values."""
        if math.isinf(self.c_puct):
            return self.policy.predict(positions)
        config = PuctConfig(c_puct=self.c_puct, batch=1)
        selection = selection_rule(self.rule, self.c_puct, self.nodes)
        predictions = []
        for start in range(0, len(positions), _TREES):
            part = positions[start : start + _TREES]
            for result in search_together(self.policy, part, config, self.nodes):
                assert result.evaluation is not None
                shares = selection(result).astype(np.float32)
                predictions.append(replace(result.evaluation, probabilities=shares, value=result.value))
        return predictions
