"""The cross-entropy between people's moves and a search's move distribution, and its exact minimum in tau.

A share 1 - epsilon of people's moves is expected among the moves that the search visited, where p(move) =
N^(1 / tau) / Z (ACE, section 3). The share epsilon backs off to the policy over the moves without visits, as
language models do for words that they have not seen (Katz 1987): otherwise one such move would cost an
infinite loss. Both parts are fitted exactly from stored visits. epsilon is the share of people's moves
without visits. With beta = 1 / tau the rest is log Z(beta) - beta log N, convex in beta: Newton's method
finds its one minimum. The player of a class plays both parts (`search.move_selection.by_visits`).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.policies.segments import (
    Array,
    Offsets,
    segment_log_softmax,
    segment_offsets,
    segment_repeat,
    segment_sum,
)
from sparring.tuning.theta import Theta
from sparring.tuning.visits import VisitData

_BETAS = (1e-3, 50.0)
_LEAST_BACKOFF = 1e-4


@dataclass(frozen=True)
class Choices:
    """A search's weights of moves at one size, cut into visited moves and the others."""

    weights: Array
    """[moves]: visits; the priors where a position has none, as a player without search has it."""
    log_policy: Array
    """[moves]"""
    offsets: Offsets
    played: NDArray[np.int64]

    @classmethod
    def of(cls, data: VisitData, policy_temperature: float, nodes: int | None = None) -> Choices:
        """The weights after `nodes` nodes (default: all)."""
        visits = data.visits[data.nodes if nodes is None else nodes]
        unsearched = segment_repeat(segment_sum(visits, data.offsets) == 0, data.offsets)
        weights = np.where(unsearched, data.priors(policy_temperature), visits)
        return cls(weights, data.log_policy, data.offsets, data.played)

    @property
    def hits(self) -> NDArray[np.bool_]:
        """[positions]: whether the move played has visits."""
        return self.weights[self.played] > 0

    @property
    def open(self) -> NDArray[np.bool_]:
        """[positions]: whether some legal move has no visits."""
        return segment_sum((self.weights == 0).astype(np.float64), self.offsets) > 0

    def visited(self) -> tuple[Array, Offsets, NDArray[np.int64]]:
        """The logarithms of the weights of visited moves, in the positions whose move was visited; their
        offsets; and the moves played."""
        hits = self.hits
        kept = (self.weights > 0) & segment_repeat(hits, self.offsets)
        places = np.cumsum(kept) - 1
        counts = segment_sum(kept.astype(np.float64), self.offsets)[hits]
        return np.log(self.weights[kept]), segment_offsets(counts.astype(np.int64)), places[self.played[hits]]

    def losses(self, temperature: float, backoff: float) -> Array:
        """-log p(move played) in nats [positions]."""
        hits, some_open = self.hits, self.open
        found = np.zeros(len(self.played))
        logs, offsets, played = self.visited()
        if len(played):
            found[hits] = -segment_log_softmax(logs / temperature, offsets)[played]
        found[hits & some_open] -= np.log1p(-backoff)
        others = np.where(self.weights == 0, self.log_policy, -1e9)
        found[~hits] = -segment_log_softmax(others, self.offsets)[self.played[~hits]] - np.log(backoff)
        return found


@dataclass(frozen=True)
class ChoiceFit:
    """The best tau and epsilon for some searches."""

    temperature: float
    backoff: float
    loss: float
    """Mean loss in nats."""


def cross_entropy(data: VisitData, theta: Theta, nodes: int | None = None) -> Array:
    """The loss -log p(move played) in nats [positions], after `nodes` nodes (default: all)."""
    return Choices.of(data, theta.policy_temperature, nodes).losses(theta.temperature, theta.backoff)


def fit_choice(data: VisitData, policy_temperature: float, nodes: int | None = None) -> ChoiceFit:
    """The tau and epsilon that minimise the mean loss, exactly."""
    choices = Choices.of(data, policy_temperature, nodes)
    missed, possible = float((~choices.hits).sum()), float(choices.open.sum())
    backoff = float(np.clip(missed / max(possible, 1), _LEAST_BACKOFF, 1 - _LEAST_BACKOFF))
    logs, offsets, played = choices.visited()
    temperature = 1 / best_beta(logs, offsets, played) if len(played) else 1.0
    return ChoiceFit(temperature, backoff, float(choices.losses(temperature, backoff).mean()))


def best_beta(logs: Array, offsets: Offsets, played: NDArray[np.int64]) -> float:
    """The beta that minimises the mean of log sum exp(beta logs) - beta logs[played].

    Newton's method, kept inside the bounds by bisection: the mean is convex in beta.
    """
    low, high = _BETAS
    beta = 1.0
    for _ in range(60):
        shares = np.exp(segment_log_softmax(beta * logs, offsets))
        means = segment_sum(shares * logs, offsets)
        slope = float((means - logs[played]).mean())
        gaps = logs - segment_repeat(means, offsets)
        bend = float(segment_sum(shares * gaps * gaps, offsets).mean())
        if slope > 0:
            high = beta
        else:
            low = beta
        following = beta - slope / bend if bend > 0 else low
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - beta) < 1e-9 * beta:
            break
        beta = following
    return beta
