"""Metrics of a policy from its scores: accuracy, likelihood and calibration, with intervals."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.measure.samples import PHASES, Sample
from sparring.policies import MIN_PROBABILITY

# Buckets of positions by ply, phase, number of legal moves, clock, evaluation and swing.


_MOST_PLIES = 12
_LEGAL = (1, 2, 5, 10, 15, 20, 25, 30, 35, 40, 50, 75, 100, 150, 200, 250, 300, 350)
_CLOCK = (0, 30, 60, 120, 300, 600, 1200)
_EVALUATION = ((-np.inf, "lost"), (-300, "worse"), (-100, "even"), (100, "better"), (300, "won"))
_SWING = ((-np.inf, "loses over 300"), (-300, "loses 100 to 300"), (-100, "loses 50 to 100"),
          (-50, "within 50"), (50, "gains 50 or more"))  # fmt: skip


@dataclass(frozen=True)
class Buckets:
    """A partition of positions into named buckets."""

    title: str
    names: tuple[str, ...]
    of: NDArray[np.int64]
    """[positions]: index of each position's bucket; -1 if it has none."""


def all_buckets(game: str, metadata: NDArray[np.void]) -> Iterator[Buckets]:
    """Yields the partitions for which the metadata [positions] have values."""
    width = describe(game).ply_bucket
    yield _ranges("ply", metadata["ply"], [width * i for i in range(_MOST_PLIES)])
    yield Buckets("phase", PHASES, metadata["phase"].astype(np.int64))
    yield _ranges("legal moves", metadata["legal"], list(_LEGAL))
    if not np.isnan(metadata["clock"]).all():
        yield _ranges("clock", metadata["clock"], list(_CLOCK))
    for title, ways in (("evaluation", _EVALUATION), ("swing", _SWING)):
        if not np.isnan(metadata[title]).all():
            names = tuple(name for _, name in ways)
            yield Buckets(title, names, _sorted_in(metadata[title], [bound for bound, _ in ways]))


def _ranges(title: str, values: NDArray[np.generic], bounds: list[int]) -> Buckets:
    names = [f"{a}-{b - 1}" if b - a > 1 else f"{a}" for a, b in pairwise(bounds)]
    return Buckets(title, (*names, f"{bounds[-1]}+"), _sorted_in(values, bounds))


def _sorted_in(values: NDArray[np.generic], bounds: Sequence[float]) -> NDArray[np.int64]:
    present = ~np.isnan(values.astype(np.float64))
    indices = np.full(len(values), -1, np.int64)
    indices[present] = np.searchsorted(np.asarray(bounds), values[present], side="right") - 1
    return indices


# Bootstrap confidence intervals over games: the positions of one game are not independent, games are.
#
# A resample draws as many games as there are, with replacement, within each group. Every measured quantity is
# a ratio of sums over games. A resample is therefore a row of counts, and all resamples are one matrix
# product. The same resamples serve every policy, so differences between policies are paired.


Array = NDArray[np.float64]
_BLOCK = 4_000_000
"""Numbers drawn at a time: bounds the memory."""


