"""The rating of a player on the nominal scale of its anchors, and the ratings of anchors without one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Vector: TypeAlias = NDArray[np.float64]
_SLOPES = np.geomspace(0.3, 4.0, 20)
_PRIOR_SLOPE, _PRIOR_SPREAD = 1.3, 0.5
"""Log-normal prior of the slope: nominal scales of engines are stretched."""
_PRIOR_GAMES = 1.0
"""Draws against an opponent of equal strength, which keep the ratings of perfect scores finite."""
_STEPS = 30


class AnchorScore(NamedTuple):
    """Results against an anchor: its rating, and the scores of the games."""

    elo: float
    scores: Sequence[float]


@dataclass(frozen=True)
class ScaleFit:
    """The point of a family's scale at which the expected score is 1/2."""

    rating: float
    interval: tuple[float, float]
    """95 %, by bootstrap over games."""
    slope: float
    """Elo per point of the nominal scale: 1 is Elo's own formula."""
    games: int


def fit_rating(results: Sequence[AnchorScore], *, samples: int = 500, seed: int = 0) -> ScaleFit:
    """Fits E(score) = 1 / (1 + 10^(slope * (anchor - rating) / 400)) with a free slope.

    Raises ValueError without games.
    """
    results = [each for each in results if len(each.scores)]
    if not results:
        raise ValueError("there are no games to fit")
    elo = np.array([each.elo for each in results], np.float64)
    counts = np.array([len(each.scores) for each in results], np.float64)
    rng = np.random.default_rng(seed)
    points = [np.array([sum(each.scores) for each in results], np.float64)]
    for _ in range(samples):
        points.append(
            np.array([rng.choice(np.asarray(each.scores), len(each.scores)).sum() for each in results])
        )
    ratings, slopes = _fit(elo, counts, np.stack(points))
    low, high = np.quantile(ratings[1:], (0.025, 0.975)) if samples else (ratings[0], ratings[0])
    return ScaleFit(float(ratings[0]), (float(low), float(high)), float(slopes[0]), int(counts.sum()))


def _fit(elo: _Vector, counts: _Vector, points: _Vector) -> tuple[_Vector, _Vector]:
    """Ratings and slopes of rows of points [samples, anchors]; the best of a grid of slopes."""
    best = np.full(len(points), -np.inf)
    ratings, slopes = np.zeros(len(points)), np.zeros(len(points))
    for slope in _SLOPES:
        low = np.full(len(points), elo.min() - 1500)
        high = np.full(len(points), elo.max() + 1500)
        middle = elo.mean()
        for _ in range(_STEPS):  # the expected points grow with the rating: bisection
            guess = (low + high) / 2
            expected = (_expected(guess[:, None], elo, slope) * counts).sum(1)
            expected += _PRIOR_GAMES * _expected(guess, middle, slope)
            below = expected < points.sum(1) + _PRIOR_GAMES / 2
            low, high = np.where(below, guess, low), np.where(below, high, guess)
        share = np.clip(_expected(guess[:, None], elo, slope), 1e-9, 1 - 1e-9)
        likelihood = (points * np.log(share) + (counts - points) * np.log1p(-share)).sum(1)
        likelihood -= (np.log(slope / _PRIOR_SLOPE) / _PRIOR_SPREAD) ** 2 / 2
        better = likelihood > best
        best = np.where(better, likelihood, best)
        ratings, slopes = np.where(better, guess, ratings), np.where(better, slope, slopes)
    return ratings, slopes


def _expected(rating: _Vector, anchor: _Vector | float, slope: float) -> _Vector:
    expected: _Vector = 1 / (1 + 10 ** np.clip(slope * (anchor - rating) / 400, -30, 30))
    return expected
