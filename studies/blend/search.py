"""Blends against KL-regularised search with the same human-like policy (figure 6 of the paper)."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from sparring.blending import WeightModel, pooled_logs
from sparring.matching import CachedPolicy
from sparring.matching.bootstrap import Resamples
from sparring.matching.measure import TaskProgressCallback
from sparring.matching.scores import cache_key
from sparring.policies import BadPolicy
from sparring.records import Split
from sparring.search import SearchPolicy
from studies.blend.accuracy import group_metrics
from studies.blend.config import (
    BlendStudyConfig,
    HeldOutSample,
    PredictedSample,
    predict_sample,
)


def compare_search(
    plan: BlendStudyConfig,
    experts: list[CachedPolicy],
    human: str,
    strong: str,
    blend: WeightModel,
    on_progress: TaskProgressCallback,
) -> dict[str, Any]:
    """Accuracy of the policy `human`, of search with it, and of its blend with `strong`.

    c_puct is chosen by group on validation games. The blend was fitted on all of them; the test sample is
    smaller here, since search is slow. Returns the report's section; {"left out": reason} if the policy has
    no values to search with.
    """
    by_name = {each.name: each for each in experts}
    searched = [_search_policy(by_name[human], c, plan.search.nodes) for c in plan.search.c_pucts]
    parts = {}
    for split in (Split.VALIDATION, Split.TEST):
        # Fewer positions of each game keep the number of games, and so the intervals, for the same time.
        chosen = replace(
            plan.selection(split, plan.search.positions, plan.search.groups), every=8 * plan.every
        )
        try:
            parts[split] = predict_sample(
                [by_name[human], by_name[strong], *searched], chosen, plan, on_progress
            )
        except BadPolicy as error:  # a policy without values cannot be searched with
            return {"left out": str(error)}
    names = [human, *(each.name for each in searched)]
    c_pucts = [math.inf, *plan.search.c_pucts]
    accuracies = _accuracies(parts[Split.VALIDATION], names)
    best = accuracies.argmax(axis=1)
    part = parts[Split.TEST]
    measured = HeldOutSample(part, Resamples.draw(part.sample.group_of_game, plan.resamples))
    return {
        "nodes": plan.search.nodes,
        "validation": {
            group: {_text(c): float(value) for c, value in zip(c_pucts, row, strict=True)}
            for group, row in zip(part.sample.groups, accuracies, strict=True)
        },
        "c_puct": {
            group: _text(c_pucts[int(column)]) for group, column in zip(part.sample.groups, best, strict=True)
        },
        "positions": len(part.sample),
        "games": len(part.sample.games),
        **_compare(measured, names, best, human, strong, blend),
    }


def _compare(
    measured: HeldOutSample, names: list[str], best: Any, human: str, strong: str, model: WeightModel
) -> dict[str, Any]:
    part = measured.part
    pair = part.of(human, strong)
    chosen = np.array([part.names.index(name) for name in names])[best][part.groups]
    sizes = np.diff(part.choices.offsets)
    moves = np.arange(part.choices.offsets[-1])
    search = part.choices.log_probabilities[np.repeat(chosen, sizes), moves].astype(np.float64)
    policy, found = measured.metrics_of(human), measured.metrics(search)
    blend = measured.metrics(pooled_logs(pair, model.weights(pair, part.groups)))
    return {
        "policies": {
            human: group_metrics(policy),
            "search": group_metrics(found),
            "blend": group_metrics(blend),
        },
        "search less policy": found.difference(policy),
        "blend less search": blend.difference(found),
    }


def _accuracies(part: PredictedSample, names: list[str]) -> Any:
    """Accuracy by group and policy, [groups, names]."""
    columns = []
    for name in names:
        right = part.choices.scores(part.of(name).log_probabilities[0].astype(np.float64))["rank"] == 0
        columns.append([right[part.groups == group].mean() for group in range(len(part.sample.groups))])
    return np.array(columns).T


def _search_policy(expert: CachedPolicy, c_puct: float, nodes: int) -> CachedPolicy:
    return CachedPolicy(
        SearchPolicy(expert.policy, c_puct, nodes), cache_key(expert.key, f"search {c_puct:g} {nodes} visits")
    )


def _text(c_puct: float) -> str:
    return "infinite" if math.isinf(c_puct) else f"{c_puct:g}"