@dataclass(frozen=True)
class Estimate:
    """A value with its 95 % confidence interval."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Resamples:
    """How often each game is drawn in each resample."""

    counts: NDArray[np.uint8]
    """[resamples, games]"""
    groups: NDArray[np.int64]
    """[games]: the group of each game, from 0."""

    @staticmethod
    def draw(groups: NDArray[np.int64], resamples: int = 1000, seed: int = 0) -> Resamples:
        """Draws resamples for games [games] of these groups. The same seed gives the same resamples."""
        counts = np.zeros((resamples, len(groups)), np.uint8)
        for group in range(int(groups.max()) + 1):
            games = np.flatnonzero(groups == group)
            rng = np.random.default_rng([seed, group])
            step = max(1, _BLOCK // len(games))
            for begin in range(0, resamples, step):
                rows = min(step, resamples - begin)
                drawn = rng.integers(0, len(games), (rows, len(games)))
                drawn += np.arange(rows)[:, None] * len(games)
                often = np.bincount(drawn.ravel(), minlength=rows * len(games)).reshape(rows, -1)
                counts[begin : begin + rows, games] = np.minimum(often, 255)
        return Resamples(counts, groups)

    def group_sums(self, values: Array, games: NDArray[np.integer]) -> GroupSums:
        """Sums values [positions, columns] by group; `games` [positions] is the game of each position."""
        return self.bucket_sums(values, games, np.zeros(len(games), np.int64), 1)[0]

    def bucket_sums(
        self, values: Array, games: NDArray[np.integer], buckets: NDArray[np.int64], number: int
    ) -> list[GroupSums]:
        """Sums values by group, once for each bucket. `buckets` [positions] are numbers below `number`, or
        -1 for none."""
        valid = buckets >= 0
        place = games[valid].astype(np.int64) * number + buckets[valid]
        size = len(self.groups) * number
        columns = [np.ones(int(valid.sum())), *values[valid].T]
        sums = np.stack([np.bincount(place, column, size).astype(np.float64) for column in columns], axis=1)
        sums = sums.reshape(len(self.groups), -1)
        shape = (len(self.games_by_group), number, len(columns))
        total = np.stack([sums[members].sum(axis=0) for members in self.games_by_group]).reshape(shape)
        resampled = np.stack(self._resampled(sums), axis=1).reshape(len(self.counts), *shape)
        return [GroupSums(total[:, kind], resampled[:, :, kind]) for kind in range(number)]

    @cached_property
    def games_by_group(self) -> list[NDArray[np.int64]]:
        """The indices of the games of each group."""
        return [np.flatnonzero(self.groups == group) for group in range(int(self.groups.max()) + 1)]

    def _resampled(self, sums: Array) -> list[Array]:
        """The resampled sums [resamples, columns] of each group."""
        resampled = []
        for games in self.games_by_group:
            step = max(1, _BLOCK // len(games))
            blocks = [
                self.counts[begin : begin + step, games].astype(np.float64) @ sums[games]
                for begin in range(0, len(self.counts), step)
            ]
            resampled.append(np.concatenate(blocks))
        return resampled


@dataclass(frozen=True)
class GroupSums:
    """Sums over positions by group, for the data and for every resample. Column 0 counts positions."""

    sums: Array
    """[groups, 1 + columns]"""
    resampled: Array
    """[resamples, groups, 1 + columns]"""

    def group(self, group: int) -> Means:
        """The means of one group."""
        return Means(self.sums[group], self.resampled[:, group], _ratio)

    def pooled(self) -> Means:
        """The means over the positions of all groups."""
        return Means(self.sums.sum(axis=0), self.resampled.sum(axis=1), _ratio)

    def macro_average(self) -> Means:
        """The mean over groups of their means: each counts the same, large or small."""
        return Means(self.sums, self.resampled, _mean_ratio)


@dataclass(frozen=True)
class Means:
    """Means of the columns, and the same in every resample."""

    sums: Array
    resampled: Array
    mean: Callable[[Array], Array]

    @property
    def positions(self) -> int:
        """The number of positions."""
        return int(self.sums[..., 0].sum())

    @property
    def values(self) -> Array:
        """[columns]"""
        return self.mean(self.sums)

    @property
    def resampled_means(self) -> Array:
        """[resamples, columns]"""
        return self.mean(self.resampled)

    def estimates(self) -> list[Estimate]:
        """One estimate per column."""
        return intervals(self.values, self.resampled_means)

    def difference(self, other: Means) -> list[Estimate]:
        """The paired difference self - other of each column, with intervals."""
        return intervals(self.values - other.values, self.resampled_means - other.resampled_means)


def intervals(values: Array, resampled_means: Array) -> list[Estimate]:
    """The values with the 2.5 and 97.5 percentiles of their resamples; empty resamples (NaN) are ignored."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # buckets without positions
        low, high = np.nanpercentile(resampled_means, [2.5, 97.5], axis=0)
    return [Estimate(float(v), float(a), float(b)) for v, a, b in zip(values, low, high, strict=True)]


