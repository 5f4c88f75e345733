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

from sparring.blending import GroupFit, Weighing, alpha_curve, alpha_text, curves_text, traits_text
from sparring.blending.weighing import ByGroup, ByRating, ByTraits
from sparring.disk import write_whole
from sparring.matching.bootstrap import Resamples
from sparring.matching.metrics import Matching
from sparring.records import Split
from sparring.reports import today
from sparring.studies.blend_accuracy import (
    against,
    blended,
    curves,
    describe,
    describe_fit,
    fitted,
    kinds,
    robustness,
    three,
)
from sparring.studies.blend_mechanism import mechanism
from sparring.studies.blend_paper import PAPER
from sparring.studies.blend_plan import Measured, Part, Plan, Watcher, ask, open_experts
from sparring.studies.blend_search import compare_search
from sparring.studies.blend_trials import trials

_CLOSER = 2
"""So many human-like policies, the first ones, are also looked at in trials and with the judge."""


def run(plan: Plan, out: Path, watch: Watcher = lambda *_: None) -> dict[str, Any]:
    """The content of a report; blends' files are written to `out`.

    Raises BadPolicy, BadNetwork, NoGames, BadTable, NoReader, JudgeFailed or OSError.
    """
    experts = open_experts(plan, (*plan.humans, plan.strong))
    others = open_experts(plan, plan.beside)
    validation = ask(experts, plan.selection(Split.VALIDATION, plan.validation), plan, watch)
    test = ask(experts, plan.selection(Split.TEST, plan.test), plan, watch)
    measured = Measured(test, Resamples.draw(test.sample.group_of_game, plan.resamples))
    strong, first = plan.strong[0], plan.humans[0][0]
    alone = {name: measured.alone(name) for name in test.names}
    content = _facts(plan, validation, test)
    content["policies"] = {name: describe(matching) for name, matching in alone.items()}
    content["blends"] = {}
    ways: dict[str, dict[str, Weighing]] = {}
    for number, (name, source) in enumerate(plan.humans):
        watch("fitting", number, len(plan.humans))
        groups, ways[name] = fitted(validation, name, strong)
        content["blends"][name] = _blend(plan, validation, measured, alone[name], groups, ways[name], name)
        _write(plan, groups, ways[name], out / "blends", name, source, validation)
    watch("fitting", len(plan.humans), len(plan.humans))
    if others:
        part = ask(others, plan.selection(Split.TEST, plan.test), plan, watch)
        first_blend = blended(measured, ways[first]["rating"], first, strong)
        content["beside"] = _beside(Measured(part, measured.resamples), first_blend, plan.upper)
    content["kinds"] = kinds(validation, measured, plan.upper, first, strong)
    if len(plan.humans) > 1:
        content["three"] = three(validation, measured, plan.upper, first, plan.humans[1][0], strong)
    closer = [name for name, _ in plan.humans[:_CLOSER]]
    content["trials"] = {name: trials(validation, test, name, strong, plan.trials) for name in closer}
    if plan.search.positions:
        ends = plan.search.groups or tuple(dict.fromkeys([test.sample.groups[0], test.sample.groups[-1]]))
        wanted = replace(plan, search=replace(plan.search, groups=ends))
        content["search"] = compare_search(wanted, experts, first, strong, ways[first], watch)
    if plan.judge is not None:
        path = plan.cache / f"{plan.game}-{plan.judge.entry.name}.judgments"
        content["mechanism"] = {
            name: mechanism(test, name, strong, ways[name]["rating"], plan.judge, path, plan.upper, watch)
            for name in closer
        }
    return content


def _beside(measured: Measured, blend: Matching, upper: int) -> dict[str, Any]:
    """Policies that were not blended, and the first blend less each."""
    found = {}
    for name in measured.part.names:
        other = measured.alone(name)
        found[name] = {**describe(other), "blend less it": against(blend, other, upper)}
    return found


def _facts(plan: Plan, validation: Part, test: Part) -> dict[str, Any]:
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
    plan: Plan,
    validation: Part,
    measured: Measured,
    alone: Matching,
    groups: list[GroupFit],
    ways: dict[str, Weighing],
    name: str,
) -> dict[str, Any]:
    """One human-like policy with the strong one, in every way."""
    strong = plan.strong[0]
    found = {way: blended(measured, weighing, name, strong) for way, weighing in ways.items()}
    nearby = {
        way: robustness(measured, weighing, name, strong)
        for way, weighing in ways.items()
        if isinstance(weighing, ByGroup)
    }
    return {
        "fit": describe_fit(groups, validation.of(name, strong)),
        "curves": curves(groups),
        "robustness": nearby,
        "ways": {
            way: {**describe(matching), "gain": against(matching, alone, plan.upper)}
            for way, matching in found.items()
        },
        "comparisons": {
            f"{later} less {earlier}": against(found[later], found[earlier], plan.upper)
            for later, earlier in (("alpha", "grid"), ("rating", "grid"), ("position", "rating"))
        },
    }


def _write(
    plan: Plan,
    groups: list[GroupFit],
    ways: dict[str, Weighing],
    folder: Path,
    name: str,
    source: str,
    validation: Part,
) -> None:
    """The blends as policies' files, named after the human-like one."""
    uses = [
        os.path.relpath(each, folder) if Path(each).is_file() else each for each in (source, plan.strong[1])
    ]
    note = f"Fitted by a study on {len(validation.sample):,} positions of the validation split on {today()}."
    texts = {"grid": alpha_text(plan.game, uses, alpha_curve(groups, "rating"), note)}
    for way, weighing in ways.items():
        if isinstance(weighing, ByRating):
            texts[way] = curves_text(plan.game, uses, weighing.curves(), note)
        if isinstance(weighing, ByTraits):
            texts[way] = traits_text(plan.game, uses, weighing, note)
    for way, text in texts.items():
        write_whole(folder / f"{name}-{way}.toml", text)
