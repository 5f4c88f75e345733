"""Pools: several policies combined into one.

The formulas are those of Ogawa, Hsueh and Ikeda, "More Human-Like Gameplay by Blending Policies From
Supervised and Reinforcement Learning" (2024), generalised from two policies with weights alpha and 1 - alpha
to any number of policies p_k with weights w_k. Their Blend is the geometric pool of a human-like and a
strong policy.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position, Prediction
from sparring.networks.batches import PositionBatch, PredictionBatch
from sparring.policies.curve import Curve
from sparring.policies.policy import Policy, clipped_log, known_ratings, predict_batch
from sparring.policies.segments import Array, Offsets, segment_log_softmax, segment_offsets, segment_repeat

PoolKind: TypeAlias = Literal["geometric", "arithmetic", "power"]
POOL_KINDS: tuple[str, ...] = get_args(PoolKind)
MAX_WEIGHT = 1e6
MIN_BETA, MAX_BETA = 1e-6, 1e3
"""Beyond them the logarithms of a pool overflow or lose all digits."""


@dataclass(frozen=True)
class PoolMember:
    """A policy and its weight as a function of the rating of the player to move."""

    policy: Policy
    weight: Curve


@dataclass(frozen=True)
class PolicyPool:
    """A pool of policies, computed in log space over the legal moves.

    In a geometric pool the weights need not sum to 1: their sum is an inverse temperature. In the other
    kinds only the ratios of the weights matter. A policy whose weight is 0 for a player is not evaluated. An
    unknown rating is evaluated at the middle of all weights' knots. Value, WDL and lead are those of the
    first member that was evaluated.

    Raises ValueError if the members are for different games or the weights are invalid.
    """

    name: str
    members: tuple[PoolMember, ...]
    kind: PoolKind = "geometric"
    beta: float = 1.0
    """Exponent of a power pool: 1 gives the arithmetic pool; the limit 0 is the geometric pool."""

    def __post_init__(self) -> None:
        check_same_game([member.policy for member in self.members])
        if self.kind == "power" and not MIN_BETA <= abs(self.beta) <= MAX_BETA:
            raise ValueError(
                f"beta is a number other than 0, of size {MIN_BETA:g} to {MAX_BETA:g}, not {self.beta:g}: "
                "towards 0 the power pool is the geometric one"
            )
        if not max(abs(value) for member in self.members for value in member.weight.values) <= MAX_WEIGHT:
            raise ValueError(f"a weight is a number from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}")
        if self.kind != "geometric" and min(v for m in self.members for v in m.weight.values) < 0:
            raise ValueError(f"a weight in a pool of kind {self.kind} is not negative")
        for rating in sorted({rating for member in self.members for rating, _ in member.weight.knots}):
            if not any(member.weight.at(rating) for member in self.members):
                raise ValueError(f"all weights are 0 at rating {rating:g}: no policy is left")

    @property
    def game(self) -> str:
        """The game of the members."""
        return self.members[0].policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The pooled predictions, one per position."""
        weights = weights_at(self.members, positions)
        predictions = [
            member.policy.predict([positions[i] for i in np.flatnonzero(row).tolist()])
            for member, row in zip(self.members, weights, strict=True)
        ]
        return pool_predictions(
            weights, predictions, lambda w, logs, _: pool_log_probabilities(self.kind, w, logs, self.beta)
        )

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The pooled predictions for a batch of positions."""
        return pool_batch(
            batch,
            [member.policy for member in self.members],
            weights_of_ratings(self.members, known_ratings(batch)),
            lambda w, logs, _: pool_log_probabilities(self.kind, w, logs, self.beta),
        )


def weights_at(members: Sequence[PoolMember], positions: Sequence[Position]) -> Array:
    """The weights [members, positions] of the players to move."""
    return weights_of_ratings(members, [position.rating for position in positions])


def weights_of_ratings(members: Sequence[PoolMember], ratings: Sequence[float | None]) -> Array:
    """The weights [members, ratings]. An unknown rating is put at the middle of all knots."""
    knots = [
        rating for member in members if len(member.weight.knots) > 1 for rating, _ in member.weight.knots
    ]
    middle = (min(knots) + max(knots)) / 2 if knots else None
    known = [middle if rating is None else rating for rating in ratings]
    return np.stack([member.weight.at_all(known) for member in members])


def check_same_game(policies: Sequence[Policy]) -> None:
    """Raises ValueError if there is no policy or if the policies are for different games."""
    if not policies:
        raise ValueError("a pool needs at least one policy")
    if len(played := {policy.game for policy in policies}) > 1:
        raise ValueError(f"its policies are for different games: {', '.join(sorted(played))}")


PoolingFunction = Callable[[Array, Array, Offsets], Array]
"""(weights [policies, moves], log-probabilities [policies, moves], offsets) -> unnormalised
log-probabilities [moves]."""


def pool_predictions(
    weights: Array, predictions: Sequence[Sequence[Prediction]], mean: PoolingFunction
) -> list[Prediction]:
    """Combines the predictions of several policies, for all positions at once.

    `weights` is [policies, positions]. `predictions[k]` holds the predictions of policy k for the positions
    in which its weight is not 0, in order.
    """
    if not weights.shape[1]:
        return []
    remaining = [iter(each) for each in predictions]
    members = [
        [next(each) for each, some in zip(remaining, column, strict=True) if some]
        for column in weights.T != 0
    ]
    offsets = segment_offsets([len(each[0].moves) for each in members])
    stated = [np.concatenate([p.probabilities for p in each]) if each else None for each in predictions]
    shares = _pooled_probabilities(weights, stated, offsets, mean)
    parts = [shares[begin:end] for begin, end in pairwise(offsets.tolist())]
    return [replace(each[0], probabilities=part) for each, part in zip(members, parts, strict=True)]


def pool_batch(
    batch: PositionBatch, policies: Sequence[Policy], weights: Array, mean: PoolingFunction
) -> PredictionBatch:
    """`pool_predictions` for a batch of positions. A policy is evaluated where its weight is not 0."""
    found = []
    for policy, row in zip(policies, weights, strict=True):
        rows = np.flatnonzero(row)
        part = batch if len(rows) == len(batch) else batch.take(rows)
        found.append((rows, predict_batch(policy, part) if len(rows) else None))
    sizes, values = np.zeros(len(batch), np.int64), np.zeros(len(batch), np.float32)
    for rows, each in reversed(found):  # the first policy's values stay
        if each is not None:
            sizes[rows], values[rows] = np.diff(each.offsets), each.values
    offsets = segment_offsets(sizes)
    stated = [None if each is None else each.probabilities for _, each in found]
    return PredictionBatch(_pooled_probabilities(weights, stated, offsets, mean), offsets, values)


def _pooled_probabilities(
    weights: Array,
    probabilities: Sequence[NDArray[np.float32] | None],
    offsets: Offsets,
    mean: PoolingFunction,
) -> NDArray[np.float32]:
    """The pool's probabilities [moves] of positions with these offsets.

    `weights` is [policies, positions]. `probabilities[k]` are policy k's for the moves of the positions in
    which its weight is not 0, in order; None if there is no such position.
    """
    logs = np.zeros((len(weights), offsets[-1]))
    for row, weight, each in zip(logs, weights, probabilities, strict=True):
        if each is not None:
            row[segment_repeat(weight != 0, offsets)] = clipped_log(each)
    pooled = segment_log_softmax(mean(segment_repeat(weights, offsets), logs, offsets), offsets)
    return np.exp(pooled).astype(np.float32)


def geometric(weights: Array, logs: Array, beta: float = 1.0) -> Array:
    """Formula (1): the logarithm of prod_k p_k^w_k. Weights and logarithms are [policies, moves], here and
    below."""
    total: Array = np.einsum("km,km->m", weights, logs)
    return total


def arithmetic(weights: Array, logs: Array, beta: float = 1.0) -> Array:
    """Formula (3): the logarithm of sum_k w_k p_k."""
    return power(weights, logs, 1.0)


def power(weights: Array, logs: Array, beta: float) -> Array:
    """Formula (4): the logarithm of (sum_k w_k p_k^beta)^(1/beta)."""
    with np.errstate(divide="ignore"):  # a policy of weight 0 is worth nothing at any power
        terms = np.log(weights) + beta * logs
    highest = terms.max(axis=0)
    total: Array = (np.log(np.exp(terms - highest).sum(axis=0)) + highest) / beta
    return total


_MEANS: dict[str, Callable[[Array, Array, float], Array]] = {
    "geometric": geometric,
    "arithmetic": arithmetic,
    "power": power,
}


def pool_log_probabilities(kind: str, weights: Array, logs: Array, beta: float = 1.0) -> Array:
    """Unnormalised log-probabilities [moves] of a pool of that kind."""
    return _MEANS[kind](weights, logs, beta)
