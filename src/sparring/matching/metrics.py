"""Metrics of a policy from its scores: accuracy, likelihood and calibration, with intervals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.matching.bootstrap import Array, Estimate, GroupSums, Means, Resamples
from sparring.matching.buckets import all_buckets
from sparring.matching.positions import Sample
from sparring.policies import MIN_PROBABILITY

TOP = 5
COLUMNS = (*(f"top{k}" for k in range(1, TOP + 1)), "expected", "nll")
"""topk: the move played is among the k likeliest; expected: the probability of the move played, which is the
accuracy of moves drawn from the policy; nll: negative log-likelihood in nats."""
_NLL = COLUMNS.index("nll")
_BINS = 15
_SHOWN_BINS = 10


@dataclass(frozen=True)
class PolicyMetrics:
    """The metrics of one policy on a sample."""

    sample: Sample
    scores: NDArray[np.void]
    resamples: Resamples

    @cached_property
    def group_sums(self) -> GroupSums:
        """Sums of all metric columns by group."""
        return self.resamples.group_sums(metric_columns(self.scores), self.sample.metadata["game"])

    def by_group(self) -> dict[str, dict[str, Any]]:
        """The metrics of every group."""
        found = {}
        group_of = self.sample.group_of_game
        for number, name in enumerate(self.sample.groups):
            scores = self.scores[group_of[self.sample.metadata["game"]] == number]
            games = int((group_of == number).sum())
            found[name] = {"games": games, **_entry(self.group_sums.group(number)), **_extras(scores)}
        return found

    def mean(self) -> dict[str, Any]:
        """The mean over groups, each with the same weight."""
        return _entry(self.group_sums.macro_average())

    def all(self) -> dict[str, Any]:
        """The metrics over all positions."""
        return {**_entry(self.group_sums.pooled()), **_extras(self.scores)}

    def by_bucket(self) -> dict[str, dict[str, dict[str, Any]]]:
        """Accuracy and likelihood by ply, phase, number of legal moves, clock, evaluation and swing, over
        all groups. Empty buckets are left out."""
        values, games = metric_columns(self.scores)[:, [0, _NLL]], self.sample.metadata["game"]
        found = {}
        for buckets in all_buckets(self.sample.game, self.sample.metadata):
            bucket_sums = self.resamples.bucket_sums(values, games, buckets.of, len(buckets.names))
            entries = [_entry(group_sums.pooled(), ("top1", "nll")) for group_sums in bucket_sums]
            named = zip(buckets.names, entries, strict=True)
            found[buckets.title] = {name: entry for name, entry in named if entry["positions"]}
        return found

    def calibration(self) -> list[dict[str, float]]:
        """The frequency with which the likeliest move was played, by its predicted probability."""
        return [asdict(each) for each in calibration_bins(self.scores, _SHOWN_BINS) if each.positions]

    def difference(self, other: PolicyMetrics) -> dict[str, Any]:
        """The paired difference to another policy on the same games: by group, and in the mean over
        groups."""
        groups = {
            name: _difference(self.group_sums.group(number), other.group_sums.group(number))
            for number, name in enumerate(self.sample.groups)
        }
        return {"groups": groups, "mean": self.macro_difference(other)}

    def macro_difference(self, other: PolicyMetrics, which: Sequence[int] | None = None) -> dict[str, float]:
        """The paired difference to another policy in the mean over some groups (all if None)."""
        return _difference(self.group_sums.macro_average(which), other.group_sums.macro_average(which))


@dataclass(frozen=True)
class CalibrationBin:
    """Positions in which the probability of the likeliest move falls into one bin."""

    positions: int
    confidence: float
    """The mean probability of the likeliest move."""
    accuracy: float
    """The share of positions in which it was played."""


def metric_columns(scores: NDArray[np.void]) -> Array:
    """The metric columns [positions, COLUMNS] of scores."""
    hits = [scores["rank"] < k for k in range(1, TOP + 1)]
    played = scores["played"].astype(np.float64)
    return np.stack([*hits, played, -np.log(np.maximum(played, MIN_PROBABILITY))], axis=1).astype(np.float64)


def calibration_bins(scores: NDArray[np.void], bins: int) -> list[CalibrationBin]:
    """Bins of equal width over the probability of the likeliest move."""
    sure = scores["top"].astype(np.float64)
    place = np.minimum((sure * bins).astype(np.int64), bins - 1)
    counts = np.bincount(place, minlength=bins)
    confidence, hits = np.bincount(place, sure, bins), np.bincount(place, scores["rank"] == 0, bins)
    each = np.maximum(counts, 1)
    return [
        CalibrationBin(int(n), float(c), float(a))
        for n, c, a in zip(counts, confidence / each, hits / each, strict=True)
    ]


def expected_calibration_error(scores: NDArray[np.void]) -> float:
    """The expected calibration error (ECE) over 15 bins."""
    bins = calibration_bins(scores, _BINS)
    return sum(each.positions * abs(each.confidence - each.accuracy) for each in bins) / max(len(scores), 1)


def _entry(means: Means, names: tuple[str, ...] = COLUMNS) -> dict[str, Any]:
    """Means with intervals as a JSON object. The keys of the first column's interval are "low" and "high";
    those of other columns have the column's name before."""
    entry: dict[str, Any] = {"positions": means.positions}
    for name, estimate in zip(names, means.estimates(), strict=True):
        entry |= _named(name, estimate)
    if "nll" in names:
        entry["perplexity"] = float(np.exp(entry["nll"]))
    return entry


def _extras(scores: NDArray[np.void]) -> dict[str, float]:
    return {
        "ece": expected_calibration_error(scores),
        "confidence": float(scores["top"].mean(dtype=np.float64)),
        "entropy": float(scores["entropy"].mean(dtype=np.float64)),
    }


def _difference(mine: Means, other: Means) -> dict[str, float]:
    """The paired differences of top-1 accuracy and of likelihood."""
    found = mine.difference(other)
    return _named("top1", found[0]) | _named("nll", found[_NLL])


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    before = "" if name == "top1" else f"{name}_"
    return {name: estimate.value, f"{before}low": estimate.low, f"{before}high": estimate.high}
