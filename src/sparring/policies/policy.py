"""The Policy protocol: move probabilities for batches of positions."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import accumulate, pairwise
from threading import Event
from typing import Any, Protocol, TypeVar, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.base.combining import FlatCombiner
from sparring.base.errors import raise_if_stopped
from sparring.networks import Network, Position, Prediction
from sparring.networks.codec import PositionBatch, PredictionBatch

MIN_PROBABILITY = 1e-12
"""Lower bound of a legal move's probability wherever logarithms are taken (pools, likelihoods). A zero then
costs 27.6 nats: enough to rank the move last, and no move is impossible."""


class Policy(Protocol):
    """Predicts moves without search."""

    @property
    def name(self) -> str:
        """The name shown in reports."""

    @property
    def game(self) -> str:
        """The name of the game, such as "chess"."""

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """One prediction per position, over the legal moves of its state, in the order of `positions`."""


@runtime_checkable
class BatchPolicy(Protocol):
    """A policy that predicts for arrays of positions.

    `predict` is not made of `predict_batch`: the arrays carry probabilities and values only (no wdl, lead or
    ownership), and they add in another order, which would change recorded figures in their last digits.
    """

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The predictions for a batch of positions."""


def predict_batch(policy: Policy, batch: PositionBatch) -> PredictionBatch:
    """A policy's predictions for a batch of positions; through `predict` unless it has `predict_batch`."""
    if isinstance(policy, BatchPolicy):
        return policy.predict_batch(batch)
    return PredictionBatch.of(policy.predict(batch.positions()))


def known_ratings(batch: PositionBatch) -> list[float | None]:
    """The ratings of the players to move, None if unknown."""
    return [None if np.isnan(rating) else rating for rating in batch.ratings[:, 0].tolist()]


def log_probabilities(prediction: Prediction) -> NDArray[np.float64]:
    """Log-probabilities of a prediction [moves], clipped below at log(`MIN_PROBABILITY`)."""
    return clipped_log(prediction.probabilities)


