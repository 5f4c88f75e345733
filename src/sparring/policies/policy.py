"""The Policy seam: which moves are how likely, for many positions at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from sparring.networks import Position, Prediction

MIN_PROBABILITY = 1e-12
"""No legal move counts as less likely than this where logarithms are taken: in pools and in likelihoods.
One expert's zero then weighs 27.6 nats, enough to push a move to the end, and no move is ever impossible."""


class Policy(Protocol):
    """Predicts moves. Policies do not know search."""

    @property
    def name(self) -> str:
        """What reports call it."""
        ...

    @property
    def game(self) -> str:
        """The name of its game."""
        ...

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """A prediction for each position, over its legal moves."""
        ...


def log_probabilities(prediction: Prediction) -> NDArray[np.float64]:
    """[moves]: logarithms of the probabilities, none below that of `MIN_PROBABILITY`."""
    return clipped_log(prediction.probabilities)


def clipped_log(probabilities: NDArray[np.float32]) -> NDArray[np.float64]:
    """Logarithms of probabilities, none below that of `MIN_PROBABILITY`."""
    logs: NDArray[np.float64] = np.log(np.maximum(probabilities.astype(np.float64), MIN_PROBABILITY))
    return logs


def softmax(logs: NDArray[np.float64]) -> NDArray[np.float32]:
    """Probabilities from logarithms that lack their constant."""
    weights = np.exp(logs - logs.max())
    shares: NDArray[np.float32] = (weights / weights.sum()).astype(np.float32)
    return shares
