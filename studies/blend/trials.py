"""The spread of gains over random divisions of the games (appendix A of the paper).

Each trial divides the validation and test games at random into a fitting and a measuring part. The paper also
retrained its networks in each trial; this study does not.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure.blending import alpha_weights, hits, rating_blend
from sparring.measure.samples import Sample
from sparring.measure.scores import ChoiceData
from sparring.policies.policy import Array
from studies.blend.config import PredictedSample
from studies.blend.weights import pooled_logs, score_logs

Mask = NDArray[np.bool_]


def trials(
    validation: PredictedSample, test: PredictedSample, human: str, strong: str, count: int, seed: int = 0
) -> dict[str, Any]:
    """Gains in accuracy over the policy `human` in each of `count` trials, by `grid` and `rating`.

    Returns the report's section, empty if a group has a single game.
    """
    whole = _concatenate(validation, test)
    if np.bincount(whole.sample.group_of_game).min() < 2:
        return {}
    choices, groups = whole.of(human, strong), whole.groups
    right = hits(choices, alpha_weights())
    alone = score_logs(choices, choices.log_probabilities[0].astype(np.float64))["rank"] == 0
    share = len(validation.sample.games) / len(whole.sample.games)
    gains: dict[str, list[list[float]]] = {"grid": [], "rating": []}
    for trial in range(count):
        drawn = _draw_games(whole.sample, share, np.random.default_rng([seed, trial]))
        by_rating = _by_rating(choices, drawn)
        of_groups = [groups == group for group in range(len(whole.sample.groups))]
        best = [right[drawn & here].mean(axis=0).argmax() for here in of_groups]
        rest = [here & ~drawn for here in of_groups]
        grid = [right[here, point] for here, point in zip(rest, best, strict=True)]
        for method, found in (("grid", grid), ("rating", [by_rating[here] for here in rest])):
            gain = [float(a.mean() - alone[here].mean()) for a, here in zip(found, rest, strict=True)]
            gains[method].append([*gain, float(np.mean(gain))])
    names = [*whole.sample.groups, "mean"]
    return {
        "trials": count,
        "methods": {method: _summary(np.array(found), names) for method, found in gains.items()},
    }


def _by_rating(choices: ChoiceData, drawn: Mask) -> Mask:
    """Whether the blend by rating, fitted on the drawn games, is right, [positions]."""
    blend = rating_blend(choices.subset(np.flatnonzero(drawn)), "rating")
    logs = pooled_logs(choices, blend.fit.weights(blend.features(choices)))
    right: Mask = score_logs(choices, logs)["rank"] == 0
    return right


def _summary(gains: Array, names: list[str]) -> dict[str, Any]:
    """Gains, mean and standard deviation by column of gains [trials, groups + 1]; the last is the mean."""
    return {
        name: {
            "gains": column.tolist(),
            "mean": float(column.mean()),
            "deviation": float(column.std(ddof=1)) if len(column) > 1 else 0.0,
        }
        for name, column in zip(names, gains.T, strict=True)
    }


def _concatenate(first: PredictedSample, second: PredictedSample) -> PredictedSample:
    """Two samples of the same policies as one."""
    metadata = second.sample.metadata.copy()
    metadata["game"] += len(first.sample.games)
    sample = Sample(
        first.sample.game,
        first.sample.games + second.sample.games,
        np.concatenate([first.sample.metadata, metadata]),
    )
    logs = np.concatenate([first.choices.log_probabilities, second.choices.log_probabilities], axis=1)
    return PredictedSample(sample, ChoiceData.of(logs, sample.metadata), first.names)


def _draw_games(sample: Sample, share: float, rng: np.random.Generator) -> Mask:
    """Whether each position's game is drawn, [positions]: the same share of every group's games."""
    order = rng.random(len(sample.games))
    chosen = np.zeros(len(order), np.bool_)
    for group in range(len(sample.groups)):
        games = np.flatnonzero(sample.group_of_game == group)
        count = min(max(1, round(share * len(games))), len(games) - 1)
        chosen[games[np.argsort(order[games])[:count]]] = True
    found: Mask = chosen[sample.metadata["game"]]
    return found
