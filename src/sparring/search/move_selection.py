"""Move selection: rules that turn a search result into a distribution over the root's moves.

N are the visits, Q the values and P the priors of the moves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparring.search.puct import SearchResult

Distribution = NDArray[np.float64]
"""[moves]: probabilities in the order of `SearchResult.moves`."""
MoveSelection = Callable[[SearchResult], Distribution]


def by_visits(temperature: float = 0.0) -> MoveSelection:
    """Selects by visits: p = N^(1 / tau) / sum N^(1 / tau) (AlphaZero; the ACE paper).

    At temperature tau = 0 it is the first move of `SearchResult.ranked`. Without visits it is P. Raises
    ValueError if tau < 0.
    """
    if not temperature >= 0:
        raise ValueError(f"temperature = {temperature}: expected a number >= 0")

    def rule(result: SearchResult) -> Distribution:
        if temperature == 0:
            return _one_hot(result, int(result.ranked()[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(result.visits / max(result.visits.max(), 1)) / temperature, result.priors)

    return rule


def kl_regularised(weight: float) -> MoveSelection:
    """Selects by regularised value: p = P exp(Q / lambda) / Z (Jacob et al. 2022).

    It maximises sum p Q - lambda KL(p || P). `weight` is lambda: infinity gives P, 0 the move with the
    highest Q. Moves without visits have the root's value. Raises ValueError if lambda < 0.
    """
    if not weight >= 0:
        raise ValueError(f"lambda = {weight}: expected a number >= 0")

    def rule(result: SearchResult) -> Distribution:
        values = np.where(np.isnan(result.values), result.value, result.values)
        if weight == 0:
            return _one_hot(result, int(np.lexsort((-result.priors, -values))[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(result.priors) + values / weight, result.priors)

    return rule


def prefer_proven(rule: MoveSelection) -> MoveSelection:
    """Adds proven results to a rule: the shortest proven win if there is one, and no proven losses if
    avoidable."""

    def with_proofs(result: SearchResult) -> Distribution:
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

    return with_proofs


def _one_hot(result: SearchResult, index: int) -> Distribution:
    shares: Distribution = np.zeros(len(result.moves))
    shares[index] = 1
    return shares


def _softmax(scores: NDArray[np.float64], priors: NDArray[np.float64]) -> Distribution:
    """Softmax of the scores; of the log priors if all scores are minus infinity."""
    best = scores.max()
    if not np.isfinite(best):
        scores, best = np.log(priors), np.log(priors.max())
    weights = np.exp(scores - best)
    shares: Distribution = weights / weights.sum()
    return shares
