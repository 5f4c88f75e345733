"""Maximum likelihood weights by Newton's method, with standard errors clustered by game.

The model is the geometric pool (the blend paper's formula 1) with weights linear in features of the
position: log p(move) = sum_k w_k log p_k(move) - log Z, with w_k = sum_j theta_kj phi_j. One constant
feature gives the same weights for all positions, hat functions of the rating give curves, position features
give weights by position. The negative log-likelihood is convex in theta: the minimum is unique and there is
no step size to choose.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.measure.metrics import Estimate, Means, Resamples
from sparring.measure.samples import Sample
from sparring.measure.scores import ChoiceData
from sparring.policies import Curve
from sparring.policies.policy import Array, segment_argmax, segment_log_softmax, segment_repeat, segment_sum
from sparring.policies.pool import (
    FeatureScaler,
    geometric_pool,
    position_feature_names,
    position_features,
)

_STEPS = 60
_CLOSE = 1e-10
LARGEST_WEIGHT = 50.0
"""A weight at this bound means that the policies predict all positions: there are too few."""


@dataclass(frozen=True)
class Fit:
    """Fitted weights with their covariance."""

    theta: Array
    """[policies, features]"""
    covariance: Array
    """[policies * features, policies * features]: the sandwich estimator, clustered by game."""
    positions: int
    nll: float
    """Mean negative log-likelihood in nats on the fitted positions."""

    def weights(self, features: Array) -> Array:
        """The weights [policies, positions] for features [positions, features]."""
        values: Array = self.theta @ features.T
        return values

    def standard_errors(self, features: Array) -> Array:
        """The standard errors [policies] of the weights at the features [features] of one position."""
        reach = np.kron(np.eye(len(self.theta)), features)
        errors: Array = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", reach, self.covariance, reach), 0))
        return errors


def fit(choices: ChoiceData, features: Array, *, constrained: bool = False) -> Fit:
    """The weights that maximise the likelihood of the choices, for features [positions, features].

    With `constrained` the weights sum to 1 in every position, as alpha and 1 - alpha do. The features must
    then sum to 1, too.
    """
    logs = choices.log_probabilities.astype(np.float64)
    if constrained:
        free = _minimise(choices, logs[:-1] - logs[-1], logs[-1], features)
        return _expand_constrained(free)
    return _minimise(choices, logs, np.zeros(logs.shape[1]), features)


def sums_by_game(columns: Array, games: NDArray[np.integer], number: int) -> Array:
    """Sums of columns [positions, columns] over the positions of each game, [number, columns]."""
    return np.stack([np.bincount(games, column, number) for column in columns.T], axis=1)


def _minimise(choices: ChoiceData, logs: Array, fixed: Array, features: Array) -> Fit:
    """Newton's method with step halving."""
    policies, width = len(logs), features.shape[1]
    theta = np.full((policies, width), 0.5 / max(policies, 1))
    at = PoolDerivatives.at(theta, choices, logs, fixed, features)
    for _ in range(_STEPS):
        # A small ridge: with equal predictions of two policies the Hessian is singular.
        bend = at.hessian + 1e-9 * (1 + np.trace(at.hessian)) * np.eye(policies * width)
        step = np.linalg.solve(bend, at.gradient.sum(axis=0))
        length, following = 1.0, at
        while length > 1e-6:
            moved = np.clip(theta - length * step.reshape(theta.shape), -LARGEST_WEIGHT, LARGEST_WEIGHT)
            following = PoolDerivatives.at(moved, choices, logs, fixed, features)
            if following.nll <= at.nll:
                break
            length /= 2
        gained = at.nll - following.nll
        if gained < 0:
            break
        theta, at = moved, following
        if gained < _CLOSE * max(1.0, abs(at.nll)):
            break
    return Fit(theta, at.sandwich(choices.metadata["game"]), len(choices), at.nll / max(len(choices), 1))


