"""Softmax temperature of a policy: one number, or a curve over ratings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sparring.networks import Position, Prediction
from sparring.networks.batches import PositionBatch, PredictionBatch
from sparring.policies.curve import Curve
from sparring.policies.policy import (
    Policy,
    clipped_log,
    known_ratings,
    log_probabilities,
    predict_batch,
    softmax,
)
from sparring.policies.segments import segment_log_softmax, segment_repeat

MIN_TEMPERATURE, MAX_TEMPERATURE = 1e-6, 1e6
"""Beyond them log-probabilities overflow, or a distribution is uniform anyway."""


@dataclass(frozen=True)
class TemperedPolicy:
    """p^(1/T), normalised. T > 1 flattens the distribution, T < 1 sharpens it; the order of the moves does
    not change.

    Raises ValueError if a temperature is not positive, or beyond `MIN_TEMPERATURE` or `MAX_TEMPERATURE`.
    """

    policy: Policy
    temperature: Curve

    def __post_init__(self) -> None:
        for value in self.temperature.values:
            if not value > 0:
                raise ValueError(f"a temperature is positive, not {value:g}")
            if not MIN_TEMPERATURE <= value <= MAX_TEMPERATURE:
                raise ValueError(
                    f"a temperature is from {MIN_TEMPERATURE:g} to {MAX_TEMPERATURE:g}, not {value:g}"
                )

    @property
    def name(self) -> str:
        """The name of the underlying policy."""
        return self.policy.name

    @property
    def game(self) -> str:
        """The game of the underlying policy."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions, each at the temperature for the rating of the player to move."""
        return [
            replace(
                prediction,
                probabilities=softmax(log_probabilities(prediction) / self.temperature.at(position.rating)),
            )
            for position, prediction in zip(positions, self.policy.predict(positions), strict=True)
        ]

    def predict_batch(self, batch: PositionBatch) -> PredictionBatch:
        """The policy's predictions for a batch of positions at the temperature of each player to move."""
        found = predict_batch(self.policy, batch)
        inverse = 1 / self.temperature.at_all(known_ratings(batch))
        logs = clipped_log(found.probabilities) * segment_repeat(inverse, found.offsets)
        shares = np.exp(segment_log_softmax(logs, found.offsets)).astype(np.float32)
        return replace(found, probabilities=shares)
