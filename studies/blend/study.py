"""Sections IV, V and VI of the blend paper as one study, for chess, Go or shogi.

Slow results are cached in files: predictions of policies and searches, and engine analyses. The rest is
arithmetic on them, so that a stopped study resumes, and one with another policy predicts with that one alone.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

from sparring.base.provenance import today
from sparring.base.storage import atomic_write
from sparring.measure.blending import (
    GroupFit,
    PositionWeights,
    RatingWeights,
    curves_text,
    traits_text,
)
from sparring.measure.matching import TaskProgressCallback
from sparring.measure.metrics import Resamples
from sparring.records import Split
from studies.blend.accuracy import (
    accuracy_by_alpha,
    alpha_sensitivity,
    compare_means,
    describe_fit,
    evaluate_blend,
    fit_methods,
    group_metrics,
    nested_methods,
    three_policy_blends,
)
from studies.blend.blunders import mechanism
from studies.blend.config import (
    BlendStudyConfig,
    HeldOutSample,
    PredictedSample,
    open_experts,
    predict_sample,
)
from studies.blend.nested import NestedMetrics
from studies.blend.paper import paper
from studies.blend.provenance import describe_networks, describe_records, describe_training
from studies.blend.search import BLEND, BLEND_BY_RATING, compare_search
from studies.blend.trials import trials
from studies.blend.weights import GroupWeights, WeightModel, alpha_curve, alpha_text

_CLOSER = 2
"""The number of human-like policies, the first ones, with trials and an engine analysis."""
Methods = dict[str, WeightModel]
"""The fitted weights of a blend by method."""


def run(
    plan: BlendStudyConfig, out: Path, on_progress: TaskProgressCallback = lambda *_: None
) -> dict[str, Any]:
    """Runs a study and returns the content of its report; writes the blends' policy files to `out/blends`.

    Raises BadConfig, BadFile, NotFound, AnalysisFailed or OSError.
    """
    experts = open_experts(plan, (*plan.humans, plan.strong))
    others = open_experts(plan, plan.baselines)
    validation = predict_sample(experts, plan.selection(Split.VALIDATION, plan.validation), plan, on_progress)
    test = predict_sample(experts, plan.selection(Split.TEST, plan.test), plan, on_progress)
    measured = HeldOutSample(test, Resamples.draw(test.sample.group_of_game, plan.resamples))
    strong, humans = plan.strong[0], [name for name, _ in plan.humans]
    content = _facts(plan, validation, test)
    content["networks"] = describe_networks([*experts, *others])
    content["training"] = describe_training(plan)
    content["policies"] = {name: group_metrics(measured.metrics_of(name)) for name in test.names}
    content["blends"] = {}
    fitted: dict[str, Methods] = {}
    nested: dict[str, dict[str, NestedMetrics]] = {}
    for number, (name, source) in enumerate(plan.humans):
        on_progress("fitting", number, len(plan.humans))
        groups, fitted[name] = fit_methods(validation, name, strong)
        nested[name] = nested_methods(validation, measured, fitted[name], plan.refits, name, strong)
        content["blends"][name] = _blend(plan, validation, measured, groups, fitted[name], nested[name], name)
        _write_policies(plan, groups, fitted[name], out / "blends", name, source, validation)
    on_progress("fitting", len(plan.humans), len(plan.humans))
    if others:
        part = predict_sample(others, plan.selection(Split.TEST, plan.test), plan, on_progress)
        first_blend = nested[humans[0]]["rating"]
        content["baselines"] = _baselines(HeldOutSample(part, measured.resamples), first_blend, plan.upper)
    content["kinds"] = compare_means(validation, measured, plan.upper, humans[0], strong)
    if len(humans) > 1:
        content["three"] = three_policy_blends(
            validation, measured, plan.upper, plan.refits, *humans[:2], strong
        )
    closer = humans[:_CLOSER]
    content["trials"] = {name: trials(validation, test, name, strong, plan.trials) for name in closer}
    if plan.search is not None:
        content["search"] = {
            name: compare_search(
                plan,
                experts[humans.index(name)],
                validation,
                measured,
                {BLEND: nested[name]["grid"], BLEND_BY_RATING: nested[name]["rating"]},
                on_progress,
            )
            for name in plan.search.policies
        }
    if plan.engine is not None:
        # The suffix is older than the module's name; files of earlier studies count.
        path = plan.cache / f"{plan.game}-{plan.engine.entry.name}.judgments"
        content["mechanism"] = {
            name: mechanism(
                test, name, strong, fitted[name]["grid"], plan.engine, path, plan.upper, on_progress
            )
            for name in closer
        }
    return content


def _baselines(measured: HeldOutSample, blend: NestedMetrics, upper: int) -> dict[str, Any]:
    """Metrics of other policies, and the first blend minus each."""
    found = {}
    for name in measured.part.names:
        other = measured.metrics_of(name)
        found[name] = {
            **group_metrics(other),
            "blend less it": blend.difference(NestedMetrics.of(other), upper),
        }
    return found


def _facts(plan: BlendStudyConfig, validation: PredictedSample, test: PredictedSample) -> dict[str, Any]:
    return {
        "game": plan.game,
        "records": [path.name for path in plan.records],
        "strong": plan.strong[0],
        "humans": [name for name, _ in plan.humans],
        "upper": test.sample.groups[-plan.upper :],
        "paper": paper(plan.game),
        "data": describe_records(plan),
        "resamples": {"games": plan.resamples, "refits": plan.refits},
        "parts": {
            str(split): {"games": len(part.sample.games), "positions": len(part.sample)}
            for split, part in ((Split.VALIDATION, validation), (Split.TEST, test))
        },
    }


def _blend(
    plan: BlendStudyConfig,
    validation: PredictedSample,
    measured: HeldOutSample,
    groups: list[GroupFit],
    methods: Methods,
    nested: dict[str, NestedMetrics],
    name: str,
) -> dict[str, Any]:
    """The blends of a human-like policy with the strong one, by every method, the paper's first.

    Intervals of gains and comparisons include the fitting of the weights.
    """
    strong, policy = plan.strong[0], NestedMetrics.of(measured.metrics_of(name))
    found = {method: evaluate_blend(measured, model, name, strong) for method, model in methods.items()}
    robustness = {
        method: alpha_sensitivity(measured, model, name, strong)
        for method, model in methods.items()
        if isinstance(model, GroupWeights)
    }
    return {
        "fit": describe_fit(groups, validation.of(name, strong)),
        "curves": accuracy_by_alpha(groups),
        "robustness": robustness,
        "methods": {
            method: {**group_metrics(metrics), "gain": nested[method].difference(policy, plan.upper)}
            for method, metrics in found.items()
        },
        "comparisons": {
            f"{later} less {earlier}": nested[later].difference(nested[earlier], plan.upper)
            for later, earlier in (("alpha", "grid"), ("rating", "grid"), ("position", "rating"))
        },
    }


def _write_policies(
    plan: BlendStudyConfig,
    groups: list[GroupFit],
    methods: Methods,
    folder: Path,
    name: str,
    source: str,
    validation: PredictedSample,
) -> None:
    """Writes the blends of a human-like policy as policy files, `name-method.toml`."""
    uses = [
        os.path.relpath(each, folder) if Path(each).is_file() else each for each in (source, plan.strong[1])
    ]
    note = f"Fitted by a study on {len(validation.sample):,} positions of the validation split on {today()}."
    texts = {"grid": alpha_text(plan.game, uses, alpha_curve(groups), note)}
    for method, model in methods.items():
        if isinstance(model, RatingWeights):
            texts[method] = curves_text(plan.game, uses, model.curves(), note)
        if isinstance(model, PositionWeights):
            texts[method] = traits_text(plan.game, uses, model, note)
    for method, text in texts.items():
        atomic_write(folder / f"{name}-{method}.toml", text)
