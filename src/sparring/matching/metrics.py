"""From scores to what a report says: accuracy, likelihood and calibration, with intervals."""

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
"""Whether the move played is among the k likeliest; its probability, which is how often somebody who draws
moves from the policy would match; its negative log-likelihood in nats."""
_NLL = COLUMNS.index("nll")
_BINS = 15
_SHOWN_BINS = 10


@dataclass(frozen=True)
class PolicyMetrics:
    """A policy's scores on a sample."""

    sample: Sample
    scores: NDArray[np.void]
    resamples: Resamples

    @cached_property
    def group_sums(self) -> GroupSums:
        """Of all positions."""
        return self.resamples.group_sums(metric_columns(self.scores), self.sample.metadata["game"])

    def by_group(self) -> dict[str, dict[str, Any]]:
        """Every group's numbers."""
        found = {}
        group_of = self.sample.group_of_game
        for number, name in enumerate(self.sample.groups):
            scores = self.scores[group_of[self.sample.metadata["game"]] == number]
            games = int((group_of == number).sum())
            found[name] = {"games": games, **_entry(self.group_sums.group(number)), **_extras(scores)}
        return found

    def mean(self) -> dict[str, Any]:
        """The mean over groups, each counted the same."""
        return _entry(self.group_sums.macro_average())

    def all(self) -> dict[str, Any]:
        """All positions together."""
        return {**_entry(self.group_sums.pooled()), **_extras(self.scores)}

    def by_bucket(self) -> dict[str, dict[str, dict[str, Any]]]:
        """The positions of all groups sorted in every way that is known of them; kinds with none left out."""
        values, games = metric_columns(self.scores)[:, [0, _NLL]], self.sample.metadata["game"]
        found = {}
        for buckets in all_buckets(self.sample.game, self.sample.metadata):
            bucket_sums = self.resamples.bucket_sums(values, games, buckets.of, len(buckets.names))
            entries = [_entry(group_sums.pooled(), ("top1", "nll")) for group_sums in bucket_sums]
            named = zip(buckets.names, entries, strict=True)
            found[buckets.title] = {name: entry for name, entry in named if entry["positions"]}
        return found

    def calibration(self) -> list[dict[str, float]]:
        """How often the likeliest move was played, by how likely the policy thought it."""
        return [asdict(each) for each in calibration_bins(self.scores, _SHOWN_BINS) if each.positions]

    def difference(self, other: PolicyMetrics) -> dict[str, Any]:
        """How much better than another policy on the same games: by group, and in the mean over groups."""
        groups = {
            name: _difference(self.group_sums.group(number), other.group_sums.group(number))
            for number, name in enumerate(self.sample.groups)
        }
        return {"groups": groups, "mean": self.macro_difference(other)}

    def macro_difference(self, other: PolicyMetrics, which: Sequence[int] | None = None) -> dict[str, float]:
        """The same in the mean over some groups."""
        return _difference(self.group_sums.macro_average(which), other.group_sums.macro_average(which))


@dataclass(frozen=True)
class CalibrationBin:
    """Positions in which the policy was about as sure of its first choice."""

    positions: int
    confidence: float
    """The mean probability of the likeliest move."""
    accuracy: float
    """How often it was played."""


def metric_columns(scores: NDArray[np.void]) -> Array:
    """[positions, COLUMNS]"""
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
    """The mean distance between how sure the policy is and how often it is right, over 15 bins."""
    bins = calibration_bins(scores, _BINS)
    return sum(each.positions * abs(each.confidence - each.accuracy) for each in bins) / max(len(scores), 1)


def _entry(means: Means, names: tuple[str, ...] = COLUMNS) -> dict[str, Any]:
    """The first column's interval is "low" and "high"; the others' have their names before."""
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
    """Of accuracy and of likelihood, the two that people compare."""
    found = mine.difference(other)
    return _named("top1", found[0]) | _named("nll", found[_NLL])


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    before = "" if name == "top1" else f"{name}_"
    return {name: estimate.value, f"{before}low": estimate.low, f"{before}high": estimate.high}
