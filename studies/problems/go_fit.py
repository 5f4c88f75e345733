"""Fits the model of Go problems' levels and measures it by cross-validation over groups of problems.

Each prediction that is measured is of a problem whose group the model did not see; the ridge's penalty is
chosen within the training folds.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.base.plot_style import INK_COLOR, LINE_COLORS, page_axes
from sparring.base.storage import atomic_write
from sparring.go.problem_rating import EASIEST, HARDEST, INTERVAL, SLOPE, level_text
from studies.problems.go_features import groups_of, level_number, read_features, read_tried

Array = NDArray[np.float64]

FOLDS, INNER_FOLDS = 10, 5
PENALTIES = (3.0, 10.0, 30.0, 100.0, 300.0, 1000.0)
QUANTILES = 40
NEAR_LEVELS = 3
_LIMIT = 3.0
_BOOTSTRAPS = 1000

SHAPE = (
    "stones", "own_share", "points_near", "width", "height", "own_inside", "small_board", "line",
    "other_line", "first_line", "corner", "captures", "throw_in", "self_atari", "liberties", "atari",
    "saves", "own_beside", "other_beside", "connects", "empty_triangle",
)  # fmt: skip
"""Features of the position and the first move that need no network."""
TREE = ("depth", "main_depth", "replies_first", "positions", "right_moves")
"""Features of the right lines."""


@dataclass(frozen=True)
class Tried:
    """The problems with their features."""

    names: tuple[str, ...]
    values: Array
    """[problems, features]"""
    levels: Array
    """15k is -14, 7d is 7."""
    rates: Array
    """The share of right tries."""
    groups: NDArray[np.int64]
    marked: NDArray[np.bool_]

    def columns(self, names: Sequence[str]) -> Array:
        """The values of some features."""
        return self.values[:, [self.names.index(name) for name in names]]

    @property
    def logits(self) -> Array:
        """The logits of the rates."""
        return np.log(self.rates / (1 - self.rates))


def read_problems(path: Path, folder: Path) -> tuple[Tried, dict[str, int]]:
    """The problems of the data with the features of a folder, and what was left out."""
    problems, left_out = read_tried(path)
    names, values, ids = read_features(folder)
    assert ids == [problem.name for problem in problems], "the features are of other problems"
    tried = Tried(
        names,
        values,
        np.array([float(level_number(problem.level)) for problem in problems]),
        np.array([(problem.right + 0.5) / (problem.tries + 1) for problem in problems]),
        groups_of([problem.problem for problem in problems]),
        np.array([problem.is_marked for problem in problems]),
    )
    return tried, left_out


# Models.


@dataclass(frozen=True)
class Ridge:
    """A ridge regression on standardised features that are cut at three deviations."""

    mean: Array
    deviation: Array
    weights: Array
    intercept: float

    def predict(self, values: Array) -> Array:
        """The predictions [rows] for features [rows, columns]."""
        scaled = np.clip((values - self.mean) / self.deviation, -_LIMIT, _LIMIT)
        return np.asarray(scaled @ self.weights + self.intercept)


def ridge(values: Array, target: Array, penalty: float) -> Ridge:
    """Fits a ridge regression."""
    mean, deviation = values.mean(axis=0), values.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, 1.0)
    scaled = np.clip((values - mean) / deviation, -_LIMIT, _LIMIT)
    middle, center = scaled.mean(axis=0), float(target.mean())
    centered = scaled - middle
    weights = np.linalg.solve(
        centered.T @ centered + penalty * np.eye(values.shape[1]), centered.T @ (target - center)
    )
    return Ridge(mean, deviation, weights, float(center - middle @ weights))


def folds_of(groups: NDArray[np.int64], folds: int, seed: int) -> NDArray[np.int64]:
    """The fold of each problem; a group is in one fold."""
    names, place = np.unique(groups, return_inverse=True)
    return np.asarray((np.random.default_rng(seed).permutation(len(names)) % folds)[place])


def best_penalty(values: Array, target: Array, groups: NDArray[np.int64]) -> float:
    """The penalty with the least squared error on folds of the training problems."""
    fold = folds_of(groups, INNER_FOLDS, seed=2)
    errors = [
        sum(
            float(
                (
                    (
                        ridge(values[fold != k], target[fold != k], penalty).predict(values[fold == k])
                        - target[fold == k]
                    )
                    ** 2
                ).sum()
            )
            for k in range(INNER_FOLDS)
        )
        for penalty in PENALTIES
    ]
    return PENALTIES[int(np.argmin(errors))]


def held_out(values: Array, target: Array, groups: NDArray[np.int64], shown: Array | None = None) -> Array:
    """The prediction of each problem by a ridge that did not see its group, and whose penalty the problems
    that it saw chose. `shown` are other features of the same problems to predict from."""
    fold = folds_of(groups, FOLDS, seed=1)
    shown = values if shown is None else shown
    predictions = np.zeros(len(target))
    for number in range(FOLDS):
        seen = fold != number
        penalty = best_penalty(values[seen], target[seen], groups[seen])
        predictions[~seen] = ridge(values[seen], target[seen], penalty).predict(shown[~seen])
    return predictions


def shipped(tried: Tried, errors: Array) -> dict[str, NDArray[Any]]:
    """The arrays of `LevelModel.from_arrays`, fitted on all problems. `errors` are of held-out levels."""
    level, share = (
        ridge(tried.values, target, best_penalty(tried.values, target, tried.groups))
        for target in (tried.levels, tried.logits)
    )
    return {
        "names": np.array(tried.names),
        "mean": level.mean,
        "deviation": level.deviation,
        "weights": level.weights,
        "intercept": np.array(level.intercept),
        "share_weights": share.weights,
        "share_intercept": np.array(share.intercept),
        "errors": quantiles(errors),
    }


def write_model(arrays: dict[str, NDArray[Any]], path: Path) -> None:
    """Writes the model's file."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **arrays)  # type: ignore[arg-type]
    atomic_write(path, stream.getvalue())


