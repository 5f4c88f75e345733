"""The blend paper's appendix A: do gains depend on which games were fitted on and which measured on?

The games are those that no policy of ours learned from, divided anew in every trial; the paper also trained
its networks anew.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.blending import pooled_logs, rating_blend
from sparring.blending.grid import alpha_weights, hits
from sparring.matching import ChoiceData, Sample
from sparring.policies.segments import Array
from studies.blend.config import PredictedSample

Mask = NDArray[np.bool_]


def trials(
    validation: PredictedSample, test: PredictedSample, human: str, strong: str, count: int, seed: int = 0
) -> dict[str, Any]:
    """Gains in accuracy over the human-like policy in each trial, by the grid and by curves over the rating.

    Empty where a group has a single game.
    """
    whole = _together(validation, test)
    if np.bincount(whole.sample.group_of_game).min() < 2:
        return {}
    choices, groups = whole.of(human, strong), whole.groups
    right = hits(choices, alpha_weights())
    alone = choices.scores(choices.log_probabilities[0].astype(np.float64))["rank"] == 0
    share = len(validation.sample.games) / len(whole.sample.games)
    gains: dict[str, list[list[float]]] = {"grid": [], "rating": []}
    for trial in range(count):
        drawn = _drawn(whole.sample, share, np.random.default_rng([seed, trial]))
        by_rating = _by_rating(choices, groups, drawn)
        of_groups = [groups == group for group in range(len(whole.sample.groups))]
        best = [right[drawn & here].mean(axis=0).argmax() for here in of_groups]
        rest = [here & ~drawn for here in of_groups]
        grid = [right[here, point] for here, point in zip(rest, best, strict=True)]
        for way, found in (("grid", grid), ("rating", [by_rating[here] for here in rest])):
            gain = [float(a.mean() - alone[here].mean()) for a, here in zip(found, rest, strict=True)]
            gains[way].append([*gain, float(np.mean(gain))])
    names = [*whole.sample.groups, "mean"]
    return {"trials": count, "ways": {way: _summary(np.array(found), names) for way, found in gains.items()}}


def _by_rating(choices: ChoiceData, groups: NDArray[np.int64], drawn: Mask) -> Mask:
    """[positions]: whether the blend by rating, fitted on the games that were drawn, is right."""
    blend = rating_blend(choices.subset(np.flatnonzero(drawn)), "rating")
    right: Mask = choices.scores(pooled_logs(choices, blend.weights(choices, groups)))["rank"] == 0
    return right


def _summary(gains: Array, names: list[str]) -> dict[str, Any]:
    """By group and in the mean over groups, from gains [trials, groups + 1]."""
    return {
        name: {
            "gains": column.tolist(),
            "mean": float(column.mean()),
            "deviation": float(column.std(ddof=1)) if len(column) > 1 else 0.0,
        }
        for name, column in zip(names, gains.T, strict=True)
    }


def _together(first: PredictedSample, second: PredictedSample) -> PredictedSample:
    """Both parts as one."""
    metadata = second.sample.metadata.copy()
    metadata["game"] += len(first.sample.games)
    sample = Sample(
        first.sample.game,
        first.sample.games + second.sample.games,
        np.concatenate([first.sample.metadata, metadata]),
    )
    logs = np.concatenate([first.choices.log_probabilities, second.choices.log_probabilities], axis=1)
    return PredictedSample(sample, ChoiceData.of(logs, sample.metadata), first.names)


def _drawn(sample: Sample, share: float, rng: np.random.Generator) -> Mask:
    """[positions]: whether each one's game was drawn, the same share of every group's games."""
    order = rng.random(len(sample.games))
    chosen = np.zeros(len(order), np.bool_)
    for group in range(len(sample.groups)):
        games = np.flatnonzero(sample.group_of_game == group)
        count = min(max(1, round(share * len(games))), len(games) - 1)
        chosen[games[np.argsort(order[games])[:count]]] = True
    found: Mask = chosen[sample.metadata["game"]]
    return found
