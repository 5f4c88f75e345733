"""The blend paper's sections IV, V and VI as one study, for chess, Go or shogi.

Everything that takes long is kept: what policies and searches said in files of choices, what the judge said
in a file of judgments. All else is arithmetic on these, so that a study that was killed goes on where it was,
and one with another policy asks that one alone.
"""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparring.blending import GroupFit, WeightModel, alpha_curve, alpha_text, curves_text, traits_text
from sparring.blending.weight_models import GroupWeights, PositionWeights, RatingWeights
from sparring.matching.bootstrap import Resamples
from sparring.matching.metrics import PolicyMetrics
from sparring.records import Split
from sparring.reports import today
from sparring.storage import atomic_write
from studies.blend.accuracy import (
    alpha_sensitivity,
    compare_means,
    curves,
    describe_fit,
    evaluate_blend,
    fitted,
    group_metrics,
    paired_difference,
    three_policy_blends,
)
from studies.blend.blunders import mechanism
from studies.blend.config import (
    BlendStudyConfig,
    HeldOutSample,
    PredictedSample,
    TaskProgressCallback,
    open_experts,
    predict_sample,
)
from studies.blend.paper import PAPER
from studies.blend.search import compare_search
from studies.blend.trials import trials

_CLOSER = 2
"""So many human-like policies, the first ones, are also looked at in trials and with the judge."""


def run(
    plan: BlendStudyConfig, out: Path, on_progress: TaskProgressCallback = lambda *_: None
) -> dict[str, Any]:
    """The content of a report; blends' files are written to `out`.

    Raises BadPolicy, BadNetwork, NoGames, BadTable, UnsupportedFormat, AnalysisFailed or OSError.
    """
    experts = open_experts(plan, (*plan.humans, plan.strong))
    others = open_experts(plan, plan.baselines)
    validation = predict_sample(experts, plan.selection(Split.VALIDATION, plan.validation), plan, on_progress)
    test = predict_sample(experts, plan.selection(Split.TEST, plan.test), plan, on_progress)
    measured = HeldOutSample(test, Resamples.draw(test.sample.group_of_game, plan.resamples))
    strong, first = plan.strong[0], plan.humans[0][0]
    alone = {name: measured.alone(name) for name in test.names}
    content = _facts(plan, validation, test)
    content["policies"] = {name: group_metrics(matching) for name, matching in alone.items()}
    content["blends"] = {}
    ways: dict[str, dict[str, WeightModel]] = {}
    for number, (name, source) in enumerate(plan.humans):
        on_progress("fitting", number, len(plan.humans))
        groups, ways[name] = fitted(validation, name, strong)
        content["blends"][name] = _blend(plan, validation, measured, alone[name], groups, ways[name], name)
        _write(plan, groups, ways[name], out / "blends", name, source, validation)
    on_progress("fitting", len(plan.humans), len(plan.humans))
    if others:
        part = predict_sample(others, plan.selection(Split.TEST, plan.test), plan, on_progress)
        first_blend = evaluate_blend(measured, ways[first]["rating"], first, strong)
        content["baselines"] = _beside(HeldOutSample(part, measured.resamples), first_blend, plan.upper)
    content["kinds"] = compare_means(validation, measured, plan.upper, first, strong)
    if len(plan.humans) > 1:
        content["three"] = three_policy_blends(
            validation, measured, plan.upper, first, plan.humans[1][0], strong
        )
    closer = [name for name, _ in plan.humans[:_CLOSER]]
    content["trials"] = {name: trials(validation, test, name, strong, plan.trials) for name in closer}
    if plan.search.positions:
        ends = plan.search.groups or tuple(dict.fromkeys([test.sample.groups[0], test.sample.groups[-1]]))
        wanted = replace(plan, search=replace(plan.search, groups=ends))
        content["search"] = compare_search(wanted, experts, first, strong, ways[first], on_progress)
    if plan.engine is not None:
        path = plan.cache / f"{plan.game}-{plan.engine.entry.name}.judgments"
        content["mechanism"] = {
            name: mechanism(
                test, name, strong, ways[name]["rating"], plan.engine, path, plan.upper, on_progress
            )
            for name in closer
        }
    return content


def _beside(measured: HeldOutSample, blend: PolicyMetrics, upper: int) -> dict[str, Any]:
    """Policies that were not blended, and the first blend less each."""
    found = {}
    for name in measured.part.names:
        other = measured.alone(name)
        found[name] = {**group_metrics(other), "blend less it": paired_difference(blend, other, upper)}
    return found


def _facts(plan: BlendStudyConfig, validation: PredictedSample, test: PredictedSample) -> dict[str, Any]:
    return {
        "game": plan.game,
        "records": [path.name for path in plan.records],
        "strong": plan.strong[0],
        "humans": [name for name, _ in plan.humans],
        "upper": test.sample.groups[-plan.upper :],
        "paper": PAPER.get(plan.game),
        "parts": {
            str(split): {"games": len(part.sample.games), "positions": len(part.sample)}
            for split, part in ((Split.VALIDATION, validation), (Split.TEST, test))
        },
    }


def _blend(
    plan: BlendStudyConfig,
    validation: PredictedSample,
    measured: HeldOutSample,
    alone: PolicyMetrics,
    groups: list[GroupFit],
    ways: dict[str, WeightModel],
    name: str,
) -> dict[str, Any]:
    """One human-like policy with the strong one, in every way."""
    strong = plan.strong[0]
    found = {way: evaluate_blend(measured, weighing, name, strong) for way, weighing in ways.items()}
    nearby = {
        way: alpha_sensitivity(measured, weighing, name, strong)
        for way, weighing in ways.items()
        if isinstance(weighing, GroupWeights)
    }
    return {
        "fit": describe_fit(groups, validation.of(name, strong)),
        "curves": curves(groups),
        "robustness": nearby,
        "ways": {
            way: {**group_metrics(matching), "gain": paired_difference(matching, alone, plan.upper)}
            for way, matching in found.items()
        },
        "comparisons": {
            f"{later} less {earlier}": paired_difference(found[later], found[earlier], plan.upper)
            for later, earlier in (("alpha", "grid"), ("rating", "grid"), ("position", "rating"))
        },
    }


def _write(
    plan: BlendStudyConfig,
    groups: list[GroupFit],
    ways: dict[str, WeightModel],
    folder: Path,
    name: str,
    source: str,
    validation: PredictedSample,
) -> None:
    """The blends as policies' files, named after the human-like one."""
    uses = [
        os.path.relpath(each, folder) if Path(each).is_file() else each for each in (source, plan.strong[1])
    ]
    note = f"Fitted by a study on {len(validation.sample):,} positions of the validation split on {today()}."
    texts = {"grid": alpha_text(plan.game, uses, alpha_curve(groups, "rating"), note)}
    for way, weighing in ways.items():
        if isinstance(weighing, RatingWeights):
            texts[way] = curves_text(plan.game, uses, weighing.curves(), note)
        if isinstance(weighing, PositionWeights):
            texts[way] = traits_text(plan.game, uses, weighing, note)
    for way, text in texts.items():
        atomic_write(folder / f"{name}-{way}.toml", text)
