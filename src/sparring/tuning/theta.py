"""Theta: the parameters of a search that are tuned on people's moves (ACE, section 3)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Self

import numpy as np

from sparring.policies.segments import Array
from sparring.search.puct import PuctConfig


@dataclass(frozen=True)
class Theta:
    """Theta = (tau, t, c_puct) of the paper, and the share of people's moves that the search does not visit.

    A move is chosen with probability N^(1 / tau) / Z after a search with c_puct and the priors
    P = p^(1 / t) / Z. `choice_likelihood` has the role of epsilon.
    """

    temperature: float = 1.0
    """tau"""
    policy_temperature: float = 1.0
    """t"""
    c_puct: float = 1.5
    backoff: float = 0.1
    """epsilon"""

    def __post_init__(self) -> None:
        for name in ("temperature", "policy_temperature", "c_puct", "backoff"):
            value = getattr(self, name)
            if not (math.isfinite(value) and value > 0):
                raise ValueError(f"{name} = {value}: expected a number above 0")

    @property
    def searched(self) -> Array:
        """log(t, c_puct) [2]: what needs a search for every value."""
        return np.log([self.policy_temperature, self.c_puct])

    def with_searched(self, logs: Array) -> Self:
        """The same with other log(t, c_puct) [2]."""
        t, c_puct = np.exp(logs).tolist()
        return type(self)(self.temperature, t, c_puct, self.backoff)

    def with_choice(self, temperature: float, backoff: float) -> Self:
        """The same with another tau and epsilon."""
        return type(self)(temperature, self.policy_temperature, self.c_puct, backoff)

    def puct_config(self) -> PuctConfig:
        """The search: one leaf at a time, as in the textbook, so that a smaller search is the beginning of a
        larger one."""
        return PuctConfig(c_puct=self.c_puct, prior_temperature=self.policy_temperature, batch=1)