@dataclass(frozen=True)
class PoolDerivatives:
    """Value, gradient and Hessian of the negative log-likelihood, summed over positions."""

    nll: float
    gradient: Array
    """[positions, policies * features]"""
    hessian: Array
    spreads: Array
    """[policies, policies, positions]: covariances of the policies' log-probabilities over the moves."""

    @staticmethod
    def at(theta: Array, choices: ChoiceData, logs: Array, fixed: Array, features: Array) -> PoolDerivatives:
        """The derivatives at theta; `fixed` [moves] is added to the pool."""
        offsets, played = choices.offsets, choices.played
        normal = segment_log_softmax(fixed + geometric_pool(theta @ features.T, logs, offsets), offsets)
        shares = np.exp(normal)
        means = segment_sum(shares * logs, offsets)
        gaps = logs - segment_repeat(means, offsets)
        spreads = np.stack([segment_sum(shares * gaps * row, offsets) for row in gaps])
        size = theta.size
        gradient = np.einsum("kp,pj->pkj", means - logs[:, played], features).reshape(-1, size)
        hessian = np.einsum("klp,pi,pj->kilj", spreads, features, features, optimize=True).reshape(size, size)
        return PoolDerivatives(float(-normal[played].sum()), gradient, hessian, spreads)

    def sandwich(self, games: NDArray[np.integer]) -> Array:
        """The covariance of the weights, clustered by game."""
        size = self.gradient.shape[1]
        _, place = np.unique(games, return_inverse=True)
        count = int(place.max()) + 1 if len(place) else 0
        by_game = sums_by_game(self.gradient, place, count)
        bread = np.linalg.pinv(self.hessian + 1e-9 * (1 + np.trace(self.hessian)) * np.eye(size))
        often = count / max(count - 1, 1)
        covariance: Array = often * bread @ (by_game.T @ by_game) @ bread
        return covariance


def _expand_constrained(free: Fit) -> Fit:
    """Adds the last policy, whose weight is 1 minus the sum of the others."""
    policies, width = free.theta.shape
    theta = np.vstack([free.theta, 1 - free.theta.sum(axis=0)])
    whole = np.vstack([np.eye(policies * width), np.tile(-np.eye(width), policies)])
    return Fit(theta, whole @ free.covariance @ whole.T, free.positions, free.nll)


# Models of pool weights: as a curve over ratings, or by position features.


_KNOTS = 3
WeightsBy: TypeAlias = Literal["rating", "position", "all"]
WEIGHTS_BY: tuple[str, ...] = get_args(WeightsBy)


@dataclass(frozen=True)
class RatingWeights:
    """One piecewise linear curve over ratings per policy, as `Curve` and TOML files have it."""

    knots: tuple[int, ...]
    """Ascending ratings; a single knot means constant weights."""
    fit: Fit

    def features(self, choices: ChoiceData) -> Array:
        """The features [positions, features] of which the weights are linear functions."""
        return hat_basis(choices.metadata["rating"], self.knots)

    def curves(self) -> list[Curve]:
        """One curve per policy."""
        return _curves(self.knots, self.fit.theta)


@dataclass(frozen=True)
class PositionWeights:
    """Curves over ratings plus a linear function of the position's features."""

    knots: tuple[int, ...]
    scale: FeatureScaler
    fit: Fit
    """Its features are the hat functions of the knots, then the position features."""

    def features(self, choices: ChoiceData) -> Array:
        """The features [positions, features] of which the weights are linear functions."""
        traits = self.scale.apply(_traits(choices))
        return np.hstack([hat_basis(choices.metadata["rating"], self.knots), traits])

    def curves(self) -> list[Curve]:
        """One curve per policy, for a position with mean features."""
        return _curves(self.knots, self.fit.theta[:, : len(self.knots)])

    def trait_coefficients(self) -> Array:
        """[policies, features]: the change of the weight per standard deviation of a feature."""
        return self.fit.theta[:, len(self.knots) :]


