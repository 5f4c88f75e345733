"""Strength as a smooth function of rating, temperature and nodes: one logistic model of all games."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple, TypeAlias

import numpy as np
from numpy.typing import NDArray

_Array: TypeAlias = NDArray[np.float64]
KNOTS = (600.0, 1000.0, 1400.0, 1800.0, 2400.0)
"""Ratings between which the strength of the policy at temperature 1 is linear."""
SLOPES = (0.7, 0.8, 0.9, 1.0, 1.1, 1.2, 1.3, 1.5, 1.7, 2.0, 2.3)
_PRIOR_SLOPE, _PRIOR_SPREAD = 1.3, 0.5
"""Log-normal prior of the slope, as in `sparring.measure.calibration`."""


class DialGame(NamedTuple):
    """A game of a dial against an anchor."""

    rating: float
    temperature: float
    nodes: float
    anchor: float
    """The anchor's rating."""
    score: float


@dataclass(frozen=True)
class StrengthModel:
    """Features of a dial, and the prior of their weights."""

    features: Callable[[_Array, _Array, _Array], _Array]
    """(ratings, temperatures, nodes) -> [games, weights]."""
    mean: tuple[float, ...]
    spread: tuple[float, ...]
    """Standard deviations."""


@dataclass(frozen=True)
class PooledFit:
    """The maximum of the posterior."""

    model: StrengthModel
    parameters: _Array
    covariance: _Array
    slope: float
    """Elo per point of the anchors' scale."""
    games: int

    def strength(self, rating: float, temperature: float, nodes: int = 0) -> tuple[float, float]:
        """Strength and its standard error."""
        row = self.model.features(np.array([rating]), np.array([temperature]), np.array([float(nodes)]))[0]
        return float(row @ self.parameters), math.sqrt(float(row @ self.covariance @ row))

    def temperature(self, rating: float, strength: float, nodes: int = 0) -> float:
        """The temperature, from 0.2 to 2, at which the player has this strength."""
        grid = np.geomspace(2, 0.2, 1000)
        ones = np.ones_like(grid)
        found = self.model.features(rating * ones, grid, nodes * ones) @ self.parameters
        return round(float(grid[int(np.argmin(abs(found - strength)))]), 3)


def dial_games(entries: Iterable[Mapping[str, Any]], elo: Mapping[str, float]) -> Iterator[DialGame]:
    """Games of a journal with its header, by `level-grid`, `level-solve` or `sparring calibrate`.

    Left out are games between anchors, and searches that select moves by another rule than the regularised
    policy.
    """
    header, *games = entries
    dials = header.get("dials", {})
    for entry in games:
        keys = dials.get(entry["player"]) or _named_dial(entry["player"])
        if keys is None or entry["anchor"] not in elo:
            continue
        if keys["nodes"] <= 1 or keys["rule"] == "regularised":
            yield DialGame(
                keys["rating"], keys["temperature"], keys["nodes"], elo[entry["anchor"]], entry["score"]
            )


def _named_dial(name: str) -> dict[str, Any] | None:
    """The dial in a name such as `1600:0.7:8:regularised:blend`; None if it is not one."""
    parts = name.split(":")
    if len(parts) < 4 or not parts[0]:
        return None
    return {
        "rating": float(parts[0]),
        "temperature": float(parts[1]),
        "nodes": int(parts[2]),
        "rule": parts[3],
    }


def fit_pooled(games: Sequence[DialGame], model: StrengthModel) -> PooledFit:
    """Fits one logistic model to all games; the slope is the best of a few."""
    rating, temperature, nodes, anchor, score = np.array(games, np.float64).reshape(-1, 5).T
    design = model.features(rating, temperature, nodes)
    start, prior = np.array(model.mean), np.diag(np.array(model.spread) ** -2.0)
    best: tuple[float, PooledFit] | None = None
    for slope in SLOPES:
        unit, theta = slope * math.log(10) / 400, start
        for _ in range(25):  # Newton's method
            expected = 1 / (1 + np.exp(-unit * (design @ theta - anchor)))
            gradient = unit * design.T @ (score - expected) - prior @ (theta - start)
            weights = unit**2 * expected * (1 - expected)
            information = (design * weights[:, None]).T @ design + prior
            theta = theta + np.clip(np.linalg.solve(information, gradient), -300, 300)
        share = np.clip(1 / (1 + np.exp(-unit * (design @ theta - anchor))), 1e-9, 1 - 1e-9)
        likelihood = float((score * np.log(share) + (1 - score) * np.log1p(-share)).sum())
        likelihood -= (math.log(slope / _PRIOR_SLOPE) / _PRIOR_SPREAD) ** 2 / 2
        if best is None or likelihood > best[0]:
            best = likelihood, PooledFit(model, theta, np.linalg.inv(information), slope, len(games))
    assert best is not None
    return best[1]


def _policy_features(rating: _Array, temperature: _Array, nodes: _Array) -> _Array:
    """[games, 9]: linear between the knots; warmer and colder than 1 apart, colder curved and by rating."""
    knots = np.stack([np.interp(rating, KNOTS, row) for row in np.eye(len(KNOTS))], -1)
    cold = -np.log(temperature)
    warm, cold = np.minimum(cold, 0), np.maximum(cold, 0)
    effects = np.stack([warm, cold, cold**2, cold * (rating - 1800) / 600], -1)
    return np.concatenate([knots, effects], -1)


def _search_features(rating: _Array, temperature: _Array, nodes: _Array) -> _Array:
    """[games, 5]: a constant, the rating, doublings of the nodes and their square, and the temperature."""
    doublings = np.log2(np.maximum(nodes, 1) / 16)
    effects = [(rating - 2000) / 400, doublings, doublings**2, -np.log(temperature)]
    return np.stack([np.ones_like(rating), *effects], -1)


POLICY = StrengthModel(
    _policy_features,
    (700.0, 1100.0, 1450.0, 1550.0, 1650.0, 800.0, 300.0, -80.0, 50.0),
    (300.0, 300.0, 300.0, 300.0, 300.0, 400.0, 200.0, 100.0, 100.0),
)
"""The policy without search. Weights: strengths at the knots; effects of the temperature."""
SEARCH = StrengthModel(_search_features, (1900.0, 80.0, 120.0, 0.0, 350.0), (300.0, 80.0, 60.0, 10.0, 150.0))
"""A search with the regularised policy. Weights: strength of 2000 with 16 nodes at temperature 1; gains of
400 points of rating, of a doubling, of its square, and of cooling by a factor of e."""
