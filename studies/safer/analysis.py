"""How much more people scored who played the safer move than those who played the engine's first choice.

T is 1 for the safer move, Y the score of the mover at the end of the game. Both groups are made comparable by
what was known before the move: both ratings, the expectation before the move by `human` and by `strong`, the
probabilities of both moves for people of the rating, the entropy of people's moves, the ply, the side, the
clock and the source. Three estimates, the main one first:

- overlap: difference of means weighted by 1 - e for T = 1 and e for T = 0, e the fitted chance of T, and
  adjusted by a weighted linear regression on the same covariates;
- regression: coefficient of T in the linear regression without weights;
- inverse: weights 1 / e and 1 / (1 - e), e kept within 0.05 and 0.95;
- slope: how much of the gain that the tree (or the leaf) expects in each position is realised: the
coefficient of T times that gain, with the gain itself among the covariates and the weights of the main
estimate. 1 is all of it, 0 is none; it uses the positions where the tree disagrees, too.

Intervals are from resamples of games, with the chance of T fitted anew in each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rows = dict[str, NDArray[Any]]

RESAMPLES = 400
BANDS = (600, 1200, 1600, 2000, 2800)
GAINS = (0.0, 0.01, 0.03, 0.06, 1.0)
_RIDGE = 1e-3
"""Penalty of the chance of T, so that a resample without a source can be fitted."""


def read_parts(folder: Path) -> tuple[Rows, dict[str, int]]:
    """The rows of all parts of `safer-choices`, and how many positions passed each step."""
    parts = [np.load(path) for path in sorted(folder.glob("choices-*.npz"))]
    counts: dict[str, int] = {}
    for part in parts:
        for name in part.files:
            if name.startswith("count_"):
                counts[name[6:]] = counts.get(name[6:], 0) + int(part[name])
    full = [part for part in parts if "game" in part.files]
    names = [name for name in full[0].files if not name.startswith("count_")]
    return {name: np.concatenate([part[name] for part in full]) for name in names}, counts


def take(rows: Rows, chosen: NDArray[Any]) -> Rows:
    """The chosen rows."""
    return {name: values[chosen] for name, values in rows.items()}


def _logit(values: NDArray[Any]) -> Array:
    clipped = np.clip(values.astype(np.float64), 0.01, 0.99)
    return np.asarray(np.log(clipped / (1 - clipped)))


def covariates(rows: Rows) -> Array:
    """[rows, covariates], standardised, the first column 1."""
    clock = rows["clock"].astype(np.float64)
    timed = ~np.isnan(clock)
    human, strong = _logit(rows["value"]), _logit(rows["strong_value"])
    engine, safer = np.log(rows["engine_share"]), np.log(rows["safer_share"])
    rating = rows["rating"].astype(np.float64)
    columns = [
        human,
        human**2,
        strong,
        rating,
        rating**2,
        rating - rows["opponent"],
        engine,
        safer,
        (engine - safer) ** 2,
        rows["entropy"],
        rows["ply"],
        rows["mover"],
        rows["source"] == 1,
        timed,
        np.where(timed, np.log1p(np.where(timed, clock, 0)), 0),
    ]
    matrix = np.stack([np.asarray(column, np.float64) for column in columns], 1)
    spread = matrix.std(0)
    matrix = (matrix - matrix.mean(0)) / np.where(spread > 0, spread, 1)
    return np.concatenate([np.ones((len(matrix), 1)), matrix], 1)


def chance(matrix: Array, treated: Array) -> Array:
    """The fitted chance of T [rows], by logistic regression."""
    weights = np.zeros(matrix.shape[1])
    for _ in range(12):
        fitted = 1 / (1 + np.exp(-matrix @ weights))
        gradient = matrix.T @ (treated - fitted) - _RIDGE * len(matrix) * weights
        curvature = (matrix * (fitted * (1 - fitted))[:, None]).T @ matrix
        step = np.linalg.solve(curvature + _RIDGE * len(matrix) * np.eye(len(weights)), gradient)
        weights += step
        if np.abs(step).max() < 1e-5:
            break
    return np.asarray(1 / (1 + np.exp(-matrix @ weights)))


def _adjusted(matrix: Array, treated: Array, score: Array, weights: Array) -> float:
    """The coefficient of T in a weighted linear regression of the score."""
    design = np.concatenate([treated[:, None], matrix], 1)
    weighted = design * weights[:, None]
    penalty = 1e-9 * weights.sum() * np.eye(design.shape[1])
    return float(np.linalg.solve(weighted.T @ design + penalty, weighted.T @ score)[0])


def _slope(matrix: Array, treated: Array, score: Array, weights: Array, gain: Array) -> float:
    """The coefficient of T times the expected gain."""
    with_gain = np.concatenate([matrix, gain[:, None]], 1)
    return _adjusted(with_gain, treated * gain, score, weights)


def _difference(treated: Array, score: Array, weights: Array) -> float:
    ours, theirs = weights * treated, weights * (1 - treated)
    return float((ours @ score) / ours.sum() - (theirs @ score) / theirs.sum())


def estimates(rows: Rows, matrix: Array) -> dict[str, float]:
    """All estimates of one sample."""
    treated, score = rows["played_safer"].astype(np.float64), rows["score"].astype(np.float64)
    fitted = chance(matrix, treated)
    overlap = np.where(treated > 0, 1 - fitted, fitted)
    clipped = np.clip(fitted, 0.05, 0.95)
    inverse = np.where(treated > 0, 1 / clipped, 1 / (1 - clipped))
    ones = np.ones(len(treated))
    both = fitted * (1 - fitted)
    leaf_gain = rows["safer_leaf"] - rows["engine_leaf"]
    tree_gain = rows["safer_tree"] - rows["engine_tree"]
    return {
        "raw": _difference(treated, score, ones),
        "overlap": _adjusted(matrix, treated, score, overlap),
        "regression": _adjusted(matrix, treated, score, ones),
        "inverse": _difference(treated, score, inverse),
        "slope of the leaf": _slope(matrix, treated, score, overlap, leaf_gain),
        "slope of the tree": _slope(matrix, treated, score, overlap, tree_gain),
        "expected by the leaf": float(both @ leaf_gain / both.sum()),
        "expected by the tree": float(both @ tree_gain / both.sum()),
    }


def resampled(rows: Rows, resamples: int = RESAMPLES, seed: int = 1) -> dict[str, Any]:
    """The estimates with 95 % intervals over games, and what they are of."""
    rows = {name: values for name, values in rows.items() if values.dtype.kind != "U"}
    matrix = covariates(rows)
    centre = estimates(rows, matrix)
    _, game = np.unique(rows["game"], return_inverse=True)
    order = np.argsort(game, kind="stable")
    sizes = np.bincount(game)
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rng = np.random.default_rng(seed)
    drawn: dict[str, list[float]] = {name: [] for name in centre}
    for _ in range(resamples):
        chosen = rng.integers(0, len(sizes), len(sizes))
        index = np.concatenate([order[begins[g] : begins[g] + sizes[g]] for g in chosen])
        for name, value in estimates(take(rows, index), matrix[index]).items():
            drawn[name].append(value)
    return {
        "positions": len(game),
        "games": len(sizes),
        "played the safer move": int(rows["played_safer"].sum()),
    } | {
        name: [round(value, 5), *(round(float(q), 5) for q in np.quantile(drawn[name], [0.025, 0.975]))]
        for name, value in centre.items()
    }


def placebo(rows: Rows, draws: int = 200, seed: int = 2) -> list[float]:
    """Mean and 95 % range of the main estimate if who played which move is drawn anew by its fitted
    chance."""
    matrix = covariates(rows)
    fitted = chance(matrix, rows["played_safer"].astype(np.float64))
    rng = np.random.default_rng(seed)
    values = [
        estimates(rows | {"played_safer": rng.random(len(fitted)) < fitted}, matrix)["overlap"]
        for _ in range(draws)
    ]
    spread = np.quantile(values, [0.025, 0.975])
    return [round(float(np.mean(values)), 5), *(round(float(edge), 5) for edge in spread)]


def balance(rows: Rows) -> dict[str, list[float]]:
    """Standardised differences of means of what was known before the move, without and with overlap
    weights."""
    treated = rows["played_safer"].astype(np.float64)
    fitted = chance(covariates(rows), treated)
    overlap = np.where(treated > 0, 1 - fitted, fitted)
    columns: Mapping[str, NDArray[Any]] = {
        "rating": rows["rating"],
        "rating less opponent's": rows["rating"] - rows["opponent"],
        "expectation before, human": rows["value"],
        "expectation before, strong": rows["strong_value"],
        "log share, engine's move": np.log(rows["engine_share"]),
        "log share, safer move": np.log(rows["safer_share"]),
        "ply": rows["ply"],
    }
    table = {}
    for name, values in columns.items():
        values = values.astype(np.float64)
        spread = float(values.std()) or 1.0
        table[name] = [
            round(_difference(treated, values, weights) / spread, 4)
            for weights in (np.ones(len(treated)), overlap)
        ]
    return table


def groups(rows: Rows) -> dict[str, NDArray[np.bool_]]:
    """The rows of each group that is reported."""
    gain = rows["safer_tree"] - rows["engine_tree"]
    agree = gain > 0
    found = {
        "all": np.ones(len(gain), bool),
        "tree agrees": agree,
        "tree disagrees": ~agree,
    }
    for low, high in pairwise(GAINS):
        found[f"tree's gain {low:g} to {high:g}"] = agree & (gain >= low) & (gain < high)
    for low, high in pairwise(BANDS):
        found[f"rated {low} to {high - 1}, tree agrees"] = (
            agree & (rows["rating"] >= low) & (rows["rating"] < high)
        )
    found["blitz of 2024, tree agrees"] = agree & (rows["source"] == 1)
    found["test split, tree agrees"] = agree & (rows["source"] == 0)
    if "stockfish" in rows:
        looked = rows["stockfish"] != ""
        same = looked & (rows["stockfish"] == rows["engine_move"])
        sound = rows["stockfish_loss"] <= 0.1
        found["Stockfish's choice too"] = same
        found["Stockfish's choice too, tree agrees"] = same & agree
        found["Stockfish's choice too, tree agrees, safer loses at most 0.1"] = same & agree & sound
        found["Stockfish's choice too, tree agrees, safer loses more"] = same & agree & ~sound
        found["Stockfish prefers the safer move"] = looked & (rows["stockfish"] == rows["safer_move"])
    return found


def report(rows: Rows, counts: dict[str, int], resamples: int, say: Callable[[str], None]) -> dict[str, Any]:
    """Everything that is published."""
    result: dict[str, Any] = {"steps": counts, "groups": {}}
    for name, chosen in groups(rows).items():
        some = take(rows, chosen)
        if len(some["game"]) < 100:
            continue
        result["groups"][name] = resampled(some, resamples)
        say(f"{name}: {result['groups'][name]}")
    agree = take(rows, rows["safer_tree"] > rows["engine_tree"])
    result["placebo, tree agrees"] = placebo(agree)
    result["balance, tree agrees"] = balance(agree)
    return result
