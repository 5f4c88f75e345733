"""Blends against KL-regularised search with the same human-like policy (section V-C, figure 6 of the paper).

Every position is searched leaf by leaf, with each c_puct of the paper. c_puct is chosen by group on the same
validation positions as alpha, on accuracy, and the intervals of both include the choice.
"""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.errors import BadConfig
from sparring.measure.matching import TaskProgressCallback
from sparring.measure.metrics import metric_columns
from sparring.measure.scores import CachedPolicy
from sparring.policies.policy import Array
from studies.blend.config import BlendStudyConfig, HeldOutSample, PredictedSample, SearchComparisonConfig
from studies.blend.nested import Candidates, NestedMetrics
from studies.blend.searched import RULES, search_scores
from studies.blend.weights import score_logs

BLEND, BLEND_BY_RATING = "blend (grid)", "blend (by rating)"
"""The blends that search is compared with: the paper's, and ours."""


def compare_search(
    plan: BlendStudyConfig,
    expert: CachedPolicy,
    validation: PredictedSample,
    measured: HeldOutSample,
    blends: dict[str, NestedMetrics],
    on_progress: TaskProgressCallback,
) -> dict[str, Any]:
    """Accuracy of a human-like policy, of search with it by every rule, and of its blends.

    `blends` has BLEND and BLEND_BY_RATING. Returns the report's section; {"left out": reason} if the policy
    has no values to search with.
    """
    config = plan.search
    assert config is not None
    try:
        scores = {
            id(part): _scores(plan, config, expert, part, on_progress) for part in (validation, measured.part)
        }
    except BadConfig as error:  # a policy without values cannot be searched with
        return {"left out": str(error)}
    policy = NestedMetrics.of(measured.metrics_of(expert.name))
    others = {expert.name: policy, plan.strong[0]: NestedMetrics.of(measured.metrics_of(plan.strong[0]))}
    rules = {}
    for number, rule in enumerate(RULES):
        candidates = Candidates.of(validation, measured, partial(_columns, scores, number))
        rules[rule] = _rule(candidates, config, policy, blends, plan.upper)
    return {
        "nodes": config.nodes,
        "c_pucts": [_text(c) for c in _c_pucts(config)],
        "parts": {
            "validation": {"positions": len(validation.sample), "games": len(validation.sample.games)},
            "test": {"positions": len(measured.part.sample), "games": len(measured.part.sample.games)},
        },
        "policies": {name: each.entries() for name, each in (others | blends).items()},
        "blend less policy": blends[BLEND].difference(policy, plan.upper),
        "rules": rules,
    }


def _scores(
    plan: BlendStudyConfig,
    config: SearchComparisonConfig,
    expert: CachedPolicy,
    part: PredictedSample,
    on_progress: TaskProgressCallback,
) -> NDArray[np.void]:
    """The scores [positions, c_pucts, RULES]; infinity, the last c_puct, is the policy itself."""
    found = []
    total = len(part.sample) * len(config.c_pucts)
    for number, c_puct in enumerate(config.c_pucts):
        done = number * len(part.sample)
        found.append(
            search_scores(
                expert,
                c_puct,
                config.nodes,
                part.sample,
                plan.cache,
                lambda more, done=done: on_progress("searching", done + more, total),  # type: ignore[misc]
            )
        )
    alone = score_logs(part.choices, part.of(expert.name).log_probabilities[0].astype(np.float64))
    found.append(np.repeat(alone[:, None], len(RULES), axis=1))
    return np.stack(found, axis=1)


def _columns(scores: dict[int, NDArray[np.void]], rule: int, part: PredictedSample) -> tuple[Array, Array]:
    """Hits and nats [positions, c_pucts] of a rule."""
    table = scores[id(part)][:, :, rule]
    columns = metric_columns(table.ravel()).reshape(*table.shape, -1)
    return columns[..., 0], columns[..., -1]


def _rule(
    candidates: Candidates,
    config: SearchComparisonConfig,
    policy: NestedMetrics,
    blends: dict[str, NestedMetrics],
    upper: int,
) -> dict[str, Any]:
    """A rule's section: accuracy at each c_puct, the chosen ones, the differences to policy and blends."""
    texts = [_text(c) for c in _c_pucts(config)]
    chosen, best = candidates.chosen(), candidates.best()
    test = candidates.table(test=True)
    return {
        "c_puct": {group: texts[int(c)] for group, c in zip(candidates.groups, best, strict=True)},
        "validation": _by_c(candidates.table(), candidates.groups, texts),
        "test": _by_c(test, candidates.groups, texts),
        **chosen.entries(),
        "less policy": chosen.difference(policy, upper),
        "blend less it": blends[BLEND].difference(chosen, upper),
        "blend by rating less it": blends[BLEND_BY_RATING].difference(chosen, upper),
        "in hindsight": {
            "c_puct": {
                group: texts[int(row.argmax())] for group, row in zip(candidates.groups, test, strict=True)
            },
            "less policy": float((test.max(axis=1) - policy.values[:, 0]).mean()),
        },
    }


def _by_c(table: Array, groups: list[str], texts: list[str]) -> dict[str, dict[str, float]]:
    return {
        group: dict(zip(texts, row.tolist(), strict=True)) for group, row in zip(groups, table, strict=True)
    }


def _c_pucts(config: SearchComparisonConfig) -> tuple[float, ...]:
    return (*config.c_pucts, math.inf)


def _text(c_puct: float) -> str:
    return "infinite" if math.isinf(c_puct) else f"{c_puct:g}"
