"""Two gradients of the loss in x = log(t, c_puct): finite differences, and through the regularised policy.

Finite differences (the paper's line 7) search the same positions at x + d and x - d. The search has no
randomness of its own, so both sides share everything but the step: common random numbers. Visits are
integers, and d must be large enough to move some of them: d = 0.2 changes t or c_puct by 22 %.

The visits of PUCT approach n * pbar, pbar = lambda P / (alpha - Q) with lambda = c_puct sqrt(n) / (moves + n)
(Grill et al. 2020). With the values Q of one search held fixed, pbar is a smooth function of t and c_puct.
Its gradient needs no further search. It leaves out that t and c_puct also change Q.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sparring.policies.segments import Array, Offsets, segment_log_softmax, segment_repeat, segment_sum
from sparring.tuning.choice_likelihood import best_beta, cross_entropy, fit_choice
from sparring.tuning.theta import Theta
from sparring.tuning.visits import VisitData

STEP = 0.2
"""Half of the distance of finite differences, in log t and log c_puct."""
Searcher = Callable[[Theta], VisitData]


@dataclass(frozen=True)
class Differences:
    """Losses on both sides of Theta, in log t and in log c_puct, with the best tau and epsilon of each."""

    above: Array
    """[positions, 2]"""
    below: Array
    """[positions, 2]"""
    step: float

    @property
    def gradient(self) -> Array:
        """Central differences of each position's loss [positions, 2]."""
        found: Array = (self.above - self.below) / (2 * self.step)
        return found

    def curvature(self, losses: Array) -> Array:
        """Second differences of the mean loss [2]; `losses` [positions] are those at Theta."""
        found: Array = (self.above + self.below - 2 * losses[:, None]).mean(axis=0) / self.step**2
        return found


def search_differences(search: Searcher, theta: Theta, step: float = STEP) -> Differences:
    """The losses at log t and log c_puct plus and minus `step`: four searches."""

    def losses(axis: Array) -> Array:
        moved = theta.with_searched(theta.searched + step * axis)
        found = search(moved)
        choice = fit_choice(found, moved.policy_temperature)
        return cross_entropy(found, moved.with_choice(choice.temperature, choice.backoff))

    above, below = (np.stack([losses(sign * axis) for axis in np.eye(2)], axis=1) for sign in (1, -1))
    return Differences(above, below, step)


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
