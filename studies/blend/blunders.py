"""Why blends match people better (section VI-C, appendix B): an engine finds the blunders that they avoid."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure.matching import TaskProgressCallback
from sparring.measure.metrics import Array, Means, Resamples, intervals
from sparring.policies.policy import segment_argmax
from studies.blend.analysis_engine import CachedAnalysis
from studies.blend.config import EngineAnalysisConfig, PredictedSample
from studies.blend.weights import WeightModel, pooled_logs, weights_of

MOVES = ("person", "policy", "strong", "blend")
"""The first axis of the arrays here: the move played, and the most likely moves of the human-like policy, of
the strong policy and of the blend."""


def mechanism(
    part: PredictedSample,
    human: str,
    strong: str,
    model: WeightModel,
    plan: EngineAnalysisConfig,
    path: Path,
    upper: int,
    on_progress: TaskProgressCallback,
) -> dict[str, Any]:
    """Venn counts, losses, and the share of the gain that comes from avoided blunders.

    `model` is the grid's blend, as in the paper. Takes evenly spaced positions of the `upper` highest groups;
    `departures.py` says where this differs from the paper's study. The engine's values are journalled at
    `path`. Returns the report's section. Raises AnalysisFailed or OSError.
    """
    names = part.sample.groups
    high = np.flatnonzero(part.groups >= len(names) - upper)
    which = high[:: max(1, len(high) // plan.positions)]
    chosen = _first_choices(part, human, strong, model)[:, which]
    analysis = CachedAnalysis(path, plan.entry)
    try:
        values = _engine_values(part, which, chosen, analysis, on_progress)
    finally:
        analysis.close()
    # Clipped, so that mate scores do not dominate the mean losses.
    values = np.clip(values, -2 * plan.decided, 2 * plan.decided)
    best = values.max(axis=0)
    open_ones = np.abs(best) < plan.decided
    losses = (best - values)[:, open_ones]
    found = _content(
        losses, chosen[:, open_ones], part.sample.metadata["game"][which[open_ones]], plan.blunder_loss
    )
    return {
        "method": "grid",
        "engine": plan.entry.name,
        "nodes": plan.entry.limits.nodes,
        "restarts": analysis.restarts,
        "bad": plan.blunder_loss,
        "decided": plan.decided,
        "left out": int((~open_ones).sum()),
        "groups": names[-upper:],
        **found,
    }


def _first_choices(part: PredictedSample, human: str, strong: str, model: WeightModel) -> NDArray[np.int64]:
    """The index of each move among the legal moves, [MOVES, positions]."""
    pair = part.of(human, strong)
    blend = pooled_logs(pair, weights_of(model, pair, part.groups))
    logs = (*pair.log_probabilities.astype(np.float64), blend)
    firsts = [segment_argmax(log, pair.offsets) for log in logs]
    return np.stack([pair.played, *firsts]) - pair.offsets[:-1]


def _engine_values(
    part: PredictedSample,
    which: NDArray[np.int64],
    chosen: NDArray[np.int64],
    analysis: CachedAnalysis,
    on_progress: TaskProgressCallback,
) -> NDArray[np.int64]:
    """The engine's value of each move for the player who makes it, [MOVES, positions]."""
    values = np.zeros(chosen.shape, np.int64)
    wanted = {int(place): column for column, place in enumerate(which)}
    done = 0
    for begin, positions in part.sample.batches(0, 256):
        for place, position in enumerate(positions, begin):
            if place in wanted:
                column = wanted[place]
                legal = position.state.legal_moves()
                for move in np.unique(chosen[:, column]).tolist():
                    values[chosen[:, column] == move, column] = analysis.value(position.state, legal[move])
                done += 1
                on_progress("analysing moves", done, len(which))
    return values


def _content(
    losses: NDArray[np.int64], chosen: NDArray[np.int64], games: NDArray[np.integer], bad: int
) -> dict[str, Any]:
    """The report's numbers from losses [MOVES, positions], with bootstrap intervals over games."""
    policy, blend = chosen[1] == chosen[0], chosen[3] == chosen[0]
    bad_policy, bad_blend = losses[1] >= bad, losses[3] >= bad
    columns = np.stack(
        [policy, blend, bad_policy, bad_policy & policy, bad_policy & blend, bad_policy & ~bad_blend,
         bad_blend, losses[0] >= bad, losses[2] >= bad, *losses],
        axis=1,
    ).astype(np.float64)  # fmt: skip
    _, place = np.unique(games, return_inverse=True)
    resamples = Resamples.draw(np.zeros(int(place.max()) + 1, np.int64))
    means = resamples.group_sums(columns, place).pooled()
    named = dict(zip(_COLUMNS, means.estimates(), strict=True))
    return {
        "positions": losses.shape[1],
        "games": int(place.max()) + 1,
        "all": _venn(policy, blend),
        "where the policy's move is bad": _venn(policy[bad_policy], blend[bad_policy]),
        **{name: asdict(estimate) for name, estimate in named.items()},
        "gain": _derived(means, lambda m: m[:, 1] - m[:, 0]),
        "gain where bad": _derived(means, lambda m: m[:, 4] - m[:, 3]),
        "share of the gain": _derived(means, lambda m: (m[:, 4] - m[:, 3]) / (m[:, 1] - m[:, 0])),
        "avoided": _derived(means, lambda m: m[:, 5] / m[:, 2]),
        "by loss": {
            str(least): _from_loss(resamples, place, losses[1] >= least, policy, blend)
            for least in (bad // 4, bad // 2, bad, 2 * bad)
        },
    }


def _from_loss(
    resamples: Resamples,
    games: NDArray[np.integer],
    bad: NDArray[np.bool_],
    policy: NDArray[np.bool_],
    blend: NDArray[np.bool_],
) -> dict[str, Any]:
    """The share of positions in which the policy blunders, and the gain there."""
    columns = np.stack([policy, blend, bad, bad & policy, bad & blend], axis=1).astype(np.float64)
    means = resamples.group_sums(columns, games).pooled()
    return {
        "positions": _derived(means, lambda m: m[:, 2]),
        "gain": _derived(means, lambda m: m[:, 4] - m[:, 3]),
        "share of the gain": _derived(means, lambda m: (m[:, 4] - m[:, 3]) / (m[:, 1] - m[:, 0])),
    }


_COLUMNS = (
    "policy matches", "blend matches", "policy bad", "policy bad and matches", "policy bad, blend matches",
    "policy bad, blend not", "blend bad", "person bad", "strong bad", "person's loss", "policy's loss",
    "strong's loss", "blend's loss",
)  # fmt: skip


def _derived(means: Means, of: Callable[[Array], Array]) -> dict[str, float | None]:
    """A function of means [resamples, columns] with its interval; None instead of a division by zero."""
    with np.errstate(divide="ignore", invalid="ignore"):
        found = intervals(of(means.values[None]), of(means.resampled_means)[:, None])[0]
    return {key: value if math.isfinite(value) else None for key, value in asdict(found).items()}


def _venn(policy: NDArray[np.bool_], blend: NDArray[np.bool_]) -> dict[str, int]:
    """Counts of positions in which policy and blend match: the circles of figures 9 and 10."""
    return {
        "positions": len(policy),
        "both": int((policy & blend).sum()),
        "policy alone": int((policy & ~blend).sum()),
        "blend alone": int((~policy & blend).sum()),
        "neither": int((~policy & ~blend).sum()),
    }
