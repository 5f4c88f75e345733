"""The gradient of the tuning's loss through the regularised policy, which needs no further searches.

The visits of PUCT approach n * pbar, pbar = lambda P / (alpha - Q) with lambda = c_puct sqrt(n) / (moves + n)
(Grill et al. 2020). With the values Q of one search held fixed, pbar is a smooth function of t and c_puct.
Its gradient leaves out that t and c_puct also change Q, and is biased towards more c_puct.
"""

from __future__ import annotations

import numpy as np

from sparring.measure.scores import best_beta
from sparring.measure.tuning import Theta, VisitData
from sparring.policies.policy import Array, Offsets, segment_log_softmax, segment_repeat, segment_sum


def regularised_gradient(data: VisitData, theta: Theta) -> Array:
    """The gradient of each position's loss in log(t, c_puct) through the regularised policy: [positions, 2].

    The loss is that of pbar in place of the visits, at its own best tau: there the gradient is also that of
    the loss with tau fitted (the envelope theorem). pbar is positive everywhere and needs no epsilon.
    """
    offsets = data.offsets
    priors = data.priors(theta.policy_temperature)
    totals = segment_sum(data.visits[data.nodes], offsets)
    policy, gaps = regularised_policies(priors, data.values, totals, theta.c_puct, offsets)
    # d log P / d log t = -(log p - sum P log p) / t, and d log lambda / d log c_puct = 1.
    mean_log = segment_repeat(segment_sum(priors * data.log_policy, offsets), offsets)
    log_prior_by_t = -(data.log_policy - mean_log) / theta.policy_temperature
    logs = np.log(np.maximum(policy, 1e-12))
    beta = best_beta(logs, offsets, data.played)
    shares = np.exp(segment_log_softmax(beta * logs, offsets))
    columns = []
    for push in (log_prior_by_t, np.ones(len(policy))):
        # alpha keeps the sum at 1: d alpha = sum pbar push / sum pbar / (alpha - Q).
        alpha = segment_sum(policy * push, offsets) / segment_sum(policy / gaps, offsets)
        relative = push - segment_repeat(alpha, offsets) / gaps  # d log pbar
        columns.append(-beta * (relative[data.played] - segment_sum(shares * relative, offsets)))
    return np.stack(columns, axis=1)


def regularised_policies(
    priors: Array, values: Array, visits: Array, c_puct: float, offsets: Offsets
) -> tuple[Array, Array]:
    """pbar [moves] of all positions, and alpha - Q [moves]; `visits` [positions] are those of all moves.

    alpha is found by bisection, as in `search.move_selection.reverse_kl_policy`.
    """
    moves = np.diff(offsets)
    weights = segment_repeat(
        c_puct * np.sqrt(np.maximum(visits, 1)) / (moves + np.maximum(visits, 1)), offsets
    )
    low = np.maximum.reduceat(values + weights * priors, offsets[:-1])
    high = np.maximum.reduceat(values + weights, offsets[:-1])
    for _ in range(60):
        middle = (low + high) / 2
        shares = weights * priors / np.maximum(segment_repeat(middle, offsets) - values, 1e-12)
        large = segment_sum(shares, offsets) > 1
        low, high = np.where(large, middle, low), np.where(large, high, middle)
    gaps = np.maximum(segment_repeat(high, offsets) - values, 1e-12)
    policy = weights * priors / gaps
    return policy / segment_repeat(segment_sum(policy, offsets), offsets), gaps
