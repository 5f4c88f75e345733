"""Intervals that include the choice of weights.

Each resample draws validation games, chooses on them anew, and measures on test games that it draws too.

A metric here is a pair: accuracy (top-1), and negative log-likelihood in nats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.measure.blending import PositionWeights, RatingWeights, fit, middle_best
from sparring.measure.metrics import COLUMNS, Estimate, GroupSums, PolicyMetrics, Resamples, intervals
from sparring.measure.scores import ChoiceData
from sparring.policies.policy import Array, segment_repeat
from sparring.policies.pool import pool_log_probabilities
from studies.blend.config import HeldOutSample, PredictedSample
from studies.blend.weights import refit

_SEED = 1
"""The resamples of validation games are independent of those of test games, which have seed 0."""
_METRICS = [COLUMNS.index("top1"), COLUMNS.index("nll")]


@dataclass(frozen=True)
class NestedMetrics:
    """The metrics of a policy on the test games by group, and in every resample."""

    values: Array
    """[groups, 2]: accuracy and nats."""
    resampled: Array
    """[resamples, groups, 2]"""
    groups: list[str]

    @staticmethod
    def of(metrics: PolicyMetrics) -> NestedMetrics:
        """The metrics of a policy for which nothing is chosen."""
        sums = metrics.group_sums
        return NestedMetrics(
            _means(sums.sums)[:, _METRICS], _means(sums.resampled)[:, :, _METRICS], metrics.sample.groups
        )

    def entries(self) -> dict[str, Any]:
        """The metrics with intervals by group, and in the mean over groups."""
        return _entries(self.values, self.resampled, self.groups)

    def difference(self, other: NestedMetrics, upper: int = 0) -> dict[str, Any]:
        """These metrics minus another policy's, paired: by group, mean, and mean of the `upper` highest."""
        rows = min(len(self.resampled), len(other.resampled))
        return _entries(
            self.values - other.values, self.resampled[:rows] - other.resampled[:rows], self.groups, upper
        )


@dataclass(frozen=True)
class Candidates:
    """Policies of which one is chosen for each group: by accuracy on the validation games."""

    validation: GroupSums
    """Sums of hits [candidates]."""
    test: tuple[GroupSums, GroupSums]
    """Sums of hits and of nats [candidates]."""
    groups: list[str]

    @staticmethod
    def of(
        validation: PredictedSample,
        measured: HeldOutSample,
        score: Callable[[PredictedSample], tuple[Array, Array]],
    ) -> Candidates:
        """`score` gives hits and nats [positions, candidates] on a sample."""
        drawn = Resamples.draw(validation.sample.group_of_game, len(measured.resamples.counts), _SEED)
        hits, _ = score(validation)
        games = measured.part.sample.metadata["game"]
        top1, nll = (measured.resamples.group_sums(each, games) for each in score(measured.part))
        return Candidates(
            drawn.group_sums(hits, validation.sample.metadata["game"]), (top1, nll), validation.sample.groups
        )

    def best(self) -> NDArray[np.int64]:
        """The chosen candidate of each group; the middle of equally good ones."""
        return middle_best(_means(self.validation.sums))

    def chosen(self) -> NestedMetrics:
        """The metrics of the chosen candidates; each resample chooses anew."""
        best = self.best()
        again = np.stack(
            [middle_best(_means(self.validation.resampled[:, g])) for g in range(len(best))], axis=1
        )
        return NestedMetrics(
            np.stack([_take(_means(sums.sums), best) for sums in self.test], axis=-1),
            np.stack([_take(_means(sums.resampled), again) for sums in self.test], axis=-1),
            self.groups,
        )

    def table(self, *, test: bool = False) -> Array:
        """The accuracies [groups, candidates] on the validation or the test games."""
        return _means((self.test[0] if test else self.validation).sums)


def pool_scores(
    grid: Array, names: tuple[str, ...], kind: str = "geometric", beta: float = 1.0
) -> Callable[[PredictedSample], tuple[Array, Array]]:
    """Scores the pools of the named policies with each weight vector of a grid [candidates, policies]."""

    def score(part: PredictedSample) -> tuple[Array, Array]:
        choices = part.of(*names)
        logs = choices.log_probabilities.astype(np.float64)
        found = np.zeros((2, len(choices), len(grid)))
        for number, weights in enumerate(grid):
            if kind == "geometric":
                mixed = weights @ logs
            else:
                wide = np.broadcast_to(weights[:, None], logs.shape)
                mixed = pool_log_probabilities(kind, wide, logs, beta)
            found[0, :, number], found[1, :, number] = hits_and_nats(choices, mixed)
        return found[0], found[1]

    return score


