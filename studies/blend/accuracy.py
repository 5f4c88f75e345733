"""Blends against their member policies: accuracy and likelihood by group (figures 1 to 5, 7 and 8)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import numpy as np

from sparring.measure.blending import (
    ALPHAS,
    BestAlpha,
    GroupFit,
    alpha_weights,
    fit,
    fit_groups,
    hat_basis,
    place_knots,
    position_blend,
    rating_blend,
)
from sparring.measure.metrics import PolicyMetrics, intervals
from sparring.measure.scores import ChoiceData
from sparring.policies.policy import Array
from studies.blend.config import HeldOutSample, PredictedSample
from studies.blend.nested import Candidates, NestedMetrics, pool_scores, refitted
from studies.blend.weights import (
    GroupWeights,
    WeightModel,
    constrained_blend,
    grid_blend,
    pooled_logs,
    score_logs,
    simplex_grid,
    weights_of,
)

_SHIFT = 0.1
"""The change of alpha whose cost is measured."""
_BETAS = (0.5, -0.5)
"""Exponents of the power means (formula 4)."""


def fit_methods(part: PredictedSample, *names: str) -> tuple[list[GroupFit], dict[str, WeightModel]]:
    """Fits the weights of the named policies by every method; returns the fits by group and the models.

    Methods: `grid` (alpha by group on accuracy, as in the paper; two policies only), `alpha` (alpha by group
    on likelihood), `rating` (free weights as curves over the rating), `position` (the same with position
    features).
    """
    choices = part.of(*names)
    groups = fit_groups(choices, part.sample)
    methods: dict[str, WeightModel] = {"grid": grid_blend(groups)} if len(names) == 2 else {}
    methods |= {
        "alpha": constrained_blend(groups),
        "rating": rating_blend(choices, "rating"),
        "position": position_blend(choices),
    }
    return groups, methods


def evaluate_blend(measured: HeldOutSample, weighing: WeightModel, *names: str) -> PolicyMetrics:
    """Metrics of a blend of the named policies on the test sample."""
    choices = measured.part.of(*names)
    return measured.metrics(pooled_logs(choices, weights_of(weighing, choices, measured.part.groups)))


def group_metrics(metrics: PolicyMetrics) -> dict[str, Any]:
    """A policy's metrics by group, and their mean over groups."""
    return {"groups": metrics.by_group(), "mean": metrics.mean()}


def describe_fit(groups: list[GroupFit], choices: ChoiceData) -> dict[str, Any]:
    """Alpha of each group by grid and by likelihood, with intervals, and its trend over the rating."""
    found: dict[str, Any] = {
        group.group: {
            "rating": group.rating,
            "positions": group.positions,
            "games": group.games,
            "grid": None if group.best is None else _range(group.best),
            "likelihood": asdict(group.alphas[0]),
            "weights": [asdict(weight) for weight in group.weights],
        }
        for group in groups
    }
    return {"groups": found, "trend": _trend(choices)}


def _range(best: BestAlpha) -> dict[str, float]:
    """The grid's alpha, with the lowest and the highest alpha within noise of it."""
    return {"value": best.alpha, "low": best.low, "high": best.high}


def _trend(choices: ChoiceData) -> dict[str, Any] | None:
    """Alpha as a straight line over ratings, by likelihood, with a 95 % interval of its change."""
    ratings = choices.metadata["rating"]
    knots = place_knots(ratings, 2)
    if len(knots) < 2:
        return None
    line = fit(choices, hat_basis(ratings, knots), constrained=True)
    low, high = line.theta[0].tolist()
    change = np.zeros(line.theta.size)
    change[:2] = -1, 1
    wide = 1.96 * float(np.sqrt(change @ line.covariance @ change))
    return {
        "ratings": list(knots),
        "alpha": [low, high],
        "change": high - low,
        "low": high - low - wide,
        "high": high - low + wide,
    }


def accuracy_by_alpha(groups: list[GroupFit]) -> dict[str, Any]:
    """Accuracy over alpha on the validation games, by group (figures 2, 5 and 8)."""
    return {
        "alphas": ALPHAS.tolist(),
        "groups": {group.group: list(group.best.curve) for group in groups if group.best is not None},
    }