def quantiles(errors: Array) -> Array:
    """Equally likely errors."""
    return np.quantile(errors, (np.arange(QUANTILES) + 0.5) / QUANTILES)


# Measures.


def ranks(values: Array) -> Array:
    """Ranks from 0; equal values share their mean rank."""
    _, place, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    return np.asarray(((last - counts + last - 1) / 2)[place])


def spearman(first: Array, second: Array) -> float:
    """Spearman's rank correlation; 0 for a constant."""
    a, b = ranks(first), ranks(second)
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


@lru_cache(maxsize=8)
def _draws(groups: tuple[int, ...], seed: int) -> list[NDArray[np.int64]]:
    """The rows of groups drawn with replacement, as many as there are groups."""
    names, place = np.unique(groups, return_inverse=True)
    order = np.argsort(place, kind="stable")
    members = np.split(order, np.cumsum(np.bincount(place))[:-1])
    rng = np.random.default_rng(seed)
    return [
        np.concatenate([members[number] for number in rng.integers(len(names), size=len(names))])
        for _ in range(_BOOTSTRAPS)
    ]


def interval(
    measure: Callable[[NDArray[np.int64]], float], groups: NDArray[np.int64], seed: int = 1
) -> dict[str, float]:
    """A measure of rows, with its 95 % interval by a bootstrap over groups."""
    values = [measure(rows) for rows in _draws(tuple(groups.tolist()), seed)]
    low, high = np.quantile(values, [0.025, 0.975])
    return {
        "value": round(measure(np.arange(len(groups))), 3),
        "low": round(float(low), 3),
        "high": round(float(high), 3),
    }


def within(predictions: Array, levels: Array) -> Array:
    """1 where the predicted level, a whole number, is within three of the true one."""
    return (np.abs(np.round(np.clip(predictions, -14, 7)) - levels) <= NEAR_LEVELS).astype(np.float64)


def accuracy(tried: Tried, predictions: Array, rows: NDArray[Any] | None = None) -> dict[str, Any]:
    """How predicted levels agree with solve rates and levels."""
    kept = np.arange(len(tried.levels)) if rows is None else np.flatnonzero(rows)
    levels, rates, guess = tried.levels[kept], tried.rates[kept], predictions[kept]
    groups = tried.groups[kept]
    near, errors = within(guess, levels), np.abs(guess - levels)
    weights = _equal_levels(levels)
    return {
        "n": len(kept),
        "spearman_rate": interval(lambda rows: -spearman(guess[rows], rates[rows]), groups),
        "spearman_level": interval(lambda rows: spearman(guess[rows], levels[rows]), groups),
        "within_three": interval(lambda rows: float(near[rows].mean()), groups),
        "within_three_levels_equal": interval(
            lambda rows: float(np.average(near[rows], weights=weights[rows])), groups
        ),
        "mean_error": interval(lambda rows: float(errors[rows].mean()), groups),
    }


def _equal_levels(levels: Array) -> Array:
    """Weights by which each level counts the same."""
    _, place, counts = np.unique(levels, return_inverse=True, return_counts=True)
    return np.asarray(1.0 / counts[place])


def best_constant(levels: Array) -> float:
    """The constant level that is within three of most levels."""
    return float(max(range(-14, 8), key=lambda level: float((np.abs(levels - level) <= NEAR_LEVELS).sum())))


# The report.