def clipped_log(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Logarithms of probabilities of any shape, clipped below at log(`MIN_PROBABILITY`)."""
    logs: NDArray[np.float64] = np.log(np.maximum(probabilities.astype(np.float64), MIN_PROBABILITY))
    return logs


def softmax(logs: NDArray[np.float64]) -> NDArray[np.float32]:
    """Probabilities [moves] from unnormalised log-probabilities [moves]."""
    weights = np.exp(logs - logs.max())
    shares: NDArray[np.float32] = (weights / weights.sum()).astype(np.float32)
    return shares


# A number that may depend on the player's rating.


@dataclass(frozen=True)
class Curve:
    """A piecewise linear function of the rating, constant beyond the first and the last knot. An unknown
    rating is evaluated at the middle of the knots."""

    knots: tuple[tuple[float, float], ...]
    """(rating, value) pairs with ascending ratings."""

    @staticmethod
    def constant(value: float) -> Curve:
        """The same value for every rating."""
        return Curve(((0.0, float(value)),))

    @staticmethod
    def through(values: Mapping[int, float]) -> Curve:
        """The curve with these values at these ratings. Raises ValueError if `values` is empty."""
        if not values:
            raise ValueError("a curve needs at least one rating with its value")
        return Curve(tuple((float(rating), float(values[rating])) for rating in sorted(values)))

    def at(self, rating: float | None) -> float:
        """The value at a rating; None is an unknown rating."""
        return float(self.at_all([rating])[0])

    def at_all(self, ratings: Sequence[float | None]) -> NDArray[np.float64]:
        """The values [ratings] at these ratings; None is an unknown rating."""
        at, values = zip(*self.knots, strict=True)
        middle = (at[0] + at[-1]) / 2
        return np.asarray(np.interp([middle if rating is None else rating for rating in ratings], at, values))

    @property
    def values(self) -> tuple[float, ...]:
        """The values at the knots. They bound the curve."""
        return tuple(value for _, value in self.knots)


# Segment operations: the moves of many positions in one array, cut into one segment per position.
#
# Position i has the moves offsets[i] to offsets[i + 1]. Every position has at least one move.


Array = NDArray[np.float64]
Offsets = NDArray[np.int64]
ScalarT = TypeVar("ScalarT", bound=np.generic)


def segment_offsets(sizes: Sequence[int] | NDArray[np.integer]) -> Offsets:
    """The offsets [positions + 1] of segments of these sizes."""
    return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])


def segment_repeat(values: NDArray[ScalarT], offsets: Offsets) -> NDArray[ScalarT]:
    """Repeats each position's value [..., positions] for all of its moves: [..., moves]."""
    return np.repeat(values, np.diff(offsets), axis=-1)


def segment_sum(values: Array, offsets: Offsets) -> Array:
    """The sum over each position's moves: [..., moves] -> [..., positions]."""
    return np.asarray(np.add.reduceat(values, offsets[:-1], axis=-1))


def segment_logsumexp(logs: Array, offsets: Offsets) -> Array:
    """The log-sum-exp over each position's moves: [..., moves] -> [..., positions]."""
    highest = np.maximum.reduceat(logs, offsets[:-1], axis=-1)
    return np.asarray(np.log(segment_sum(np.exp(logs - segment_repeat(highest, offsets)), offsets)) + highest)


def segment_log_softmax(logs: Array, offsets: Offsets) -> Array:
    """Normalised log-probabilities from unnormalised ones, per position: [..., moves] -> [..., moves]."""
    return np.asarray(logs - segment_repeat(segment_logsumexp(logs, offsets), offsets))


def segment_argmax(values: Array, offsets: Offsets) -> NDArray[np.int64]:
    """The index among all moves of each position's greatest value; the first of equals. [moves] ->
    [positions]."""
    greatest = values == segment_repeat(np.maximum.reduceat(values, offsets[:-1]), offsets)
    places = np.flatnonzero(greatest)
    return places[np.searchsorted(places, offsets[:-1])]


# A network as a policy, optionally averaged over board symmetries.


@dataclass(frozen=True)
class NetworkPolicy:
    """The network's predictions. With `symmetries` they are averaged over all symmetries of each position:
    the arithmetic mean of probabilities and of values, as in KataGo."""

    network: Network
    name: str
    symmetries: bool = False

    @property
    def game(self) -> str:
        """The network's game."""
        return self.network.codec.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The network's predictions, one per position."""
        if not self.symmetries:
            return self.network.predict(positions)
        seen = [[prediction] for prediction in self.network.predict(positions)]
        counts = [self.network.symmetries(position) for position in positions]
        for symmetry in range(1, max(counts, default=1)):
            rows = [row for row, count in enumerate(counts) if symmetry < count]
            turned = self.network.predict([positions[row] for row in rows], symmetry=symmetry)
            for row, prediction in zip(rows, turned, strict=True):
                seen[row].append(prediction)
        return [_mean(predictions) for predictions in seen]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The network's predictions for a batch of positions."""
        if self.symmetries:
            return PredictionBatch.of(self.predict(batch.positions()))
        return self.network.predict_batch(batch)


def _mean(predictions: list[Prediction]) -> Prediction:
    """The mean of one network's predictions for one position under several symmetries."""
    if len(predictions) == 1:
        return predictions[0]
    shares = np.stack([p.probabilities for p in predictions]).mean(axis=0, dtype=np.float64)
    means: dict[str, Any] = {}
    for name in ("value", "wdl", "lead", "moves_left"):
        known = [value for p in predictions if (value := getattr(p, name)) is not None]
        mean = np.mean(known, axis=0).tolist() if known else None
        means[name] = tuple(mean) if name == "wdl" and mean is not None else mean
    return replace(predictions[0], probabilities=shares.astype(np.float32), **means)


class WrappedPolicy:
    """Base of policies around another one, whose name and game they keep."""

    policy: Policy

    @property
    def name(self) -> str:
        """The name of the wrapped policy."""
        return self.policy.name

    @property
    def game(self) -> str:
        """The game of the wrapped policy."""
        return self.policy.game


@dataclass(frozen=True)
class StoppablePolicy(WrappedPolicy):
    """The policy as long as `stop` is not set; then `predict` raises Abandoned."""

    policy: Policy
    stop: Event | None

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions. Raises Abandoned."""
        raise_if_stopped(self.stop)
        return self.policy.predict(positions)


# `SharedPolicy`: one policy for many threads, which predicts in one batch for all that wait.


class SharedPolicy(WrappedPolicy):
    """A policy whose `predict` may be called by many threads at once.

    One thread at a time predicts. The positions of threads that come meanwhile form the next batch.
    """

    def __init__(self, policy: Policy, largest_batch: int = 256) -> None:
        """`largest_batch`: positions of a batch, unless one request has more."""
        self.policy = policy
        self._largest = largest_batch
        self._combiner: FlatCombiner[Sequence[Position], list[Prediction]] = FlatCombiner(
            self._predict, self._take
        )

    @property
    def waiting(self) -> int:
        """The number of calls that wait for the next batch."""
        return self._combiner.waiting

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions. Raises its exceptions, in each thread of the batch."""
        return self._combiner.call(positions) if positions else []

    def _predict(self, requests: list[Sequence[Position]]) -> list[list[Prediction]]:
        joined = self.policy.predict([position for positions in requests for position in positions])
        return [joined[a:b] for a, b in pairwise(accumulate(map(len, requests), initial=0))]

    def _take(self, requests: list[Sequence[Position]]) -> int:
        sizes = accumulate(map(len, requests))
        return max(1, sum(size <= self._largest for size in sizes))


# Softmax temperature of a policy: one number, or a curve over ratings.


MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-6, 1e6
"""Beyond them log-probabilities overflow, or a distribution is uniform anyway."""


@dataclass(frozen=True)
class TemperedPolicy(WrappedPolicy):
    """p^(1/T), normalised. T > 1 flattens the distribution, T < 1 sharpens it; the order of the moves does
    not change.

    Raises ValueError if a temperature is not positive, or beyond `MIN_TEMPERATURE` or `MAX_TEMPERATURE`.
    """

    policy: Policy
    temperature: Curve

    def __post_init__(self) -> None:
        low, high = MIN_TEMPERATURE, MAX_TEMPERATURE
        for value in self.temperature.values:
            if not value > 0:
                raise ValueError(f"a temperature is positive, not {value:g}")
            if not low <= value <= high:
                raise ValueError(f"a temperature is from {low:g} to {high:g}, not {value:g}")

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions, each at the temperature for the rating of the player to move."""
        predictions = []
        for position, prediction in zip(positions, self.policy.predict(positions), strict=True):
            logs = log_probabilities(prediction) / self.temperature.at(position.rating)
            predictions.append(replace(prediction, probabilities=softmax(logs)))
        return predictions

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The policy's predictions for a batch of positions at the temperature of each player to move."""
        base = predict_batch(self.policy, batch)
        inverse = 1 / self.temperature.at_all(known_ratings(batch))
        logs = clipped_log(base.probabilities) * segment_repeat(inverse, base.offsets)
        shares = np.exp(segment_log_softmax(logs, base.offsets)).astype(np.float32)
        return replace(base, probabilities=shares)
