"""The paper's way to choose alpha: 0, 0.01, ... 1, and the accuracy on the validation games decides."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sparring.matching import ChoiceData
from sparring.matching.bootstrap import Estimate, Means, intervals
from sparring.policies.pool import pool_log_probabilities
from sparring.policies.segments import Array, segment_argmax

ALPHAS: Array = np.linspace(0, 1, 101)


@dataclass(frozen=True)
class BestAlpha:
    """The alpha of a group, by accuracy."""

    alpha: Estimate
    """With the middle 95 % of what resampled games would have chosen."""
    accuracy: float
    curve: tuple[float, ...]
    """The accuracy at each of ALPHAS."""


def alpha_weights() -> Array:
    """[alphas, 2]: alpha and what is left of 1."""
    return np.stack([ALPHAS, 1 - ALPHAS], axis=1)


def simplex_grid(step: float = 0.05) -> Array:
    """[points, 3]: weights that add up to 1, on a grid."""
    parts = round(1 / step)
    points = [(a, b, parts - a - b) for a, b in product(range(parts + 1), repeat=2) if a + b <= parts]
    return np.array(points, np.float64) / parts


def hits(choices: ChoiceData, grid: Array, kind: str = "geometric", beta: float = 1.0) -> NDArray[np.bool_]:
    """[positions, points]: whether the pool with each of the weights [points, policies] is right."""
    logs = choices.log_probabilities.astype(np.float64)
    found = np.zeros((len(choices), len(grid)), np.bool_)
    for number, weights in enumerate(grid):
        if kind == "geometric":
            mixed = weights @ logs
        else:
            mixed = pool_log_probabilities(kind, np.broadcast_to(weights[:, None], logs.shape), logs, beta)
        found[:, number] = segment_argmax(mixed, choices.offsets) == choices.played
    return found


def best_alpha(means: Means) -> BestAlpha:
    """From the accuracies at ALPHAS, with their resamples; of equally good ones the middle."""
    alpha = intervals(_middle_best(means.values[None]), _middle_best(means.resampled_means)[:, None])[0]
    return BestAlpha(alpha, float(means.values.max()), tuple(float(each) for each in means.values))


def _middle_best(curves: Array) -> Array:
    """[curves]: the middle one of the alphas at which each curve [curves, alphas] is highest."""
    highest = curves == curves.max(axis=1, keepdims=True)
    rank = np.cumsum(highest, axis=1)
    middle: Array = ALPHAS[(rank == (rank[:, -1:] + 1) // 2).argmax(axis=1)]
    return middle
