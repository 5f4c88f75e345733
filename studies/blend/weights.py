"""The blend paper's weights: alpha by group from a grid, as a curve or a policy file; scores and refits.

`sparring.measure.blending` has the fits by likelihood, which `sparring blend fit` uses.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring.measure.blending import (
    LARGEST_WEIGHT,
    Fit,
    GroupFit,
    PoolDerivatives,
    PositionWeights,
    RatingWeights,
    curve_value,
    head_lines,
    note_lines,
    sums_by_game,
)
from sparring.measure.scores import SCORE_DTYPE, ChoiceData
from sparring.policies import Curve
from sparring.policies.policy import Array, segment_log_softmax, segment_repeat, segment_sum
from sparring.policies.pool import geometric_pool


def pooled_logs(choices: ChoiceData, weights: Array) -> Array:
    """Unnormalised log-probabilities [moves] of the pool with weights [policies, positions]."""
    return geometric_pool(weights, choices.log_probabilities.astype(np.float64), choices.offsets)


@dataclass(frozen=True)
class GroupWeights:
    """The same weights in all positions of a group."""

    table: Array
    """[groups, policies]"""


WeightModel: TypeAlias = GroupWeights | RatingWeights | PositionWeights


def weights_of(model: WeightModel, choices: ChoiceData, groups: NDArray[np.int64]) -> Array:
    """The weights [policies, positions]; `groups` [positions] is the group of each position."""
    if isinstance(model, GroupWeights):
        return model.table[groups].T
    return model.fit.weights(model.features(choices))


def grid_blend(groups: list[GroupFit]) -> GroupWeights:
    """The blend paper's blend of two policies: the best alpha of each group."""
    alphas = np.array([group.best.alpha for group in groups if group.best is not None])
    return GroupWeights(np.stack([alphas, 1 - alphas], axis=1))


def constrained_blend(groups: list[GroupFit]) -> GroupWeights:
    """Each group with its maximum likelihood weights that sum to 1."""
    return GroupWeights(np.array([[weight.value for weight in group.alphas] for group in groups]))


def simplex_grid(step: float = 0.05) -> Array:
    """Weights [points, 3] that sum to 1, on a grid."""
    parts = round(1 / step)
    points = [(a, b, parts - a - b) for a, b in product(range(parts + 1), repeat=2) if a + b <= parts]
    return np.array(points, np.float64) / parts


def alpha_curve(groups: list[GroupFit]) -> Curve:
    """The grid's alphas as a curve through the groups' mean ratings; a constant unless all are known."""
    best = [(group, group.best.alpha) for group in groups if group.best is not None]
    knots = {round(group.rating): alpha for group, alpha in best if group.rating is not None}
    if len(knots) == len(groups) > 1:
        return Curve.through(knots)
    alphas = [alpha for _, alpha in best]
    return Curve.constant(float(np.average(alphas, weights=[group.positions for group in groups])))


def alpha_text(game: str, uses: Sequence[str], alpha: Curve, note: str) -> str:
    """The blend paper's blend of two policies: weight alpha for the first, 1 - alpha for the second."""
    lines = [
        *note_lines(note),
        *head_lines(game),
        'kind = "geometric"',
        f"alpha = {curve_value(game, alpha)}",
    ]
    for use in uses:
        lines += ["", "[[policy]]", f"use = {json.dumps(use)}"]
    return "\n".join(lines) + "\n"


def score_logs(choices: ChoiceData, logs: Array) -> NDArray[np.void]:
    """The scores [positions] (`SCORE_DTYPE`) of a policy from unnormalised log-probabilities [moves]."""
    normal = segment_log_softmax(logs, choices.offsets)
    shares, mine = np.exp(normal), segment_repeat(normal[choices.played], choices.offsets)
    earlier = np.arange(len(normal)) < segment_repeat(choices.played, choices.offsets)
    before = (normal > mine) | ((normal == mine) & earlier)
    result = np.zeros(len(choices), SCORE_DTYPE)
    result["played"] = shares[choices.played]
    result["top"] = np.maximum.reduceat(shares, choices.offsets[:-1])
    result["entropy"] = -segment_sum(shares * normal, choices.offsets)
    result["rank"] = np.add.reduceat(before.astype(np.int64), choices.offsets[:-1])
    return result


def refit(
    choices: ChoiceData,
    features: Array,
    found: Fit,
    counts: NDArray[np.integer],
    *,
    constrained: bool = False,
) -> Array:
    """The weights [resamples, policies, features] of resampled games, for intervals that include the fitting.

    `found` is the fit to all games, `counts` [resamples, games] how often each game is drawn. Each resample
    takes one step of Newton's method from `found`, with its own gradient and Hessian: its own minimum up to
    terms of second order.
    """
    logs = choices.log_probabilities.astype(np.float64)
    theta, fixed = found.theta, np.zeros(logs.shape[1])
    if constrained:
        theta, logs, fixed = theta[:-1], logs[:-1] - logs[-1], logs[-1]
    at = PoolDerivatives.at(theta, choices, logs, fixed, features)
    size, games = theta.size, choices.metadata["game"]
    hessians = np.einsum("klp,pi,pj->pkilj", at.spreads, features, features, optimize=True)
    by_game = sums_by_game(
        np.hstack([at.gradient, hessians.reshape(-1, size * size)]), games, counts.shape[1]
    )
    drawn = counts.astype(np.float64) @ by_game
    bend = drawn[:, size:].reshape(-1, size, size)
    bend += 1e-9 * (1 + np.trace(bend, axis1=1, axis2=2))[:, None, None] * np.eye(size)
    step = np.linalg.solve(bend, drawn[:, :size, None])[:, :, 0]
    moved = np.clip(theta - step.reshape(-1, *theta.shape), -LARGEST_WEIGHT, LARGEST_WEIGHT)
    if constrained:
        moved = np.concatenate([moved, 1 - moved.sum(axis=1, keepdims=True)], axis=1)
    return moved