def rating_blend(choices: ChoiceData, by: WeightsBy = "rating") -> RatingWeights:
    """Maximum likelihood weights as curves over ratings, or constant if `by` is "all"."""
    ratings = choices.metadata["rating"]
    knots = (0,) if by == "all" else place_knots(ratings)
    return RatingWeights(knots, fit(choices, hat_basis(ratings, knots)))


def position_blend(choices: ChoiceData) -> PositionWeights:
    """Maximum likelihood weights that depend on rating and position features."""
    knots, traits = place_knots(choices.metadata["rating"]), _traits(choices)
    scale = FeatureScaler.of(traits)
    features = np.hstack([hat_basis(choices.metadata["rating"], knots), scale.apply(traits)])
    return PositionWeights(knots, scale, fit(choices, features))


def place_knots(ratings: NDArray[np.floating], count: int = _KNOTS) -> tuple[int, ...]:
    """Evenly spaced knots from the 5 % to the 95 % quantile of the ratings; one knot if all are equal or
    unknown."""
    rated = ratings[~np.isnan(ratings)]
    if not len(rated):
        return (0,)
    low, high = np.quantile(rated, [0.05, 0.95])
    return tuple(sorted({round(float(knot)) for knot in np.linspace(low, high, count)}))


def hat_basis(ratings: NDArray[np.floating], knots: tuple[int, ...]) -> Array:
    """The hat functions [ratings, knots] at these ratings; unknown ratings are put at the middle."""
    at = np.where(np.isnan(ratings), (knots[0] + knots[-1]) / 2, ratings)
    return np.stack([np.interp(at, knots, row) for row in np.eye(len(knots))], axis=1)


def _curves(knots: tuple[int, ...], values: Array) -> list[Curve]:
    return [Curve(tuple(zip(map(float, knots), row.tolist(), strict=True))) for row in values]


def _traits(choices: ChoiceData) -> Array:
    logs = choices.log_probabilities.astype(np.float64)
    return position_features(logs, choices.offsets, choices.metadata["ply"].astype(np.float64))


# The blend paper's choice of alpha: the value among 0, 0.01, ..., 1 with the best accuracy on validation
# games.


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


def hits(choices: ChoiceData, grid: Array) -> NDArray[np.bool_]:
    """Whether the pool with each weight vector of a grid [points, policies] predicts the move played:
    [positions, points]."""
    logs = choices.log_probabilities.astype(np.float64)
    best = [segment_argmax(weights @ logs, choices.offsets) for weights in grid]
    return np.stack([moves == choices.played for moves in best], axis=1)


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
        tuple(float(mean) for mean in means.values),
    )


