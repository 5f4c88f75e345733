"""How a move is chosen from what a search found: each rule gives a distribution over the root's moves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparring.search.puct import Found

Distribution = NDArray[np.float64]
ChoiceRule = Callable[[Found], Distribution]


def by_visits(temperature: float = 0.0) -> ChoiceRule:
    """N^(1/tau), the ACE paper's choice; at 0 the first of `Found.ranked`."""
    if not temperature >= 0:
        raise ValueError("a temperature is not below 0")

    def rule(found: Found) -> Distribution:
        if temperature == 0:
            return _certain(found, int(found.ranked()[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(found.visits / max(found.visits.max(), 1)) / temperature, found.priors)

    return rule


def kl_regularised(weight: float) -> ChoiceRule:
    """prior * exp(Q / lambda), the closed form of maximising Q while staying near the prior.

    A move that was not visited is taken for the root's value. An infinite lambda is the prior itself, 0 the
    best value.
    """
    if not weight >= 0:
        raise ValueError("lambda is not below 0")

    def rule(found: Found) -> Distribution:
        values = np.where(np.isnan(found.values), found.value, found.values)
        if weight == 0:
            return _certain(found, int(np.lexsort((-found.priors, -values))[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(found.priors) + values / weight, found.priors)

    return rule


def seeing_the_end(rule: ChoiceRule) -> ChoiceRule:
    """The quickest win by force, where one was found; else as the rule says, without moves that lose by force
    while there are others."""

    def seeing(found: Found) -> Distribution:
        if (found.forced > 0).any():
            return _certain(found, int(found.ranked()[0]))
        shares = rule(found)
        lost = found.forced < 0
        if lost.all() or not lost.any():
            return shares
        shares = np.where(lost, 0, shares)
        if not shares.any():
            shares = np.where(lost, 0, found.priors)
        return shares / shares.sum() if shares.any() else _certain(found, int(found.ranked()[0]))

    return seeing


def _certain(found: Found, index: int) -> Distribution:
    shares: Distribution = np.zeros(len(found.moves))
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
