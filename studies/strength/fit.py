"""Fits the model of strength to players of known rating."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparring.policies.policy import Array
from studies.strength.model import FEATURES, GRID, GameTerms, StrengthModel, log_likelihoods, powers
from studies.strength.moves import RATINGS, Side

OVERLAPS = (0.01, 0.2)
"""Overlaps of the moves of a game, chosen on training players by cross-validation."""
_PENALTY = 10.0
"""Penalty on squared coefficients of features; a twentieth of it on those of phases and of speed."""
_FIRST_WEIGHT = 0.6
_STEPS = 25
_EDGE = 100.0
"""Standard deviation of the tails of the prior in the fit beyond the ratings of the sample."""
FEW_SETS = ((5, 40), (20, 20))
MANY_SETS = ((5, 120), (20, 60))
"""Numbers of games, and of sets of so many games of neighbours in rating, that the model is fitted on besides
single games: what errs a little in one game errs much in many."""
_PLAYER_ERRORS = tuple(range(0, 260, 20))


def fit_model(
    sides: Sequence[Side], *, features: bool = True, sets: Sequence[tuple[int, int]] = FEW_SETS
) -> StrengthModel:
    """The log-linear model that maximises the penalised posterior probability of the ratings.

    The prior is that of the sample, which has all ratings alike. The model is also fitted on `sets` (numbers
    of games, and of sets of so many games) of neighbours in rating. The problem is concave: Newton's method.
    Without `features` only the likelihood curves count.
    """
    rows = np.concatenate([np.array(side.features) for side in sides])
    phases = len(sides[0].evidence().counts)
    model = StrengthModel(
        RATINGS, _FIRST_WEIGHT, OVERLAPS, _numbers(rows.mean(axis=0)), _numbers(rows.std(axis=0) + 1e-9),
        ((0.0, 0.0),) * len(FEATURES), ((0.0,) * 4,) * phases, (0.0, 0.0), 0.0,
    )  # fmt: skip
    free = [(row, power) for row in range(len(FEATURES)) for power in range(2) if features]
    free += [(len(FEATURES) + phase, power) for phase in range(phases) for power in range(4)]
    free += [(len(FEATURES) + phases, power) for power in range(2)]
    weight, terms = _newton(_examples(model, sides, sets), free)
    return replace(
        model,
        curve_weight=round(weight, 5),
        feature_terms=tuple(_numbers(row[:2]) for row in terms[: len(FEATURES)]),
        phase_terms=tuple(_numbers(row) for row in terms[len(FEATURES) : -1]),
        slow_terms=_numbers(terms[-1, :2]),
    )


def flat_prior(low: float, high: float) -> Array:
    """[grid]: logarithms of a prior that has the ratings between two alike, and normal tails."""
    beyond = np.maximum(np.maximum(low - GRID, GRID - high), 0)
    logs: Array = -0.5 * (beyond / _EDGE) ** 2
    return logs


def normal_prior(mean: float, deviation: float) -> Array:
    """[grid]: logarithms of a normal prior."""
    logs: Array = -0.5 * ((GRID - mean) / deviation) ** 2
    return logs


@dataclass(frozen=True)
class _Examples:
    """Single games and sets of games, with the place of the rating in the grid and the sample's prior."""

    terms: GameTerms
    target: NDArray[np.int64]
    prior: Array
    """[examples, grid]."""


def _examples(model: StrengthModel, sides: Sequence[Side], wanted: Sequence[tuple[int, int]]) -> _Examples:
    terms = GameTerms.of(model, [side.evidence() for side in sides])
    ratings = np.array([float(side.rating) for side in sides])
    rng = np.random.default_rng(0)
    sets: list[list[int]] = [[place] for place in range(len(sides))]
    bounds = {}
    for slow in (False, True):
        own = np.array([place for place, side in enumerate(sides) if side.slow == slow], np.int64)
        if not len(own):
            continue
        bounds[slow] = float(ratings[own].min()), float(ratings[own].max())
        for games, count in wanted:
            for rating in rng.uniform(*bounds[slow], count):
                near = own[np.abs(ratings[own] - rating).argsort()[: 2 * games]]
                sets.append(rng.permutation(near)[:games].tolist())
    targets, priors = [], []
    for some in sets:
        low, high = bounds[sides[some[0]].slow]
        targets.append(int(np.abs(GRID - ratings[some].mean()).argmin()))
        priors.append(flat_prior(low, high))
    sums = GameTerms(
        np.array([terms.curves[some].sum(axis=0) for some in sets]),
        np.array([terms.sums[some].sum(axis=0) for some in sets]),
    )
    return _Examples(sums, np.array(targets, np.int64), np.array(priors))


def _newton(examples: _Examples, free: list[tuple[int, int]]) -> tuple[float, Array]:
    """The weight of the curve and the coefficients [features + phases + 1, 4]."""
    given = examples.terms
    rows, columns = (np.array(part) for part in zip(*free, strict=True))
    polynomials, factors = powers(GRID)[:, columns], given.sums[:, rows]
    penalty = np.array([1e-3, *np.where(rows < len(FEATURES), _PENALTY, _PENALTY / 20)])
    first = np.array([_FIRST_WEIGHT, *np.zeros(len(free))])
    parameters = first.copy()
    for _ in range(_STEPS):
        gradient, curvature = penalty * (parameters - first), np.diag(penalty)
        for curve, factor, place, prior in zip(
            given.curves, factors, examples.target, examples.prior, strict=True
        ):
            design = np.column_stack([curve, polynomials * factor])
            logs = prior + design @ parameters
            chances = np.exp(logs - logs.max())
            chances /= chances.sum()
            expected = chances @ design
            gradient += expected - design[place]
            curvature += (design * chances[:, None]).T @ design - np.outer(expected, expected)
        step = np.linalg.solve(curvature, gradient)
        parameters -= min(1.0, 3 / np.abs(step).max()) * step
        if np.abs(step).max() < 1e-4:
            break
    terms = np.zeros((given.sums.shape[1], 4))
    terms[rows, columns] = parameters[1:]
    return float(parameters[0]), terms


def with_player_error(model: StrengthModel, persons: Sequence[Sequence[Side]]) -> StrengthModel:
    """The model with the offset of players under which the ratings of persons, from the sides of each, are
    likeliest; as it is without persons. All ratings are alike before.
    """
    if not persons:
        return model
    logs = [log_likelihoods(model, [side.evidence() for side in sides]).sum(axis=0) for sides in persons]
    likelihoods = np.exp(np.array([row - row.max() for row in logs]))
    places = [int(np.abs(GRID - np.mean([side.rating for side in sides])).argmin()) for sides in persons]
    losses = []
    for error in _PLAYER_ERRORS:
        smoothed = likelihoods @ normal_kernel(error).T
        chances = smoothed[np.arange(len(places)), places] / smoothed.sum(axis=1)
        losses.append(-np.log(np.maximum(chances, 1e-12)).mean())
    return replace(model, player_error=float(_PLAYER_ERRORS[int(np.argmin(losses))]))


def normal_kernel(deviation: float) -> Array:
    """[grid, grid]: averages over a normal distribution; the identity for 0."""
    if deviation <= 0:
        return np.eye(len(GRID))
    kernel = np.exp(-0.5 * ((GRID[:, None] - GRID) / deviation) ** 2)
    scaled: Array = kernel / kernel.sum(axis=1, keepdims=True)
    return scaled


def _numbers(values: Array) -> tuple[float, ...]:
    return tuple(round(float(value), 5) for value in values)
