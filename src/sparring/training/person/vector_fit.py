"""Fits a person's vector to their choices: a convex problem, solved by Newton's method.

The negative log-likelihood of the moves plus precision / 2 |z|^2 is convex in the vector z. A precision of
infinity is z = 0, the base itself."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.training.person.choices import PersonChoices

Array = NDArray[np.float64]
_STEPS = 30
_CLOSE = 1e-6
_BLOCK = 2048
"""Positions of which derivatives are computed at once: their features stay in the processor's cache."""


def fit_vector(choices: PersonChoices, precision: float) -> Array:
    """The vector [1 + d] of the largest posterior probability."""
    z = np.zeros(choices.features.shape[2])
    if not np.isfinite(precision) or not len(choices):
        return z
    return minimise([choices], precision, z)[0]


def minimise(parts: Sequence[PersonChoices], precision: float, start: Array) -> tuple[Array, Derivatives]:
    """The vector that fits all parts, by Newton's method with step halving from `start`, and the derivatives
    of the parts there."""
    z = start
    found = Derivatives.of(parts, z)
    for _ in range(_STEPS):
        step = found.step(z, precision)
        length = 1.0
        while length > 1e-4:
            following = z + length * step
            new = Derivatives.of(parts, following)
            if new.penalised(following, precision) <= found.penalised(z, precision):
                break
            length /= 2
        else:
            break
        gained = found.penalised(z, precision) - new.penalised(following, precision)
        z, found = following, new
        if gained < _CLOSE * max(1.0, abs(found.loss.sum())):
            break
    return z, found


@dataclass(frozen=True)
class Derivatives:
    """Negative log-likelihoods [parts] of some choices, their gradients and Hessians, at one vector."""

    loss: Array
    gradient: Array
    """[parts, d]"""
    hessian: Array
    """[parts, d, d]"""

    @staticmethod
    def of(parts: Sequence[PersonChoices], z: Array) -> Derivatives:
        """The derivatives of the likelihood of each part."""
        found = [_derivatives(part, z) for part in parts]
        return Derivatives(*(np.array(column) for column in zip(*found, strict=True)))

    def penalised(self, z: Array, precision: float) -> float:
        """The loss of all parts with the prior."""
        return float(self.loss.sum() + precision / 2 * (z @ z))

    def step(self, z: Array, precision: float, without: int | None = None) -> Array:
        """The step of Newton's method at z, for all parts or all but one."""
        gradient, hessian = self.gradient.sum(axis=0), self.hessian.sum(axis=0)
        if without is not None:
            gradient, hessian = gradient - self.gradient[without], hessian - self.hessian[without]
        bend = hessian + precision * np.eye(len(z))
        found: Array = -np.linalg.solve(bend, gradient + precision * z)
        return found


def log_probabilities(choices: PersonChoices, z: Array) -> NDArray[np.float32]:
    """[n, m]: log-probabilities of the candidates with the vector z."""
    return _log_softmax(choices.logs + choices.features @ z.astype(np.float32))


def _log_softmax(logits: NDArray[np.float32]) -> NDArray[np.float32]:
    logits = logits - logits.max(axis=1, keepdims=True)
    found: NDArray[np.float32] = logits - np.log(np.exp(logits).sum(axis=1, keepdims=True))
    return found


def _derivatives(choices: PersonChoices, z: Array) -> tuple[float, Array, Array]:
    d = len(z)
    loss, gradient, hessian = 0.0, np.zeros(d), np.zeros((d, d))
    for begin in range(0, len(choices), _BLOCK):
        features = choices.features[begin : begin + _BLOCK]
        logs = _log_softmax(choices.logs[begin : begin + _BLOCK] + features @ z.astype(np.float32))
        shares = np.exp(logs)
        means = (shares[:, None] @ features)[:, 0]
        flat = features.reshape(-1, d)
        loss -= float(logs[:, 0].sum(dtype=np.float64))
        gradient += (means - features[:, 0]).sum(axis=0, dtype=np.float64)
        hessian += (flat * shares.reshape(-1, 1)).T @ flat - means.T @ means
    return loss, gradient, hessian
