"""Pools: several policies combined into one.

The formulas are those of Ogawa, Hsueh and Ikeda, "More Human-Like Gameplay by Blending Policies From
Supervised and Reinforcement Learning" (2024), generalised from two policies with weights alpha and 1 - alpha
to any number of policies p_k with weights w_k. Their Blend is the geometric pool of a human-like and a
strong policy.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal, TypeAlias

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
MAX_WEIGHT = 1e6
MIN_BETA, MAX_BETA = 1e-6, 1e3
"""Beyond them the logarithms of a pool overflow or lose all digits."""


@dataclass(frozen=True)
class PoolMember:
    """A policy and its weight as a function of the rating of the player to move."""

    policy: Policy
    weight: Curve


PoolingFunction: TypeAlias = Callable[[Array, Array, Offsets], Array]
"""(weights [policies, moves], log-probabilities [policies, moves], offsets) -> unnormalised
log-probabilities [moves]."""


class _Pool(ABC):
    """Base of pools: the members are evaluated, and a pooling function combines what they predict."""

    members: tuple[PoolMember, ...]

    @property
    def game(self) -> str:
        """The game of the members."""
        return self.members[0].policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The pooled predictions, one per position."""
        if not positions:
            return []
        weights, mean = self._pooling(
            [position.rating for position in positions],
            np.array([position.state.ply for position in positions], np.float64),
        )
        rows = [np.flatnonzero(row).tolist() for row in weights]
        predictions = [
            member.policy.predict([positions[i] for i in wanted])
            for member, wanted in zip(self.members, rows, strict=True)
        ]
        firsts: dict[int, Prediction] = {}
        for wanted, predicted in reversed([*zip(rows, predictions, strict=True)]):
            firsts.update(zip(wanted, predicted, strict=True))
        offsets = segment_offsets([len(firsts[i].moves) for i in range(len(positions))])
        shares = _pooled(weights, [PredictionBatch.of(member) for member in predictions], offsets, mean)
        return [
            replace(firsts[i], probabilities=shares[begin:end])
            for i, (begin, end) in enumerate(pairwise(offsets.tolist()))
        ]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The pooled predictions for a batch of positions."""
        weights, mean = self._pooling(known_ratings(batch), batch.states.plies.astype(np.float64))
        predictions = []
        for member, row in zip(self.members, weights, strict=True):
            part = batch if row.all() else batch.take(np.flatnonzero(row))
            predictions.append(predict_batch(member.policy, part) if len(part) else PredictionBatch.of([]))
        sizes, values = np.zeros(len(batch), np.int64), np.zeros(len(batch), np.float32)
        for row, predicted in reversed([*zip(weights != 0, predictions, strict=True)]):
            sizes[row], values[row] = np.diff(predicted.offsets), predicted.values  # the first one's stay
        offsets = segment_offsets(sizes)
        return PredictionBatch(_pooled(weights, predictions, offsets, mean), offsets, values)

    @abstractmethod
    def _pooling(self, ratings: Sequence[float | None], plies: Array) -> tuple[Array, PoolingFunction]:
        """The weights [members, positions] for ratings and plies [positions], and the pooling function. A
        policy is evaluated where its weight is not 0."""

    def _weights(self, ratings: Sequence[float | None]) -> Array:
        """The weights [members, ratings]. An unknown rating is put at the middle of all knots."""
        curves = [member.weight for member in self.members]
        knots = [rating for curve in curves if len(curve.knots) > 1 for rating, _ in curve.knots]
        middle = (min(knots) + max(knots)) / 2 if knots else None
        known = [middle if rating is None else rating for rating in ratings]
        return np.stack([curve.at_all(known) for curve in curves])

    def _check_game(self) -> None:
        """Raises ValueError if there is no policy or if the policies are for different games."""
        if not self.members:
            raise ValueError("a pool needs at least one policy")
        if len(played := {member.policy.game for member in self.members}) > 1:
            raise ValueError(f"its policies are for different games: {', '.join(sorted(played))}")


def _pooled(
    weights: Array, predictions: Sequence[PredictionBatch], offsets: Offsets, mean: PoolingFunction
) -> NDArray[np.float32]:
    """The pool's probabilities [moves] of positions with these offsets.

    `weights` is [policies, positions]. `predictions[k]` are policy k's for the positions in which its weight
    is not 0, in order.
    """
    logs = np.zeros((len(weights), offsets[-1]))
    for row, weight, predicted in zip(logs, weights, predictions, strict=True):
        row[segment_repeat(weight != 0, offsets)] = clipped_log(predicted.probabilities)
    pooled = segment_log_softmax(mean(segment_repeat(weights, offsets), logs, offsets), offsets)
    return np.exp(pooled).astype(np.float32)


@dataclass(frozen=True)
class PolicyPool(_Pool):
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
        self._check_game()
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

    def _pooling(self, ratings: Sequence[float | None], plies: Array) -> tuple[Array, PoolingFunction]:
        def mean(weights: Array, logs: Array, offsets: Offsets) -> Array:
            return pool_log_probabilities(self.kind, weights, logs, self.beta)

        return self._weights(ratings), mean


def pool_log_probabilities(kind: str, weights: Array, logs: Array, beta: float = 1.0) -> Array:
    """Unnormalised log-probabilities [moves] of a pool; `weights` and `logs` are [policies, moves].

    geometric: formula (1), the logarithm of prod_k p_k^w_k. power: formula (4), the logarithm of
    (sum_k w_k p_k^beta)^(1/beta). arithmetic: formula (3), the power pool with beta 1.
    """
    if kind == "geometric":
        product: Array = np.einsum("km,km->m", weights, logs)
        return product
    beta = beta if kind == "power" else 1.0
    with np.errstate(divide="ignore"):  # a policy of weight 0 is worth nothing at any power
        terms = np.log(weights) + beta * logs
    highest = terms.max(axis=0)
    total: Array = (np.log(np.exp(terms - highest).sum(axis=0)) + highest) / beta
    return total


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
    return pool_log_probabilities("geometric", segment_repeat(weights, offsets), logs)


# A geometric pool whose weights depend on features of the position (feature-weighted stacking).


@dataclass(frozen=True)
class FeatureWeightedPool(_Pool):
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
        self._check_game()
        width = len(position_feature_names(len(self.members)))
        coefficients = [value for row in self.by for value in row]
        curves = [value for member in self.members for value in member.weight.values]
        if not all(abs(value) <= MAX_WEIGHT for value in (*curves, *coefficients)):
            raise ValueError(f"a weight is a number from {-MAX_WEIGHT:g} to {MAX_WEIGHT:g}")
        if [len(row) for row in self.by] != [width] * len(self.members):
            raise ValueError(f"each of {len(self.members)} policies needs {width} numbers for its traits")
        if len(self.scale.means) != width or len(self.scale.stds) != width or min(self.scale.stds) <= 0:
            raise ValueError(f"{width} traits need their means, and spreads above 0")

    def _pooling(self, ratings: Sequence[float | None], plies: Array) -> tuple[Array, PoolingFunction]:
        base_weights = self._weights(ratings)

        def mean(_: Array, logs: Array, offsets: Offsets) -> Array:
            features = self.scale.apply(position_features(logs, offsets, plies))
            return geometric_pool(base_weights + np.array(self.by) @ features.T, logs, offsets)

        return np.ones_like(base_weights), mean
