"""Fits the model of puzzle ratings on the features of Lichess's puzzles, and measures it on held-out ones.

LightGBM is needed here only: `export` writes its trees as arrays, which `sparring.chess.puzzle_rating` runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.chess.puzzle_rating import PuzzleModel
from studies.problems.features import place_of, split_of

Array = NDArray[np.float64]

RATING = {
    "objective": "huber", "alpha": 300.0, "learning_rate": 0.04, "num_leaves": 63, "min_data_in_leaf": 15,
    "extra_trees": True, "feature_fraction": 0.4, "bagging_fraction": 0.7, "bagging_freq": 1,
    "lambda_l2": 5.0, "max_bin": 127,
}  # fmt: skip
"""LightGBM's parameters of the rating."""
ROUNDS = 1000
"""Most trees; fewer where the validation puzzles gain nothing for `PATIENCE` trees."""
PATIENCE = 60
ERROR = {
    "objective": "regression", "learning_rate": 0.05, "num_leaves": 15, "min_data_in_leaf": 100,
    "feature_fraction": 0.3, "bagging_fraction": 0.7, "bagging_freq": 1, "lambda_l2": 20.0, "max_bin": 63,
}  # fmt: skip
ERROR_ROUNDS = 100
FOLDS = 4
QUANTILES = 40
BANDS = (400, 800, 1200, 1600, 2000, 2400, 2900)


@dataclass(frozen=True)
class Puzzles:
    """Puzzles with their features."""

    names: tuple[str, ...]
    values: NDArray[np.float32]
    """[puzzles, features]"""
    ids: NDArray[np.str_]
    ratings: Array
    deviations: Array
    themes: tuple[str, ...]

    def __len__(self) -> int:
        return len(self.ids)

    def take(self, rows: NDArray[Any]) -> Puzzles:
        """The puzzles with these indices."""
        themes = tuple(np.array(self.themes)[rows])
        return Puzzles(
            self.names, self.values[rows], self.ids[rows], self.ratings[rows], self.deviations[rows], themes
        )

    def split(self, name: str) -> Puzzles:
        """Those of train, valid or test."""
        return self.take(np.flatnonzero([split_of(str(identity)) == name for identity in self.ids]))


def read_features(folder: Path) -> Puzzles:
    """All parts of a folder."""
    parts = [np.load(path) for path in sorted(folder.glob("part-*.npz"))]
    return Puzzles(
        tuple(map(str, parts[0]["names"])),
        np.concatenate([part["features"] for part in parts]),
        np.concatenate([part["ids"] for part in parts]),
        np.concatenate([part["ratings"] for part in parts]),
        np.concatenate([part["deviations"] for part in parts]),
        tuple(str(text) for part in parts for text in part["themes"]),
    )


def boost(
    values: NDArray[Any], target: Array, parameters: dict[str, Any], rounds: int, valid: Any = None
) -> Any:
    """A LightGBM booster. With `valid` (features, target) the number of trees is chosen on it."""
    lightgbm = import_module("lightgbm")
    parameters = {**parameters, "verbosity": -1, "num_threads": 1, "seed": 1, "deterministic": True}
    table = lightgbm.Dataset(values, target, params={"max_bin": parameters["max_bin"]})
    if valid is None:
        return lightgbm.train(parameters, table, rounds)
    parameters["metric"] = "l1"
    stop = lightgbm.early_stopping(PATIENCE, verbose=False)
    other = lightgbm.Dataset(*valid, reference=table)
    return lightgbm.train(parameters, table, rounds, valid_sets=[other], callbacks=[stop])


def joined(first: Puzzles, second: Puzzles) -> Puzzles:
    """The puzzles of both."""
    return Puzzles(
        first.names,
        np.concatenate([first.values, second.values]),
        np.concatenate([first.ids, second.ids]),
        np.concatenate([first.ratings, second.ratings]),
        np.concatenate([first.deviations, second.deviations]),
        first.themes + second.themes,
    )


def fit(train: Puzzles, valid: Puzzles) -> tuple[Any, Any, Array]:
    """The boosters of the rating and of its absolute error, and the errors in units of the latter.

    The errors are those of training puzzles that boosters of other folds predict, so that neither their size
    nor their units are those of puzzles that the boosters know. A puzzle is in one fold, with and without the
    move before it.
    """
    rating = boost(train.values, train.ratings, RATING, ROUNDS, (valid.values, valid.ratings))
    fold = np.array([int(place_of(str(identity)) * 1e9) % FOLDS for identity in train.ids])
    errors = np.zeros(len(train))
    for number in range(FOLDS):
        kept = fold != number
        booster = boost(train.values[kept], train.ratings[kept], RATING, rating.best_iteration)
        errors[~kept] = train.ratings[~kept] - booster.predict(train.values[~kept])
    scaled = np.zeros(len(train))
    for number in range(FOLDS):
        kept = fold != number
        booster = boost(train.values[kept], np.abs(errors[kept]), ERROR, ERROR_ROUNDS)
        scaled[~kept] = errors[~kept] / np.maximum(booster.predict(train.values[~kept]), 1.0)
    error = boost(train.values, np.abs(errors), ERROR, ERROR_ROUNDS)
    return rating, error, np.quantile(scaled, (np.arange(QUANTILES) + 0.5) / QUANTILES)


