"""The blend paper's choice of alpha: the value among 0, 0.01, ..., 1 with the best accuracy on validation
games."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from sparring.matching import ChoiceData
from sparring.matching.bootstrap import Means
from sparring.policies.pool import pool_log_probabilities
from sparring.policies.segments import Array, segment_argmax

ALPHAS: Array = np.arange(101) / 100


@dataclass(frozen=True)
class BestAlpha:
    """The best alpha of a group by accuracy."""

    alpha: float
    low: float
    """The lowest alpha whose accuracy is within noise of the best."""
    high: float
    """The highest such alpha."""
    accuracy: float
    curve: tuple[float, ...]
    """The accuracy at each of ALPHAS."""


def alpha_weights() -> Array:
    """The weights [alphas, 2]: alpha and 1 - alpha."""
    return np.stack([ALPHAS, 1 - ALPHAS], axis=1)


def simplex_grid(step: float = 0.05) -> Array:
    """Weights [points, 3] that sum to 1, on a grid."""
    parts = round(1 / step)
    points = [(a, b, parts - a - b) for a, b in product(range(parts + 1), repeat=2) if a + b <= parts]
    return np.array(points, np.float64) / parts


def hits(choices: ChoiceData, grid: Array, kind: str = "geometric", beta: float = 1.0) -> NDArray[np.bool_]:
    """Whether the pool with each weight vector [points, policies] predicts the move played: [positions,
    points]."""
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
    """The best alpha from the accuracies at ALPHAS and their resamples; the middle of equally good ones.

    With it come the alphas within noise of it, by multiple comparisons with the best: the difference of the
    accuracies, paired by game, is below the bound that the largest standardised difference of all alphas
    keeps in 95 % of resamples. This is a range of alphas that the games do not tell apart. It is not a
    confidence interval: the argmax of a step function has none by bootstrap.
    """
    best = int(middle_best(means.values[None])[0])
    lost = means.values[best] - means.values
    resampled = means.resampled_means
    drawn = resampled[:, best, None] - resampled
    noise = np.nanstd(drawn, axis=0)
    largest = np.nanmax((lost - drawn)[:, noise > 0] / noise[noise > 0], axis=1, initial=0)
    within = np.flatnonzero(lost <= np.quantile(largest, 0.95) * noise)
    return BestAlpha(
        float(ALPHAS[best]),
        float(ALPHAS[within[0]]),
        float(ALPHAS[within[-1]]),
        float(means.values.max()),
        tuple(float(each) for each in means.values),
    )


def middle_best(curves: Array) -> NDArray[np.int64]:
    """For each curve [curves, points] the middle of the points at which it is highest, [curves]."""
    highest = curves == curves.max(axis=1, keepdims=True)
    rank = np.cumsum(highest, axis=1)
    middle: NDArray[np.int64] = (rank == (rank[:, -1:] + 1) // 2).argmax(axis=1)
    return middle
