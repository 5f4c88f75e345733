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
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies.policy import (
    Array,
    Curve,
    Offsets,
    Policy,
    clipped_log,
    known_ratings,
    predict_batch,
    segment_log_softmax,
    segment_offsets,
    segment_repeat,
    segment_sum,
)

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
    remaining = [iter(member) for member in predictions]
    members = [
        [next(each) for each, some in zip(remaining, column, strict=True) if some]
        for column in weights.T != 0
    ]
    offsets = segment_offsets([len(member[0].moves) for member in members])
    stated = [np.concatenate([p.probabilities for p in member]) if member else None for member in predictions]
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


# Features of positions on which pool weights depend, computed from the members' predictions.


_CLIP = 3.0
"""Scaled features are clipped at this many standard deviations, so that no outlier dominates a weight."""


def position_feature_names(policies: int) -> tuple[str, ...]:
    """The names of the features for a pool of `policies` members."""
    return ("ply", "divergence", *(f"entropy-{number}" for number in range(1, policies + 1)))


def position_features(logs: Array, offsets: Offsets, plies: Array) -> Array:
    """Features [positions, features] from log-probabilities [policies, moves].

    The features are the ply, the Jensen-Shannon divergence between the policies in nats, and each policy's
    entropy in nats.
    """
    shares = np.exp(logs)
    entropies = -segment_sum(shares * logs, offsets)
    mean = shares.mean(axis=0)
    divergence = -segment_sum(mean * np.log(np.maximum(mean, 1e-300)), offsets) - entropies.mean(axis=0)
    return np.stack([plies, divergence, *entropies], axis=1)


@dataclass(frozen=True)
class FeatureScaler:
    """Mean and standard deviation of each feature on the positions where the weights were fitted."""

    means: tuple[float, ...]
    stds: tuple[float, ...]

    @staticmethod
    def of(traits: Array) -> FeatureScaler:
        """The scaler of features [positions, features]. A constant feature gets the standard deviation 1."""
        stds = [deviation if deviation > 1e-9 else 1.0 for deviation in traits.std(axis=0).tolist()]
        return FeatureScaler(tuple(traits.mean(axis=0).tolist()), tuple(stds))

    def apply(self, traits: Array) -> Array:
        """The standardised features [positions, features], clipped."""
        scaled: Array = np.clip((traits - np.array(self.means)) / np.array(self.stds), -_CLIP, _CLIP)
        return scaled


def geometric_pool(weights: Array, logs: Array, offsets: Offsets) -> Array:
    """Unnormalised log-probabilities [moves] of the geometric pool with weights [policies, positions]."""
    total: Array = np.einsum("km,km->m", segment_repeat(weights, offsets), logs)
    return total


# A geometric pool whose weights depend on features of the position (feature-weighted stacking).


@dataclass(frozen=True)
class FeatureWeightedPool:
    """The geometric pool with weights w_k(position) = w_k(rating) + by_k . features(position), features
    scaled.

    The log-probabilities are linear in the coefficients, so the likelihood of people's moves is log-concave
    in them.

    Raises ValueError if the shapes of members, coefficients and scaler do not agree.
    """

    name: str
    members: tuple[PoolMember, ...]
    scale: FeatureScaler
    by: tuple[tuple[float, ...], ...]
    """[members, features]: change of the weight per standard deviation of each feature, in the order of
    `position_feature_names`."""

    def __post_init__(self) -> None:
        check_same_game([member.policy for member in self.members])
        width = len(position_feature_names(len(self.members)))
        coefficients = [value for row in self.by for value in row]
        curves = [value for member in self.members for value in member.weight.values]
        if not all(abs(value) <= MAX_WEIGHT for value in (*curves, *coefficients)):
            raise ValueError(f"a weight is a number from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}")
        if [len(row) for row in self.by] != [width] * len(self.members):
            raise ValueError(f"each of {len(self.members)} policies needs {width} numbers for its traits")
        if len(self.scale.means) != width or len(self.scale.stds) != width or min(self.scale.stds) <= 0:
            raise ValueError(f"{width} traits need their means, and spreads above 0")

    @property
    def game(self) -> str:
        """The game of the members."""
        return self.members[0].policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The pooled predictions, one per position."""
        plies = np.array([position.state.ply for position in positions], np.float64)
        base_weights = weights_at(self.members, positions)
        predictions = [member.policy.predict(positions) for member in self.members]
        return pool_predictions(np.ones_like(base_weights), predictions, self._mean(base_weights, plies))

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The pooled predictions for a batch of positions."""
        base_weights = weights_of_ratings(self.members, known_ratings(batch))
        mean = self._mean(base_weights, batch.states.plies.astype(np.float64))
        policies = [member.policy for member in self.members]
        return pool_batch(batch, policies, np.ones_like(base_weights), mean)

    def _mean(self, base_weights: Array, plies: Array) -> PoolingFunction:
        """The geometric pool with the weights that the features of each position give."""

        def mean(_: Array, logs: Array, offsets: Offsets) -> Array:
            features = self.scale.apply(position_features(logs, offsets, plies))
            return geometric_pool(base_weights + np.array(self.by) @ features.T, logs, offsets)

        return mean