def middle_best(curves: Array) -> NDArray[np.int64]:
    """For each curve [curves, points] the middle of the points at which it is highest, [curves]."""
    highest = curves == curves.max(axis=1, keepdims=True)
    rank = np.cumsum(highest, axis=1)
    middle: NDArray[np.int64] = (rank == (rank[:, -1:] + 1) // 2).argmax(axis=1)
    return middle


# Fits a blend to people's games: by group with intervals, as curves over ratings, or by position.


_WIDE = 1.96


@dataclass(frozen=True)
class GroupFit:
    """The fits of one group."""

    group: str
    games: int
    positions: int
    rating: float | None
    """The mean rating of the players to move; None if unknown."""
    weights: tuple[Estimate, ...]
    """Maximum likelihood weights of the policies; their sum is an inverse temperature."""
    alphas: tuple[Estimate, ...]
    """Maximum likelihood weights constrained to sum to 1; for two policies each within [0, 1]."""
    best: BestAlpha | None
    """The alpha of the blend paper's grid search; None unless there are two policies."""
    nll: float
    """Mean negative log-likelihood in nats with `weights`."""
    alone: tuple[float, ...]
    """Mean negative log-likelihood in nats of each policy alone."""


def fit_groups(
    choices: ChoiceData, sample: Sample, *, resamples: int = 1000, seed: int = 0
) -> list[GroupFit]:
    """Fits every group separately: by maximum likelihood, and by grid search if there are two policies."""
    group_of_game = sample.group_of_game
    group_of = group_of_game[sample.metadata["game"]]
    pairs = len(choices.log_probabilities) == 2
    if pairs:
        drawn = Resamples.draw(group_of_game, resamples, seed)
        group_sums = drawn.group_sums(
            hits(choices, alpha_weights()).astype(np.float64), sample.metadata["game"]
        )
    fits = []
    for number, name in enumerate(sample.groups):
        subset = choices.subset(np.flatnonzero(group_of == number))
        ratings = subset.metadata["rating"]
        one = np.ones((len(subset), 1))
        free, constrained = fit(subset, one), fit(subset, one, constrained=True)
        eye = np.eye(len(choices.log_probabilities))
        fits.append(
            GroupFit(
                name,
                int((group_of_game == number).sum()),
                len(subset),
                None if np.isnan(ratings).all() else float(np.nanmean(ratings)),
                _estimates(free.theta[:, 0], free.standard_errors(np.ones(1))),
                _estimates(constrained.theta[:, 0], constrained.standard_errors(np.ones(1)), bounded=pairs),
                best_alpha(group_sums.group(number)) if pairs else None,
                free.nll,
                tuple(float(subset.negative_log_likelihood(weights).mean()) for weights in eye),
            )
        )
    return fits


def _estimates(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    standard_errors: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    bounded: bool = False,
) -> tuple[Estimate, ...]:
    """Values with 95 % intervals, clipped to [0, 1] if `bounded` (exact for one parameter of a convex
    problem)."""
    estimates = []
    for value, deviation in zip(values.tolist(), standard_errors.tolist(), strict=True):
        numbers = (value, value - _WIDE * deviation, value + _WIDE * deviation)
        estimates.append(
            Estimate(*(min(1.0, max(0.0, number)) for number in numbers) if bounded else numbers)
        )
    return tuple(estimates)


# Writes fitted blends as TOML files for `load_policy`.


def curves_text(game: str, uses: Sequence[str], curves: Sequence[Curve], note: str) -> str:
    """A pool whose weights are curves over ratings."""
    lines = [*note_lines(note), *head_lines(game), 'kind = "geometric"']
    for use, curve in zip(uses, curves, strict=True):
        lines += ["", "[[policy]]", f"use = {json.dumps(use)}", f"weight = {curve_value(game, curve)}"]
    return "\n".join(lines) + "\n"


def traits_text(game: str, uses: Sequence[str], blend: PositionWeights, note: str) -> str:
    """A pool whose weights depend on position features."""
    names = position_feature_names(len(uses))
    lines = [*note_lines(note), *head_lines(game), 'kind = "position"', ""]
    lines += ["[features]  # mean and standard deviation of each"]
    for name, mean, spread in zip(names, blend.scale.means, blend.scale.stds, strict=True):
        lines.append(f"{name} = [{mean:.6g}, {spread:.6g}]")
    for use, curve, row in zip(uses, blend.curves(), blend.trait_coefficients().tolist(), strict=True):
        parts = [f"{name} = {value:.5f}" for name, value in zip(names, row, strict=True)]
        lines += ["", "[[policy]]", f"use = {json.dumps(use)}", f"weight = {curve_value(game, curve)}"]
        lines += [f"feature_weights = {{ {', '.join(parts)} }}"]
    return "\n".join(lines) + "\n"


def head_lines(game: str) -> list[str]:
    """The keys that every policy file begins with."""
    return [f'game = "{game}"', f"move_numbering = {describe(game).move_numbering}"]


def note_lines(note: str) -> list[str]:
    """A note as comments."""
    return [f"# {line}" for line in note.splitlines()]


def curve_value(game: str, curve: Curve) -> str:
    """A number, or a table by rating or rank."""
    if len(curve.knots) == 1:
        return f"{curve.knots[0][1]:.4f}"
    parts = [f"{describe(game).ratings.format(round(rating))} = {value:.4f}" for rating, value in curve.knots]
    return f"{{ {', '.join(parts)} }}"
