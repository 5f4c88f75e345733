"""Strength of the policy without search as a function of rating and temperature, from all games of a grid."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

KNOTS = (600.0, 1000.0, 1400.0, 1800.0, 2400.0)
"""Ratings between which the strength at temperature 1 is linear."""
SLOPES = (0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.5)
_START = (700.0, 1100.0, 1450.0, 1550.0, 1650.0, 800.0, 300.0, -80.0, 50.0)
_SPREAD = (300.0, 300.0, 300.0, 300.0, 300.0, 400.0, 200.0, 100.0, 100.0)
"""Mean and standard deviation of a weak prior: strengths at the knots; effects of the temperature."""


@dataclass(frozen=True)
class PooledFit:
    """The maximum of the posterior."""

    parameters: NDArray[np.float64]
    covariance: NDArray[np.float64]
    slope: float
    """Elo per point of the anchors' scale."""
    games: int

    def strength(self, rating: float, temperature: float) -> tuple[float, float]:
        """Strength and its standard error."""
        row = _features(np.array([rating]), np.array([temperature]))[0]
        return float(row @ self.parameters), math.sqrt(float(row @ self.covariance @ row))

    def temperature(self, level: int) -> float:
        """The temperature at which the policy at the rating of a level has the level's strength."""
        grid = np.geomspace(2, 0.2, 1000)
        found = [abs(self.strength(level, float(each))[0] - level) for each in grid]
        return round(float(grid[int(np.argmin(found))]), 3)


def policy_games(entries: Iterable[Mapping[str, Any]], elo: Mapping[str, float]) -> list[tuple[float, ...]]:
    """Games without search of a grid's journal: rating, temperature, anchor's rating, score."""
    found: list[tuple[float, ...]] = []
    for entry in entries:
        parts = str(entry["player"]).split(":")
        if len(parts) > 2 and parts[0] and parts[2] == "0":
            found.append((float(parts[0]), float(parts[1]), elo[entry["anchor"]], float(entry["score"])))
    return found


def fit_pooled(games: Sequence[tuple[float, ...]]) -> PooledFit:
    """Fits one logistic model to all games; the slope is the best of a few."""
    rating, temperature, anchor, score = np.array(games).T
    design = _features(rating, temperature)
    start, prior = np.array(_START), np.diag(np.array(_SPREAD) ** -2.0)
    best: tuple[float, PooledFit] | None = None
    for slope in SLOPES:
        unit, theta = slope * math.log(10) / 400, start
        for _ in range(60):  # Newton's method
            expected = 1 / (1 + np.exp(-unit * (design @ theta - anchor)))
            gradient = unit * design.T @ (score - expected) - prior @ (theta - start)
            weights = unit**2 * expected * (1 - expected)
            information = (design * weights[:, None]).T @ design + prior
            theta = theta + np.linalg.solve(information, gradient)
        share = np.clip(1 / (1 + np.exp(-unit * (design @ theta - anchor))), 1e-9, 1 - 1e-9)
        likelihood = float((score * np.log(share) + (1 - score) * np.log1p(-share)).sum())
        if best is None or likelihood > best[0]:
            best = likelihood, PooledFit(theta, np.linalg.inv(information), slope, len(games))
    assert best is not None
    return best[1]


def _features(rating: NDArray[np.float64], temperature: NDArray[np.float64]) -> NDArray[np.float64]:
    """[games, 9]: linear between the knots; warmer and colder than 1 apart, colder curved and by rating."""
    knots = np.stack([np.interp(rating, KNOTS, row) for row in np.eye(len(KNOTS))], -1)
    cold = -np.log(temperature)
    warm, cold = np.minimum(cold, 0), np.maximum(cold, 0)
    effects = np.stack([warm, cold, cold**2, cold * (rating - 1800) / 600], -1)
    return np.concatenate([knots, effects], -1)
