"""Bootstrap confidence intervals over games: the positions of one game are not independent, games are.

A resample draws as many games as there are, with replacement, within each group. Every measured quantity is
a ratio of sums over games. A resample is therefore a row of counts, and all resamples are one matrix
product. The same resamples serve every policy, so differences between policies are paired.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

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
        known = buckets >= 0
        place = games[known].astype(np.int64) * number + buckets[known]
        size = len(self.groups) * number
        columns = [np.ones(int(known.sum())), *values[known].T]
        sums = np.stack([np.bincount(place, column, size).astype(np.float64) for column in columns], axis=1)
        sums = sums.reshape(len(self.groups), -1)
        shape = (len(self.games_by_group), number, len(columns))
        total = np.stack([sums[each].sum(axis=0) for each in self.games_by_group]).reshape(shape)
        resampled = np.stack(self._resampled(sums), axis=1).reshape(len(self.counts), *shape)
        return [GroupSums(total[:, kind], resampled[:, :, kind]) for kind in range(number)]

    @cached_property
    def games_by_group(self) -> list[NDArray[np.int64]]:
        """The indices of the games of each group."""
        return [np.flatnonzero(self.groups == group) for group in range(int(self.groups.max()) + 1)]

    def _resampled(self, sums: Array) -> list[Array]:
        """The resampled sums [resamples, columns] of each group."""
        found = []
        for games in self.games_by_group:
            step = max(1, _BLOCK // len(games))
            blocks = [
                self.counts[begin : begin + step, games].astype(np.float64) @ sums[games]
                for begin in range(0, len(self.counts), step)
            ]
            found.append(np.concatenate(blocks))
        return found


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

    def macro_average(self, which: Sequence[int] | None = None) -> Means:
        """The mean over groups, or some of them, of their means: each counts the same, large or small."""
        some = list(range(len(self.sums))) if which is None else list(which)
        return Means(self.sums[some], self.resampled[:, some], _mean_ratio)


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
