"""The improved policy of a Gumbel search.

The formulas are those of Danihelka et al. 2022, "Policy improvement by planning with Gumbel". The moves of
the root are chosen by sequential halving in the native tree (`core/search/gumbel.hpp`). This module completes
their values and makes the policy that a network is trained towards:

    completed Q(a) = Q(a) if N(a) > 0, else v_mix                                          (equation 10)
    v_mix = (v + sum N * sum_visited P(a) Q(a) / sum_visited P(a)) / (1 + sum N)           (appendix D)
    sigma(q) = (c_visit + max N) c_scale q                                                 (equation 8)
    policy = softmax(log P + sigma(completed Q))                                           (equation 11)

With a leash, a policy L, it is softmax((log P + lambda log L + sigma) / (1 + lambda)): the policy that
maximises sum policy * sigma - KL(policy || P) - lambda KL(policy || L), as in piKL (Jacob et al. 2022).
Proofs are exact: a proven win takes all, a proven loss nothing if there is another move.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.policies.policy import (
    clipped_log,
    segment_log_softmax,
    segment_repeat,
    segment_sum,
)

Array = NDArray[np.float64]


@dataclass(frozen=True)
class RootMoves:
    """The root moves of n trees, tree after tree, as `forest.root_moves()` returns them."""

    moves: NDArray[np.int64]
    priors: Array
    visits: NDArray[np.int64]
    values: Array
    """Mean values for the side to move, from -1 to 1; NaN without visits."""
    forced: NDArray[np.int64]
    """Plies to a proven win, negative for a proven loss, 0 if neither is proven."""
    offsets: NDArray[np.int64]
    """[n + 1]: the moves of tree i are offsets[i] to offsets[i + 1]."""


def completed_values(roots: RootMoves, raw_values: Array) -> Array:
    """The values of all moves [moves]; those without visits have v_mix. `raw_values` [n]: the network's."""
    visited = roots.visits > 0
    priors = np.where(visited, np.maximum(roots.priors, 1e-12), 0.0)
    weight = segment_sum(priors, roots.offsets)
    mean = segment_sum(np.where(visited, priors * np.nan_to_num(roots.values), 0.0), roots.offsets)
    mean = np.divide(mean, weight, out=np.zeros_like(mean), where=weight > 0)
    visits = segment_sum(roots.visits.astype(np.float64), roots.offsets)
    mixed = (raw_values + visits * mean) / (1 + visits)
    return np.where(visited, roots.values, segment_repeat(mixed, roots.offsets))


def improved_policy(
    roots: RootMoves,
    raw_values: Array,
    *,
    c_visit: float,
    c_scale: float,
    leash: NDArray[np.float32] | None = None,
    leash_weight: float = 0.0,
) -> Array:
    """The improved policies of n roots, [moves]. `leash` [moves] has the probabilities of the policy L."""
    most = np.maximum.reduceat(roots.visits, roots.offsets[:-1])
    scale = segment_repeat((c_visit + most) * c_scale, roots.offsets)
    logits = clipped_log(roots.priors.astype(np.float32)) + scale * completed_values(roots, raw_values)
    return with_proofs(roots, leashed(logits, roots.offsets, leash, leash_weight))


def visit_policy(
    roots: RootMoves, *, leash: NDArray[np.float32] | None = None, leash_weight: float = 0.0
) -> Array:
    """The shares of the visits, AlphaZero's target, [moves]. A leash counts as in `improved_policy`."""
    shares = roots.visits / segment_repeat(
        np.maximum(segment_sum(roots.visits.astype(np.float64), roots.offsets), 1), roots.offsets
    )
    logits = np.log(np.maximum(shares, 1e-12))
    return with_proofs(roots, leashed(logits, roots.offsets, leash, leash_weight))


def leashed(
    logits: Array, offsets: NDArray[np.int64], leash: NDArray[np.float32] | None, weight: float
) -> Array:
    """The policy of the logits with a KL term of this weight to the leash, [moves]."""
    if leash is not None and weight:
        logits = (logits + weight * clipped_log(leash)) / (1 + weight)
    return np.exp(segment_log_softmax(logits, offsets))


def with_proofs(roots: RootMoves, policy: Array) -> Array:
    """The policy without proven losses where there is another move, and on proven wins alone where there are
    any."""
    best = np.maximum.reduceat(np.sign(roots.forced), roots.offsets[:-1])
    kept = np.sign(roots.forced) == segment_repeat(best, roots.offsets)
    kept |= segment_repeat(best, roots.offsets) < 0
    policy = np.where(kept, np.maximum(policy, 1e-12), 0.0)
    return np.asarray(policy / segment_repeat(segment_sum(policy, roots.offsets), roots.offsets))
