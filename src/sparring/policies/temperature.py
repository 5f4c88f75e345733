"""Temperature: a policy made bolder or more careful, by one number or by rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from sparring.networks import Position, Prediction
from sparring.policies.curve import Curve
from sparring.policies.policy import Policy, log_probabilities, softmax


@dataclass(frozen=True)
class TemperedPolicy:
    """`p^(1/T)`, normalised: above 1 all moves get more alike, below 1 the likely ones likelier.

    The order of the moves stays as it is. Raises ValueError for a temperature that is not positive.
    """

    policy: Policy
    temperature: Curve

    def __post_init__(self) -> None:
        if min(self.temperature.values) <= 0:
            raise ValueError(f"a temperature is positive, not {min(self.temperature.values):g}")

    @property
    def name(self) -> str:
        """The policy's."""
        return self.policy.name

    @property
    def game(self) -> str:
        """The policy's."""
        return self.policy.game

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """The policy's predictions at the temperature of each position's player."""
        return [
            replace(
                prediction,
                probabilities=softmax(log_probabilities(prediction) / self.temperature.at(position.rating)),
            )
            for position, prediction in zip(positions, self.policy.predict(positions), strict=True)
        ]
