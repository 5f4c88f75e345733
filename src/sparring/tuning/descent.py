"""Algorithm 1 of the ACE paper: Theta of a class of players by stochastic gradient descent.

The paper's slips, which are not copied: the update must descend (Theta -= step * gradient, line 8 adds it);
the parameters are tau, t and c_puct only (the list in the text also has alpha and epsilon). Beyond the paper:
tau is minimised exactly in every step, from the visits of the one search that the step needs anyway
(`choice_likelihood`); t and c_puct descend in their logarithms by one of two gradients
(`gradients`).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.policies import Policy
from sparring.policies.segments import Array
from sparring.tuning.choice_likelihood import fit_choice
from sparring.tuning.gradients import regularised_gradient, search_differences
from sparring.tuning.theta import Theta
from sparring.tuning.visits import PlayedPositions, VisitData, search_visits

GradientMethod: TypeAlias = Literal["differences", "regularised"]
_WINDOW = 6
"""Steps over which the convergence test averages."""


@dataclass(frozen=True)
class DescentConfig:
    """How Theta is tuned."""

    nodes: int = 32
    """Visits of each search."""
    batch: int = 256
    """Positions of a mini-batch, searched in lockstep."""
    gradient: GradientMethod = "differences"
    """differences: four more searches a step. regularised: none, and a biased gradient."""
    learning_rate: float = 0.25
    """First step in log t and log c_puct, per unit of normalised gradient (Adam)."""
    steps: int = 40
    """Most steps."""
    tolerance: float = 0.05
    """Converged if the mean of the last steps' log t and log c_puct moved less than this."""
    seed: int = 0
    """Order of the positions."""


@dataclass(frozen=True)
class DescentStep:
    """One step: what the journal keeps, and all that the next step needs."""

    step: int
    searched: tuple[float, float]
    """log(t, c_puct) at which the step searched."""
    temperature: float
    """The best tau of the mini-batch."""
    loss: float
    """Mean loss of the mini-batch in nats."""
    gradient: tuple[float, float]
    """Mean gradient of the mini-batch in log(t, c_puct)."""
    error: tuple[float, float]
    """Its standard error."""
    first: tuple[float, float] = (0.0, 0.0)
    """Adam's running mean of the gradients."""
    second: tuple[float, float] = (0.0, 0.0)
    """Adam's running mean of their squares."""
    following: tuple[float, float] = (0.0, 0.0)
    """log(t, c_puct) of the next step."""

    @classmethod
    def of(cls, entry: dict[str, Any]) -> DescentStep:
        """The step of a journal's line."""
        known: dict[str, Any] = {
            key: tuple(value) if isinstance(value, list) else value for key, value in entry.items()
        }
        return cls(**known)

    def as_json(self) -> dict[str, Any]:
        """The line of the journal."""
        return asdict(self)


@dataclass
class Descent:
    """The run of one class. Step n depends on the seed, n and the step before: a resumed run is the same."""

    policy: Policy
    data: PlayedPositions
    config: DescentConfig
    start: Theta
    history: list[DescentStep] = field(default_factory=list)

    def run(self, on_step: Callable[[DescentStep], None] = lambda _: None) -> Theta:
        """Takes steps until it converged or has taken all; returns the mean of the last steps' Theta."""
        while len(self.history) < self.config.steps and not has_converged(
            self.history, self.config.tolerance
        ):
            step = self._take_step()
            self.history.append(step)
            on_step(step)
        return averaged(self.history, self.start)

    def _take_step(self) -> DescentStep:
        number = len(self.history)
        last = self.history[-1] if self.history else None
        searched = np.array(last.following) if last else self.start.searched
        data = self.data.take(batch_rows(len(self.data), self.config, number))

        def search(theta: Theta) -> VisitData:
            return search_visits(self.policy, data, theta, [self.config.nodes])

        found = search(self.start.with_searched(searched))
        choice = fit_choice(found, float(np.exp(searched[0])))
        theta = self.start.with_searched(searched).with_choice(choice.temperature, choice.backoff)
        if self.config.gradient == "differences":
            gradients = search_differences(search, theta).gradient
        else:
            gradients = regularised_gradient(found, theta)
        mean, error = gradients.mean(axis=0), gradients.std(axis=0) / np.sqrt(len(gradients))
        first, second, change = _adam(last, mean, number, self.config.learning_rate)
        return DescentStep(
            number,
            _pair(searched),
            choice.temperature,
            choice.loss,
            _pair(mean),
            _pair(error),
            _pair(first),
            _pair(second),
            _pair(np.clip(searched - change, np.log([0.1, 0.02]), np.log([20, 100]))),  # minus: it descends
        )


def batch_rows(size: int, config: DescentConfig, number: int) -> NDArray[np.int64]:
    """The positions of mini-batch `number` [batch]: all positions in a new random order each epoch."""
    batch = min(config.batch, size)
    batches = size // batch
    order = np.random.default_rng([config.seed, number // batches]).permutation(size)
    begin = number % batches * batch
    return order[begin : begin + batch]


def averaged(history: Sequence[DescentStep], start: Theta) -> Theta:
    """Polyak's average: the mean of log Theta over the last half of the steps, at least `_WINDOW`."""
    if not history:
        return start
    last = history[-max(len(history) // 2, min(_WINDOW, len(history))) :]
    searched = np.mean([each.searched for each in last], axis=0)
    temperature = float(np.exp(np.mean([np.log(each.temperature) for each in last])))
    return start.with_searched(searched).with_choice(temperature, start.backoff)


def has_converged(history: Sequence[DescentStep], tolerance: float) -> bool:
    """Whether the mean gradient of the last steps is within two standard errors of zero, and their mean
    log(t, c_puct) has moved less than the tolerance from that of the steps before."""
    if len(history) < 2 * _WINDOW:
        return False
    last, before = history[-_WINDOW:], history[-2 * _WINDOW : -_WINDOW]
    gradient = np.mean([each.gradient for each in last], axis=0)
    error = np.sqrt(np.sum(np.square([each.error for each in last]), axis=0)) / _WINDOW
    moved = np.mean([s.searched for s in last], axis=0) - np.mean([s.searched for s in before], axis=0)
    return bool(np.all(np.abs(gradient) <= 2 * error) and np.all(np.abs(moved) < tolerance))


def _adam(last: DescentStep | None, gradient: Array, number: int, rate: float) -> tuple[Array, Array, Array]:
    """Adam with a step that shrinks as 1 / sqrt(1 + n / 4)."""
    keep_first, keep_second = 0.6, 0.9
    first = keep_first * np.array(last.first if last else (0.0, 0.0)) + (1 - keep_first) * gradient
    second = keep_second * np.array(last.second if last else (0.0, 0.0)) + (1 - keep_second) * gradient**2
    mean = first / (1 - keep_first ** (number + 1))
    square = second / (1 - keep_second ** (number + 1))
    return first, second, rate / np.sqrt(1 + number / 4) * mean / (np.sqrt(square) + 1e-6)


def _pair(values: Array) -> tuple[float, float]:
    first, second = np.asarray(values).tolist()
    return first, second