def alpha_sensitivity(measured: HeldOutSample, weighing: GroupWeights, *names: str) -> dict[str, Any]:
    """The accuracy lost on the test sample when alpha is 0.1 too low or too high, in the mean of both.

    The intervals are over test games, with the alphas as they are.
    """
    choices, part = measured.part.of(*names), measured.part
    columns = []
    for shift in (0.0, -_SHIFT, _SHIFT):
        alpha = np.clip(weighing.table[:, 0] + shift, 0, 1)
        weights = np.stack([alpha, 1 - alpha])[:, part.groups]
        columns.append(score_logs(choices, pooled_logs(choices, weights))["rank"] == 0)
    group_sums = measured.resamples.group_sums(
        np.stack(columns, axis=1).astype(np.float64), part.sample.metadata["game"]
    )
    found = {name: group_sums.group(number) for number, name in enumerate(part.sample.groups)}
    costs = {}
    for name, means in {**found, "mean": group_sums.macro_average()}.items():
        resampled_means, values = means.resampled_means, means.values
        cost = intervals(_cost(values[None]), _cost(resampled_means)[:, None])[0]
        costs[name] = asdict(cost)
    return costs


def _cost(accuracies: Array) -> Array:
    cost: Array = accuracies[:, 0] - accuracies[:, 1:].mean(axis=1)
    return cost


def compare_means(
    validation: PredictedSample, measured: HeldOutSample, upper: int, *names: str
) -> dict[str, Any]:
    """Geometric, arithmetic and power mean (formulas 1, 3 and 4), each with its best alpha by group."""
    found: dict[str, Any] = {}
    first: NestedMetrics | None = None
    steps = alpha_weights()[::5]
    for kind, beta in (("geometric", 1.0), ("arithmetic", 1.0), *(("power", beta) for beta in _BETAS)):
        candidates = Candidates.of(validation, measured, pool_scores(steps, names, kind, beta))
        metrics = candidates.chosen()
        label = kind if kind != "power" else f"power, beta {beta:g}"
        first = first or metrics
        found[label] = {"mean": metrics.entries()["mean"], "alphas": steps[candidates.best(), 0].tolist()}
        if metrics is not first:
            found[label]["less geometric"] = metrics.difference(first, upper)["mean"]
    return found


def three_policy_blends(
    validation: PredictedSample, measured: HeldOutSample, upper: int, refits: int, *names: str
) -> dict[str, Any]:
    """Blends of three policies against blends of the first and the last (the paper's future work)."""
    groups, methods = fit_methods(validation, *names)
    pair = (names[0], names[-1])
    _, pair_methods = fit_methods(validation, *pair)
    three = nested_methods(validation, measured, methods, refits, *names)
    two = nested_methods(validation, measured, pair_methods, refits, *pair)
    three["grid"] = Candidates.of(validation, measured, pool_scores(simplex_grid(), names)).chosen()
    return {
        "policies": list(names),
        "weights": {group.group: [asdict(weight) for weight in group.weights] for group in groups},
        "methods": {
            method: {
                "mean": three[method].entries()["mean"],
                "less two": three[method].difference(two[method], upper),
            }
            for method in two
        },
    }


def nested_methods(
    validation: PredictedSample,
    measured: HeldOutSample,
    methods: Mapping[str, WeightModel],
    refits: int,
    *names: str,
) -> dict[str, NestedMetrics]:
    """The metrics of the blends of `fit_methods`, with intervals that include their fitting.

    The grid chooses anew in every resample of `measured`, likelihood in the first `refits` ones.
    """
    found = {}
    if "grid" in methods:
        candidates = Candidates.of(validation, measured, pool_scores(alpha_weights(), names))
        found["grid"] = candidates.chosen()
    for method in ("alpha", "rating", "position"):
        model = methods[method]
        fitted = None if isinstance(model, GroupWeights) else model
        found[method] = refitted(validation, measured, fitted, names, refits)
    return found