def export(names: Sequence[str], rating: Any, error: Any, errors: Array) -> dict[str, NDArray[Any]]:
    """The arrays of `PuzzleModel.from_arrays`."""
    arrays: dict[str, NDArray[Any]] = {"names": np.array(names), "errors": errors}
    for head, booster in (("rating", rating), ("error", error)):
        trees = [_flat(tree["tree_structure"]) for tree in booster.dump_model()["tree_info"]]
        arrays[f"{head}_roots"] = np.cumsum([0, *map(len, trees[:-1])]).astype(np.int32)
        nodes = [node for tree in trees for node in tree]
        for column, (part, kind) in enumerate(
            (("feature", np.int16), ("number", np.float32), ("left", np.int16), ("right", np.int16))
        ):
            arrays[f"{head}_{part}"] = np.array([node[column] for node in nodes]).astype(kind)
    return arrays


def _flat(root: dict[str, Any]) -> list[tuple[int, float, int, int]]:
    """The nodes of a tree as (feature, threshold or value, left, right), the root first.

    Features are float32, and thresholds become the next float32 at or below: every comparison stays the same.
    """
    nodes: list[tuple[int, float, int, int]] = []

    def add(node: dict[str, Any]) -> int:
        place = len(nodes)
        nodes.append((-1, float(node.get("leaf_value", 0.0)), 0, 0))
        if "split_feature" in node:
            assert node["decision_type"] == "<="
            bound = np.float32(node["threshold"])
            if float(bound) > node["threshold"]:
                bound = np.nextafter(bound, np.float32(-np.inf))
            left, right = add(node["left_child"]), add(node["right_child"])
            nodes[place] = (int(node["split_feature"]), float(bound), left, right)
        return place

    add(root)
    return nodes


# What the report says.


def mean_error(errors: Array, weights: Array | None = None, seed: int = 1) -> dict[str, Any]:
    """The mean absolute error with its 95 % interval by a bootstrap over puzzles."""
    sizes, rng = np.abs(errors), np.random.default_rng(seed)
    weights = np.ones(len(sizes)) if weights is None else weights
    rows = rng.integers(len(sizes), size=(1000, len(sizes)))
    means = (sizes[rows] * weights[rows]).sum(axis=1) / weights[rows].sum(axis=1)
    low, high = np.quantile(means, [0.025, 0.975])
    middle = float((sizes * weights).sum() / weights.sum())
    return {
        "n": len(sizes),
        "mae": round(middle, 1),
        "low": round(float(low), 1),
        "high": round(float(high), 1),
    }


def accuracy(model: PuzzleModel, puzzles: Puzzles) -> dict[str, Any]:
    """Errors of the model on puzzles: in all, by band of the true rating, and how its intervals cover."""
    found = model.predict(puzzles.names, puzzles.values)
    ratings = np.array([each.rating for each in found])
    errors = puzzles.ratings - ratings
    bounds = np.array([each.interval for each in found])
    inside = (bounds[:, 0] <= puzzles.ratings) & (puzzles.ratings <= bounds[:, 1])
    near = np.abs(errors) <= 3 * puzzles.deviations
    band = np.digitize(puzzles.ratings, BANDS) - 1
    bands = [
        {
            "from": BANDS[number],
            "to": BANDS[number + 1],
            **mean_error(errors[band == number]),
            "bias": round(float(-errors[band == number].mean()), 1),
            "covered": round(float(inside[band == number].mean()), 3),
            "within_three_deviations": round(float(near[band == number].mean()), 3),
        }
        for number in range(len(BANDS) - 1)
        if (band == number).sum() > 20
    ]
    return {
        **mean_error(errors),
        "root_mean_square": round(float(np.sqrt((errors**2).mean())), 1),
        "correlation": round(float(np.corrcoef(puzzles.ratings, ratings)[0, 1]), 4),
        "within_three_deviations": round(float(near.mean()), 4),
        "deviation_mean": round(float(puzzles.deviations.mean()), 1),
        "covered": round(float(inside.mean()), 4),
        "interval_width_median": round(float(np.median(bounds[:, 1] - bounds[:, 0]))),
        "bands": bands,
    }


def themes_alone(train: Puzzles, test: Puzzles) -> Array:
    """The ratings of test puzzles that their themes alone predict, by the same kind of trees."""
    names = sorted({theme for text in train.themes for theme in text.split()})
    place = {name: column for column, name in enumerate(names)}

    def columns(puzzles: Puzzles) -> NDArray[np.float32]:
        table = np.zeros((len(puzzles), len(names)), np.float32)
        for row, text in enumerate(puzzles.themes):
            table[row, [place[theme] for theme in text.split() if theme in place]] = 1
        return table

    booster = boost(columns(train), train.ratings, {**RATING, "objective": "l1"}, 400)
    return np.asarray(booster.predict(columns(test)))


def learning_curve(
    train: Puzzles, valid: Puzzles, test: Puzzles, sizes: Sequence[int]
) -> list[dict[str, Any]]:
    """The error on test puzzles by the number of training puzzles."""
    rows = []
    for size in sizes:
        part = train.take(np.arange(size))
        booster = boost(part.values, part.ratings, RATING, ROUNDS, (valid.values, valid.ratings))
        rows.append({"train": size, **mean_error(test.ratings - booster.predict(test.values))})
    return rows


def weights_of(ratings: Array, target: Array, width: float = 100.0) -> Array:
    """Weights that give puzzles the distribution of `target` ratings, by bins of `width`."""
    bins = np.arange(300, 3100, width)
    wanted, _ = np.histogram(target, bins)
    given, _ = np.histogram(ratings, bins)
    ratio = wanted / len(target) / np.maximum(given / len(ratings), 1e-9)
    return np.asarray(ratio[np.clip(np.digitize(ratings, bins) - 1, 0, len(ratio) - 1)])
