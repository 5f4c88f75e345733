"""The Policy protocol: move probabilities for batches of positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position, Prediction
from sparring.networks.batches import PositionBatch, PredictionBatch

MIN_PROBABILITY = 1e-12
"""Lower bound of a legal move's probability wherever logarithms are taken (pools, likelihoods). A zero then
costs 27.6 nats: enough to rank the move last, and no move is impossible."""


class Policy(Protocol):
    """Predicts moves without search."""

    @property
    def name(self) -> str:
        """The name shown in reports."""
        ...

    @property
    def game(self) -> str:
        """The name of the game, such as "chess"."""
        ...

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """One prediction per position, over the legal moves of its state, in the order of `positions`."""
        ...


@runtime_checkable
class BatchPolicy(Protocol):
    """A policy that predicts for arrays of positions."""

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The predictions for a batch of positions."""
        ...


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
