"""Quick planners for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sparring._core import (
    RbcPlanner,
)
from sparring.rbc.bots import BOTS, make_bot
from sparring.rbc.evaluators import UniformEvaluator
from sparring.rbc.planner import PlannerBot, PlannerOptions

QUICK = replace(
    BOTS["planner"],
    boards=2_000,
    use_clock=False,
    threads=1,
    planner=PlannerOptions(playouts=24, batch=8, particles=24, states=16, native_weight=1.0),
)


def evaluate_uniformly(planner: RbcPlanner, batches: int = 10**6) -> int:
    """Evaluates batches with equal logits and values of 0; returns the number of synopses."""
    count = 0
    for _ in range(batches):
        synopses, opponent = planner.select()
        if not len(synopses):
            break
        count += len(synopses)
        planner.evaluate(*UniformEvaluator().evaluate(synopses, opponent))
    return count


def planner_bot(**options: Any) -> PlannerBot:
    made = make_bot(replace(QUICK, planner=replace(QUICK.planner, **options)))
    assert isinstance(made, PlannerBot)
    made.evaluator = UniformEvaluator()
    return made