def _ratio(sums: Array) -> Array:
    with np.errstate(invalid="ignore"):  # without positions the mean is NaN
        ratio: Array = sums[..., 1:] / sums[..., :1]
    return ratio


def _mean_ratio(sums: Array) -> Array:
    mean: Array = _ratio(sums).mean(axis=-2)
    return mean


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
        entries = {}
        group_of = self.sample.group_of_game
        for number, name in enumerate(self.sample.groups):
            scores = self.scores[group_of[self.sample.metadata["game"]] == number]
            games = int((group_of == number).sum())
            entries[name] = {"games": games, **_entry(self.group_sums.group(number)), **_extras(scores)}
        return entries

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
        by_title = {}
        for buckets in all_buckets(self.sample.game, self.sample.metadata):
            bucket_sums = self.resamples.bucket_sums(values, games, buckets.of, len(buckets.names))
            entries = [_entry(group_sums.pooled(), ("top1", "nll")) for group_sums in bucket_sums]
            named = zip(buckets.names, entries, strict=True)
            by_title[buckets.title] = {name: entry for name, entry in named if entry["positions"]}
        return by_title

    def calibration(self) -> list[dict[str, float]]:
        """The frequency with which the likeliest move was played, by its predicted probability."""
        return [asdict(bin_) for bin_ in calibration_bins(self.scores, _SHOWN_BINS) if bin_.positions]

    def difference(self, other: PolicyMetrics) -> dict[str, Any]:
        """The paired difference to another policy on the same games: by group, and in the mean over
        groups."""
        groups = {
            name: _difference(self.group_sums.group(number), other.group_sums.group(number))
            for number, name in enumerate(self.sample.groups)
        }
        mean = _difference(self.group_sums.macro_average(), other.group_sums.macro_average())
        return {"groups": groups, "mean": mean}


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
    sums = np.bincount(place, sure, bins), np.bincount(place, scores["rank"] == 0, bins)
    means = (column / np.maximum(counts, 1) for column in sums)
    rows = zip(counts.tolist(), *(column.tolist() for column in means), strict=True)
    return [CalibrationBin(*row) for row in rows]


def expected_calibration_error(scores: NDArray[np.void]) -> float:
    """The expected calibration error (ECE) over 15 bins."""
    bins = calibration_bins(scores, _BINS)
    return sum(bin_.positions * abs(bin_.confidence - bin_.accuracy) for bin_ in bins) / max(len(scores), 1)


def _entry(means: Means, names: tuple[str, ...] = COLUMNS) -> dict[str, Any]:
    """Means with intervals as a JSON object. The keys of the first column's interval are "low" and "high";
    those of other columns have the column's name before."""
    entry: dict[str, Any] = {"positions": means.positions}
    for name, estimate in zip(names, means.estimates(), strict=True):
        entry |= _named(name, estimate)
    return {**entry, "perplexity": float(np.exp(entry["nll"]))}


def _extras(scores: NDArray[np.void]) -> dict[str, float]:
    return {
        "ece": expected_calibration_error(scores),
        "confidence": float(scores["top"].mean(dtype=np.float64)),
        "entropy": float(scores["entropy"].mean(dtype=np.float64)),
    }


def _difference(mine: Means, other: Means) -> dict[str, float]:
    """The paired differences of top-1 accuracy and of likelihood."""
    estimates = mine.difference(other)
    return _named("top1", estimates[0]) | _named("nll", estimates[_NLL])


def _named(name: str, estimate: Estimate) -> dict[str, float]:
    before = "" if name == "top1" else f"{name}_"
    return {name: estimate.value, f"{before}low": estimate.low, f"{before}high": estimate.high}