def measure(
    path: Path, folder: Path, bare: Path | None
) -> tuple[dict[str, Any], dict[str, NDArray[Any]], Array]:
    """The report, the arrays of the model, and the held-out levels of all problems.

    `bare` has features of the main lines alone.
    """
    tried, left_out = read_problems(path, folder)
    levels = held_out(tried.values, tried.levels, tried.groups)
    logits = held_out(tried.values, tried.logits, tried.groups)
    report: dict[str, Any] = {
        "problems": len(tried.levels),
        "groups": len(set(tried.groups.tolist())),
        "left_out": left_out,
        "features": len(tried.names),
        "marked": int(tried.marked.sum()),
        "level_and_rate": interval(
            lambda rows: -spearman(tried.levels[rows], tried.rates[rows]), tried.groups
        ),
        "model": accuracy(tried, levels),
        "fitted_to_the_rate": {
            "spearman_rate": interval(lambda rows: spearman(logits[rows], tried.rates[rows]), tried.groups),
            "spearman_level": interval(
                lambda rows: -spearman(logits[rows], tried.levels[rows]), tried.groups
            ),
        },
        "baselines": _baselines(tried),
        "without": {
            name: accuracy(tried, held_out(tried.columns(names), tried.levels, tried.groups))
            for name, names in _parts(tried.names).items()
        },
        "subsets": {
            name: {
                **accuracy(tried, levels, rows),
                "spearman_rate_fitted_to_the_rate": round(spearman(logits[rows], tried.rates[rows]), 3),
                "level_and_rate": round(-spearman(tried.levels[rows], tried.rates[rows]), 3),
            }
            for name, rows in {
                "kyu": tried.levels <= 0,
                "dan": tried.levels > 0,
                "marked": tried.marked,
                "without marks": ~tried.marked,
            }.items()
        },
        "by_level": _by_level(tried, levels),
        "interval": _coverage(tried, levels),
        "chance": _chance(tried, levels),
        "share": _share(tried, logits),
        "single_features": _single(tried),
    }
    if bare is not None:
        names, values, ids = read_features(bare)
        assert names == tried.names, "the features are others"
        seen = np.arange(len(levels)) < len(ids)
        shown = np.where(seen[:, None], np.resize(values, tried.values.shape), tried.values)
        main = held_out(tried.values, tried.levels, tried.groups, shown)
        report["main_line_alone"] = {
            "main line": accuracy(tried, main, seen),
            "the same problems with all right lines": accuracy(tried, levels, seen),
        }
    arrays = shipped(tried, tried.levels - levels)
    order = np.argsort(-np.abs(arrays["weights"]))[:20]
    report["largest_weights"] = {tried.names[i]: round(float(arrays["weights"][i]), 3) for i in order}
    return report, arrays, levels


def _baselines(tried: Tried) -> dict[str, Any]:
    """Levels guessed without a model of many numbers. The constant is chosen on the training folds."""
    fold = folds_of(tried.groups, FOLDS, seed=1)
    constant = np.zeros(len(tried.levels))
    for number in range(FOLDS):
        constant[fold == number] = best_constant(tried.levels[fold != number])
    single = {
        name: accuracy(tried, held_out(tried.columns([name]), tried.levels, tried.groups))
        for name in ("stones", "depth", "first_1", _best(tried))
    }
    return {"constant": accuracy(tried, constant), **single}


def _best(tried: Tried) -> str:
    """The feature with the largest rank correlation with the rates, on all problems."""
    return max(_single(tried, 1))


def _single(tried: Tried, most: int = 20) -> dict[str, float]:
    """The features that correlate most with the rates, alone."""
    found = {
        name: round(spearman(column, tried.rates), 3)
        for name, column in zip(tried.names, tried.values.T, strict=True)
    }
    return dict(sorted(found.items(), key=lambda item: -abs(item[1]))[:most])


def _parts(names: Sequence[str]) -> dict[str, list[str]]:
    """The features that are left without some of them."""
    later = ("line_", "later_")
    lines = [name for name in names if name.startswith(later) or name in TREE]
    plain = [*SHAPE, *TREE]
    return {
        "networks": plain,
        "lines after the first move": [name for name in names if name not in lines],
        "shape and right lines": [name for name in names if name not in plain],
        "ownership, ladders and playouts": [
            name
            for name in names
            if not name.startswith(("unsettled", "gain", "largest", "own_after", "playout", "ladder"))
        ],
    }


def _by_level(tried: Tried, predictions: Array) -> list[dict[str, Any]]:
    rows = []
    for level in sorted(set(tried.levels.tolist())):
        own = tried.levels == level
        guess = np.clip(predictions[own], EASIEST, HARDEST)
        rows.append(
            {
                "level": level_text(level),
                "n": int(own.sum()),
                "rate": round(float(tried.rates[own].mean()), 3),
                "predicted_mean": round(float(guess.mean()), 2),
                "bias": round(float(guess.mean() - level), 2),
                "within_three": round(float(within(guess, tried.levels[own]).mean()), 3),
            }
        )
    return rows