def refitted(
    validation: PredictedSample,
    measured: HeldOutSample,
    model: RatingWeights | PositionWeights | None,
    names: tuple[str, ...],
    resamples: int,
) -> NestedMetrics:
    """The metrics of a blend by likelihood; each resample fits its weights anew.

    `model` is the fitted one; None is alpha by group, which is within [0, 1] for two policies.
    """
    fitted_on, tested_on = validation.of(*names), measured.part.of(*names)
    if model is None:
        count = len(validation.sample.groups)
        features, there = np.eye(count)[validation.groups], np.eye(count)[measured.part.groups]
        found = fit(fitted_on, features, constrained=True)
    else:
        features, there, found = model.features(fitted_on), model.features(tested_on), model.fit
    resamples = min(resamples, len(measured.resamples.counts))
    drawn = Resamples.draw(validation.sample.group_of_game, resamples, _SEED).counts
    thetas = [found.theta, *refit(fitted_on, features, found, drawn, constrained=model is None)]
    if model is None and len(names) == 2:
        thetas = [np.clip(each, 0, 1) for each in thetas]
    rows = []
    for number, theta in enumerate(thetas):
        mixed = _pooled(tested_on, theta @ there.T)
        sums = _sums_by_group(measured, hits_and_nats(tested_on, mixed), number - 1)
        rows.append(sums)
    return NestedMetrics(rows[0], np.stack(rows[1:]), measured.part.sample.groups)


def hits_and_nats(choices: ChoiceData, logs: Array) -> tuple[Array, Array]:
    """Whether the likeliest move was played, and the nats of the move played, [positions] each."""
    begins = choices.offsets[:-1]
    best = np.maximum.reduceat(logs, begins)
    shares = np.exp(logs - segment_repeat(best, choices.offsets))
    mine = logs[choices.played]
    return (mine == best).astype(np.float64), best + np.log(np.add.reduceat(shares, begins)) - mine


def _pooled(choices: ChoiceData, weights: Array) -> Array:
    """Unnormalised log-probabilities [moves] of the geometric pool with weights [policies, positions]."""
    mixed: Array = sum(
        segment_repeat(weight, choices.offsets) * logs
        for weight, logs in zip(weights, choices.log_probabilities, strict=True)
    )
    return mixed


def _sums_by_group(measured: HeldOutSample, columns: tuple[Array, Array], resample: int) -> Array:
    """The means [groups, 2] of columns [positions] in one resample of the test games; -1 for all games."""
    games, part = measured.part.sample.metadata["game"], measured.part
    counts = np.ones(len(part.sample.games)) if resample < 0 else measured.resamples.counts[resample]
    weights = counts[games].astype(np.float64)
    total = np.bincount(part.groups, weights, len(part.sample.groups))
    with np.errstate(invalid="ignore"):
        return np.stack(
            [np.bincount(part.groups, weights * column, len(total)) / total for column in columns], axis=1
        )


def _means(sums: Array) -> Array:
    """Means [..., columns] from sums whose first column counts positions."""
    with np.errstate(invalid="ignore"):
        means: Array = sums[..., 1:] / sums[..., :1]
    return means


def _take(table: Array, which: NDArray[np.int64]) -> Array:
    """table[..., group, which[..., group]]"""
    return np.take_along_axis(table, which[..., None], axis=-1)[..., 0]


def _entries(values: Array, resampled: Array, groups: list[str], upper: int = 0) -> dict[str, Any]:
    found: dict[str, Any] = {
        "groups": {name: _entry(values[g], resampled[:, g]) for g, name in enumerate(groups)}
    }
    found["mean"] = _entry(values.mean(axis=0), resampled.mean(axis=1))
    if upper:
        found["upper"] = _entry(values[-upper:].mean(axis=0), resampled[:, -upper:].mean(axis=1))
    return found


def _entry(values: Array, resampled: Array) -> dict[str, float]:
    top1, nll = intervals(values, resampled)
    return {**_named("top1", "", top1), **_named("nll", "nll_", nll)}


def _named(name: str, before: str, estimate: Estimate) -> dict[str, float]:
    return {name: estimate.value, f"{before}low": estimate.low, f"{before}high": estimate.high}
