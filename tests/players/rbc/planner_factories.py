"""Quick planners for tests."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import (
    RbcPlanner,
)
from sparring.rbc.bots import BOTS, make_bot
from sparring.rbc.evaluators import Evaluations, NetworkEvaluator
from sparring.rbc.planner import PlannerBot, PlannerOptions
from sparring.rbc.synopsis import ACTIONS, SynopsisWords

QUICK = replace(
    BOTS["planner"],
    boards=2_000,
    use_clock=False,
    threads=1,
    planner=PlannerOptions(playouts=24, batch=8, particles=24, states=16, native_weight=1.0),
)


class UniformEvaluator(NetworkEvaluator):
    """All actions are equally likely and all values 0: planning by the native evaluation alone."""

    def __init__(self) -> None:
        pass

    def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
        return np.zeros((len(synopses), ACTIONS), np.float32), np.zeros(len(synopses), np.float32)

    def recognise(self, opponent: str) -> None:
        pass


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
