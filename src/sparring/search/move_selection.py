"""Move selection: rules that turn a search result into a distribution over the root's moves.

P are the priors, Q the values and N the visits of the moves.

- `by_visits`: N^(1 / tau), the rule of AlphaZero and of the ACE paper.
- `regularised_policy`: lambda P / (alpha - Q), the policy that PUCT's visits approach (Grill et al. 2020).
- `kl_regularised`: P exp(Q / lambda), the best policy near the prior (Jacob et al. 2022).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sparring.search.puct import SearchResult

Distribution = NDArray[np.float64]
"""[moves]: probabilities in the order of `SearchResult.moves`."""
MoveSelection = Callable[[SearchResult], Distribution]


def by_visits(
    temperature: float = 0.0, *, unvisited_share: float = 0.0, policy_temperature: float = 1.0
) -> MoveSelection:
    """Selects by visits: p = N^(1 / tau) / sum N^(1 / tau) (AlphaZero; the ACE paper).

    At temperature tau = 0 it is the first move of `SearchResult.ranked`. Without visits it is P. The
    `unvisited_share` epsilon of the probability goes to the moves without visits, where there are any, in
    proportion to the policy P^t; `policy_temperature` is t, by which the priors are P = p^(1 / t) / Z
    (`tuning.choice_likelihood` fits epsilon). Raises ValueError if tau < 0.
    """
    _check_temperature(temperature)

    def rule(result: SearchResult) -> Distribution:
        if temperature == 0:
            return _one_hot(result, int(result.ranked()[0]))
        with np.errstate(divide="ignore"):
            shares = _softmax(
                np.log(result.visits / max(result.visits.max(), 1)) / temperature, result.priors
            )
        others = np.where(result.visits > 0, 0.0, result.priors.astype(np.float64) ** policy_temperature)
        if unvisited_share == 0 or not result.visits.any() or not others.any():
            return shares
        return np.asarray((1 - unvisited_share) * shares + unvisited_share * others / others.sum())

    return rule


def regularised_policy(c_puct: float, temperature: float = 1.0) -> MoveSelection:
    """Selects by the regularised policy p = lambda P / (alpha - Q), to the power 1 / tau (Grill et al. 2020).

    It maximises sum p Q - lambda KL(P || p). lambda = c_puct sqrt(n) / (moves + n) after n visits, and alpha
    makes it sum to 1. PUCT's visits approach it. Moves without visits have the root's value. An infinite
    c_puct gives P. Raises ValueError if c_puct or tau < 0.
    """
    _check_temperature(temperature)
    if not c_puct >= 0:
        raise ValueError(f"c_puct = {c_puct}: expected a number >= 0")

    def rule(result: SearchResult) -> Distribution:
        visits = float(result.visits.sum())
        weight = c_puct * np.sqrt(visits) / (len(result.moves) + visits)
        policy = reverse_kl_policy(result.priors, filled_values(result), weight)
        if temperature == 0:
            return _one_hot(result, int(np.lexsort((-result.priors, -policy))[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(policy) / temperature, result.priors)

    return rule


def kl_regularised(weight: float) -> MoveSelection:
    """Selects by regularised value: p = P exp(Q / lambda) / Z (Jacob et al. 2022).

    It maximises sum p Q - lambda KL(p || P). `weight` is lambda: infinity gives P, 0 the move with the
    highest Q. Moves without visits have the root's value. Raises ValueError if lambda < 0.
    """
    if not weight >= 0:
        raise ValueError(f"lambda = {weight}: expected a number >= 0")

    def rule(result: SearchResult) -> Distribution:
        values = filled_values(result)
        if weight == 0:
            return _one_hot(result, int(np.lexsort((-result.priors, -values))[0]))
        with np.errstate(divide="ignore"):
            return _softmax(np.log(result.priors) + values / weight, result.priors)

    return rule


def reverse_kl_policy(priors: Distribution, values: Distribution, weight: float) -> Distribution:
    """weight * P / (alpha - Q) [moves], with alpha found by bisection so that it sums to 1.

    With weight 0, the limit, it shares all between the moves with the highest Q, in proportion to P.
    """
    if not np.isfinite(weight):
        return np.asarray(priors / priors.sum())
    if weight <= 0:
        best = np.where(values == values.max(), np.maximum(priors, 1e-300), 0)
        return np.asarray(best / best.sum())
    low = float((values + weight * priors).max())  # here the largest share alone is 1
    high = float(values.max() + weight * priors.sum())
    for _ in range(100):
        alpha = (low + high) / 2
        if alpha in (low, high):
            break
        if _shares(priors, values, weight, alpha).sum() > 1:
            low = alpha
        else:
            high = alpha
    policy = _shares(priors, values, weight, high)
    return np.asarray(policy / policy.sum())


def filled_values(result: SearchResult) -> Distribution:
    """The values of the moves; moves without visits have the root's."""
    return np.where(np.isnan(result.values), result.value, result.values)


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


def _check_temperature(temperature: float) -> None:
    if not temperature >= 0:
        raise ValueError(f"temperature = {temperature}: expected a number >= 0")


def _shares(priors: Distribution, values: Distribution, weight: float, alpha: float) -> Distribution:
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(priors > 0, weight * priors / (alpha - values), 0.0)


def _one_hot(result: SearchResult, index: int) -> Distribution:
    return np.asarray(np.arange(len(result.moves)) == index, np.float64)


def _softmax(scores: NDArray[np.float64], priors: NDArray[np.float64]) -> Distribution:
    """Softmax of the scores; of the log priors if all scores are minus infinity."""
    best = scores.max()
    if not np.isfinite(best):
        scores, best = np.log(priors), np.log(priors.max())
    weights = np.exp(scores - best)
    return np.asarray(weights / weights.sum())
