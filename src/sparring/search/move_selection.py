"""How a move is chosen from what a search found: each rule gives a distribution over the root's moves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparring.search.puct import SearchResult

Distribution = NDArray[np.float64]
MoveSelection = Callable[[SearchResult], Distribution]


def by_visits(temperature: float = 0.0) -> MoveSelection:
    """N^(1/tau), the ACE paper's choice; at 0 the first of `SearchResult.ranked`."""
    if not temperature >= 0:
        raise ValueError("a temperature is not below 0")

    def rule(result: SearchResult) -> Distribution:
        if temperature == 0:
            return _one_hot(result, int(result.ranked()[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(result.visits / max(result.visits.max(), 1)) / temperature, result.priors)

    return rule


def kl_regularised(weight: float) -> MoveSelection:
    """prior * exp(Q / lambda), the closed form of maximising Q while staying near the prior.

    A move that was not visited is taken for the root's value. An infinite lambda is the prior itself, 0 the
    best value.
    """
    if not weight >= 0:
        raise ValueError("lambda is not below 0")

    def rule(result: SearchResult) -> Distribution:
        values = np.where(np.isnan(result.values), result.value, result.values)
        if weight == 0:
            return _one_hot(result, int(np.lexsort((-result.priors, -values))[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(result.priors) + values / weight, result.priors)

    return rule


def prefer_proven(rule: MoveSelection) -> MoveSelection:
    """The quickest win by force, where one was found; else as the rule says, without moves that lose by force
    while there are others."""

    def seeing(result: SearchResult) -> Distribution:
        if (result.forced > 0).any():
            return _one_hot(result, int(result.ranked()[0]))
        shares = rule(result)
        lost = result.forced < 0
        if lost.all() or not lost.any():
            return shares
        shares = np.where(lost, 0, shares)
        if not shares.any():
            shares = np.where(lost, 0, result.priors)
        return shares / shares.sum() if shares.any() else _one_hot(result, int(result.ranked()[0]))

    return seeing


def _one_hot(result: SearchResult, index: int) -> Distribution:
    shares: Distribution = np.zeros(len(result.moves))
    shares[index] = 1
    return shares


def _softmax(scores: NDArray[np.float64], priors: NDArray[np.float64]) -> Distribution:
    """Of scores that may all be minus infinity: then the priors."""
    best = scores.max()
    if not np.isfinite(best):
        scores, best = np.log(priors), np.log(priors.max())
    weights = np.exp(scores - best)
    shares: Distribution = weights / weights.sum()
    return shares
