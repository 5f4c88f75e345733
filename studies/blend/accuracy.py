"""Blends against their parts: accuracy and likelihood by group, the paper's figures 1 to 5, 7 and 8."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np

from sparring.blending import (
    GroupFit,
    GroupWeights,
    RatingWeights,
    WeightModel,
    constrained_blend,
    fit_groups,
    grid_blend,
    pooled_logs,
    position_blend,
    rating_blend,
)
from sparring.blending.grid import ALPHAS, alpha_weights, hits, simplex_grid
from sparring.blending.weight_models import place_knots
from sparring.matching import ChoiceData
from sparring.matching.bootstrap import intervals
from sparring.matching.metrics import PolicyMetrics
from sparring.policies.segments import Array
from studies.blend.config import HeldOutSample, PredictedSample

WAYS = ("grid", "alpha", "rating", "position")
"""How weights are chosen: alpha by group on accuracy, as in the paper; alpha by group on likelihood; free
weights along curves over the rating; the same with traits of the position."""
_NEAR = 0.1
_BETAS = (0.5, -0.5)


def fitted(part: PredictedSample, *names: str) -> tuple[list[GroupFit], dict[str, WeightModel]]:
    """Every way to weigh some policies, fitted on a part; the grid is for two."""
    choices = part.of(*names)
    groups = fit_groups(choices, part.sample)
    ways: dict[str, WeightModel] = {"grid": grid_blend(groups)} if len(names) == 2 else {}
    ways |= {
        "alpha": constrained_blend(groups),
        "rating": rating_blend(choices, "rating"),
        "position": position_blend(choices),
    }
    return groups, ways


def evaluate_blend(measured: HeldOutSample, weighing: WeightModel, *names: str) -> PolicyMetrics:
    """A blend on the part that is measured on."""
    choices = measured.part.of(*names)
    return measured.matching(pooled_logs(choices, weighing.weights(choices, measured.part.groups)))


def group_metrics(matching: PolicyMetrics) -> dict[str, Any]:
    """Its numbers by group and in the mean over groups."""
    return {"groups": matching.by_group(), "mean": matching.mean()}


def paired_difference(blend: PolicyMetrics, other: PolicyMetrics, upper: int) -> dict[str, Any]:
    """A blend less another policy, paired: by group, in the mean, and in the mean of the highest groups."""
    last = range(len(blend.sample.groups))[-upper:]
    return {**blend.difference(other), "upper": blend.macro_difference(other, list(last))}


def describe_fit(groups: list[GroupFit], choices: ChoiceData) -> dict[str, Any]:
    """Alpha of each group in both ways with intervals, and how it goes with the rating."""
    found: dict[str, Any] = {
        each.group: {
            "rating": each.rating,
            "positions": each.positions,
            "games": each.games,
            "grid": None if each.best is None else asdict(each.best.alpha),
            "likelihood": asdict(each.alphas[0]),
            "weights": [asdict(weight) for weight in each.weights],
        }
        for each in groups
    }
    return {"groups": found, "trend": _trend(choices)}


def _trend(choices: ChoiceData) -> dict[str, Any] | None:
    """Alpha along a straight line over ratings, on likelihood, with the interval of its change."""
    knots = place_knots(choices.metadata["rating"], 2)
    if len(knots) < 2:
        return None
    line = RatingWeights.fitted(choices, constrained=True, knots=knots).fit
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


def curves(groups: list[GroupFit]) -> dict[str, Any]:
    """Accuracy by alpha on the games that alpha was chosen on, the paper's figures 2, 5 and 8."""
    return {
        "alphas": ALPHAS.tolist(),
        "groups": {each.group: list(each.best.curve) for each in groups if each.best is not None},
    }


def alpha_sensitivity(measured: HeldOutSample, weighing: GroupWeights, *names: str) -> dict[str, Any]:
    """What alpha 0.1 off costs in accuracy, in the mean of both sides, where it was not chosen."""
    choices, part = measured.part.of(*names), measured.part
    columns = []
    for shift in (0.0, -_NEAR, _NEAR):
        alpha = np.clip(weighing.table[:, 0] + shift, 0, 1)
        weights = GroupWeights(np.stack([alpha, 1 - alpha], axis=1)).weights(choices, part.groups)
        columns.append(choices.scores(pooled_logs(choices, weights))["rank"] == 0)
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
    """The three means, formulas 1, 3 and 4, each with the alpha by group that is best for it."""
    found: dict[str, Any] = {}
    first: PolicyMetrics | None = None
    for kind, beta in (("geometric", 1.0), ("arithmetic", 1.0), *(("power", beta) for beta in _BETAS)):
        alphas = _best_by_group(validation, kind, beta, *names)
        table = GroupWeights(np.stack([alphas, 1 - alphas], axis=1))
        choices = measured.part.of(*names)
        weights = table.weights(choices, measured.part.groups)
        matching = measured.matching(pooled_logs(choices, weights, kind, beta))
        label = kind if kind != "power" else f"power, beta {beta:g}"
        first = first or matching
        found[label] = {"mean": matching.mean(), "alphas": alphas.tolist()}
        if matching is not first:
            found[label]["less geometric"] = paired_difference(matching, first, upper)["mean"]
    return found


def _best_by_group(part: PredictedSample, kind: str, beta: float, *names: str) -> Array:
    """[groups]: alpha on the paper's grid, in steps of 0.05 here."""
    steps = alpha_weights()[::5]
    right = hits(part.of(*names), steps, kind, beta)
    accuracies = np.stack([right[part.groups == g].mean(axis=0) for g in range(len(part.sample.groups))])
    best: Array = steps[accuracies.argmax(axis=1), 0]
    return best


def three_policy_blends(
    validation: PredictedSample, measured: HeldOutSample, upper: int, *names: str
) -> dict[str, Any]:
    """Blends of three policies, the paper's future work, beside the best of two."""
    groups, ways = fitted(validation, *names)
    right = hits(validation.of(*names), shares := simplex_grid())
    by_group = [right[validation.groups == g].mean(axis=0) for g in range(len(groups))]
    ways = {"grid": GroupWeights(shares[np.stack(by_group).argmax(axis=1)]), **ways}
    pair = (names[0], names[-1])
    _, pair_ways = fitted(validation, *pair)
    found: dict[str, Any] = {"policies": list(names), "weights": {}, "ways": {}}
    for each in groups:
        found["weights"][each.group] = [asdict(weight) for weight in each.weights]
    for way in ways:
        matching = evaluate_blend(measured, ways[way], *names)
        two = evaluate_blend(measured, pair_ways[way], *pair)
        found["ways"][way] = {"mean": matching.mean(), "less two": paired_difference(matching, two, upper)}
    return found
