"""Fits a blend to people's games: by group with intervals, as curves over ratings, or by position."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

import numpy as np

from sparring.blending.grid import BestAlpha, alpha_weights, best_alpha, hits
from sparring.blending.likelihood import fit
from sparring.blending.weight_models import GroupWeights, PositionWeights, RatingWeights
from sparring.matching import ChoiceData, Sample
from sparring.matching.bootstrap import Estimate, Resamples
from sparring.policies import Curve

WeightsBy: TypeAlias = Literal["rating", "position", "all"]
Method: TypeAlias = Literal["likelihood", "grid"]
WEIGHTS_BY: tuple[str, ...] = get_args(WeightsBy)
METHODS: tuple[str, ...] = get_args(Method)
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
    found = []
    for number, name in enumerate(sample.groups):
        subset = choices.subset(np.flatnonzero(group_of == number))
        ratings = subset.metadata["rating"]
        one = np.ones((len(subset), 1))
        free, constrained = fit(subset, one), fit(subset, one, constrained=True)
        eye = np.eye(len(choices.log_probabilities))
        found.append(
            GroupFit(
                name,
                int((group_of_game == number).sum()),
                len(subset),
                None if np.isnan(ratings).all() else float(np.nanmean(ratings)),
                _estimates(free.theta[:, 0], free.standard_errors(np.ones(1))),
                _estimates(constrained.theta[:, 0], constrained.standard_errors(np.ones(1)), bounded=pairs),
                best_alpha(group_sums.group(number)) if pairs else None,
                free.nll,
                tuple(float(subset.negative_log_likelihood(each).mean()) for each in eye),
            )
        )
    return found


def grid_blend(groups: list[GroupFit]) -> GroupWeights:
    """The blend paper's blend of two policies: the best alpha of each group."""
    alphas = np.array([each.best.alpha for each in groups if each.best is not None])
    return GroupWeights(np.stack([alphas, 1 - alphas], axis=1))


def constrained_blend(groups: list[GroupFit]) -> GroupWeights:
    """Each group with its maximum likelihood weights that sum to 1."""
    return GroupWeights(np.array([[weight.value for weight in each.alphas] for each in groups]))


def alpha_curve(groups: list[GroupFit], by: WeightsBy) -> Curve:
    """The grid's alphas as a curve through the groups' mean ratings; a constant unless `by` is "rating"."""
    best = [(each, each.best.alpha) for each in groups if each.best is not None]
    known = {round(each.rating): alpha for each, alpha in best if each.rating is not None}
    if by == "rating" and len(known) == len(groups) > 1:
        return Curve.through(known)
    alphas = [alpha for _, alpha in best]
    return Curve.constant(float(np.average(alphas, weights=[each.positions for each in groups])))


def rating_blend(choices: ChoiceData, by: WeightsBy) -> RatingWeights:
    """Maximum likelihood weights as curves over ratings, or constant if `by` is "all"."""
    return RatingWeights.fitted(choices, knots=(0,) if by == "all" else None)


def position_blend(choices: ChoiceData) -> PositionWeights:
    """Maximum likelihood weights that depend on rating and position features."""
    return PositionWeights.fitted(choices)


def _estimates(
    values: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    standard_errors: np.ndarray[tuple[int, ...], np.dtype[np.float64]],
    *,
    bounded: bool = False,
) -> tuple[Estimate, ...]:
    """Values with 95 % intervals, clipped to [0, 1] if `bounded` (exact for one parameter of a convex
    problem)."""
    found = []
    for value, deviation in zip(values.tolist(), standard_errors.tolist(), strict=True):
        numbers = (value, value - _WIDE * deviation, value + _WIDE * deviation)
        found.append(Estimate(*(min(1.0, max(0.0, each)) for each in numbers) if bounded else numbers))
    return tuple(found)