def _coverage(tried: Tried, predictions: Array) -> dict[str, Any]:
    """How often the 80 % interval holds the level; the errors are those of the other folds."""
    fold, errors = folds_of(tried.groups, FOLDS, seed=1), tried.levels - predictions
    inside, widths = np.zeros(len(errors)), np.zeros(len(errors))
    for number in range(FOLDS):
        own = fold == number
        plausible = np.clip(predictions[own, None] + quantiles(errors[~own]), EASIEST, HARDEST)
        low, high = np.quantile(plausible, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2], axis=1)
        # As it is printed: whole levels.
        inside[own] = (np.round(low) <= tried.levels[own]) & (tried.levels[own] <= np.round(high))
        widths[own] = high - low
    return {
        "covered": interval(lambda rows: float(inside[rows].mean()), tried.groups),
        "median_width": round(float(np.median(widths)), 1),
    }


def _chance(tried: Tried, predictions: Array) -> dict[str, Any]:
    """The chance that the model gives a person of one rank beside the share of right tries, by level.

    Nobody knows who tried: the rank is that for which the squared error over the kyu problems is least.
    """
    plausible = np.clip(predictions[:, None] + quantiles(tried.levels - predictions), EASIEST, HARDEST)

    def chances(rank: float) -> Array:
        return np.asarray((1 / (1 + np.exp(SLOPE * (plausible - rank)))).mean(axis=1))

    kyu = tried.levels <= 0
    steps = np.arange(-14, 4, 0.5)
    rank = float(min(steps, key=lambda step: float(((chances(step) - tried.rates)[kyu] ** 2).sum())))
    found = chances(rank)
    bands = []
    for low, high in pairwise((-15, -12, -9, -6, -3, 0, 2, 4, 8)):
        own = (predictions >= low) & (predictions < high)
        if own.sum() >= 10:
            bands.append(
                {
                    "from": low,
                    "to": high,
                    "n": int(own.sum()),
                    "chance": round(float(found[own].mean()), 3),
                    "right": round(float(tried.rates[own].mean()), 3),
                }
            )
    steep = np.polyfit(tried.levels[tried.levels <= -5], tried.logits[tried.levels <= -5], 1)
    return {"rank": rank, "slope_15k_to_6k": round(float(-steep[0]), 3), "bands": bands}


def _share(tried: Tried, logits: Array) -> dict[str, Any]:
    """The predicted share of right tries against the true one, by tenths of the prediction."""
    found = 1 / (1 + np.exp(-logits))
    order = np.array_split(np.argsort(found), 10)
    errors = np.abs(found - tried.rates)
    constant = np.abs(np.median(tried.rates) - tried.rates)
    return {
        "mean_error": interval(lambda rows: float(errors[rows].mean()), tried.groups),
        "constant": interval(lambda rows: float(constant[rows].mean()), tried.groups),
        "tenths": [
            {
                "predicted": round(float(found[rows].mean()), 3),
                "right": round(float(tried.rates[rows].mean()), 3),
            }
            for rows in order
        ],
    }


def level_figure(levels: Array, predictions: Array) -> Any:
    """The site's level over the predicted one: problems as points, moved a little so that they are seen
    apart, and the median and the middle 80 % by predicted level."""
    figure, axis = page_axes(4.0)
    rng = np.random.default_rng(1)
    moved = levels + rng.uniform(-0.3, 0.3, len(levels))
    axis.scatter(predictions, moved, s=3, color=LINE_COLORS[1], alpha=0.35, linewidths=0)
    centers, bands = [], []
    for begin in range(-14, 7, 2):
        inside = levels[(begin <= predictions) & (predictions < begin + 2)]
        if len(inside) >= 20:
            centers.append(begin + 1)
            bands.append(np.percentile(inside, [10, 50, 90]))
    low, middle, high = np.array(bands).T
    axis.fill_between(centers, low, high, color=LINE_COLORS[0], alpha=0.15, linewidth=0)
    axis.plot(centers, middle, color=LINE_COLORS[0], linewidth=1.8)
    axis.plot([-14, 7], [-14, 7], color=INK_COLOR, linewidth=0.8, linestyle=":")
    ticks = [-14, -9, -4, 1, 4, 7]
    names = [level_text(tick) for tick in ticks]
    axis.set_xticks(ticks, names)
    axis.set_yticks(ticks, names)
    axis.set_xlabel("predicted level")
    axis.set_ylabel("the site's level")
    return figure
