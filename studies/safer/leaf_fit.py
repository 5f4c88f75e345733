"""The calibration of leaves, and which form of the expectation predicts results of people's games best."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from studies.safer.analysis import Array

_CLIP = 0.005
RESAMPLES = 300
KNOTS = (1000.0, 1500.0, 2000.0)
SIZES = (1, 2, 4, 8)
STRONG_SHARES = (0.0, 0.06, 0.12)


def _logit(values: Array) -> Array:
    clipped = np.clip(values, _CLIP, 1 - _CLIP)
    return np.asarray(np.log(clipped / (1 - clipped)))


def _losses(logits: Array, score: Array) -> Array:
    """Negative log-likelihoods in nats."""
    return np.asarray(np.logaddexp(0, logits) - score * logits)


def fit(matrix: Array, score: Array) -> Array:
    """The weights of a logistic regression without a constant."""
    weights = np.zeros(matrix.shape[1])
    for _ in range(30):
        fitted = 1 / (1 + np.exp(-matrix @ weights))
        curvature = (matrix * (fitted * (1 - fitted))[:, None]).T @ matrix
        weights += np.linalg.solve(curvature + 1e-9 * np.eye(len(weights)), matrix.T @ (score - fitted))
    return weights


class _Leaves:
    """Values after people's moves, from the view of who moved."""

    def __init__(self, folder: Path) -> None:
        parts = [np.load(path) for path in sorted(folder.glob("leaves-*.npz"))]
        begins = np.concatenate([[0], np.cumsum([len(part["game"]) for part in parts])])
        columns = {name: np.concatenate([part[name] for part in parts]) for name in parts[0].files}
        trees = [part["node_tree"] + begin for part, begin in zip(parts, begins[:-1], strict=True)]
        self.tree = np.concatenate(trees)
        self.columns = columns
        self.sign = np.where(columns["mover"] == 0, 1.0, -1.0)
        self.score = np.where(self.sign > 0, columns["result"], 1 - columns["result"])
        self.rating = (columns["first"] + columns["second"]) / 2
        self.game = np.unique(columns["game"], return_inverse=True)[1]
        self.begin = np.searchsorted(self.tree, np.arange(len(self.score) + 1))
        root = columns["node_parent"] == -1
        self.human = self.sign * _logit(columns["node_human"][root].astype(np.float64))
        self.strong = self.sign * _logit(columns["node_strong"][root].astype(np.float64))

    def tree_logit(self, row: int, size: int, strong_share: float) -> float:
        """The logit of the expectation of a tree of so many positions."""
        begin = self.begin[row]
        end = min(self.begin[row + 1], begin + size)
        nodes = {name: self.columns[name][begin:end] for name in self.columns if name.startswith("node_")}
        human, strong = (nodes[f"node_{name}"].astype(np.float64) for name in ("human", "strong"))
        mixed = (1 - strong_share) * _logit(human) + strong_share * _logit(strong)
        scores = np.where(nodes["node_ended"], human, 1 / (1 + np.exp(-mixed)))
        shares = nodes["node_share"].astype(np.float64)
        followed, mass = np.zeros(len(scores)), np.zeros(len(scores))
        for node in range(len(scores) - 1, -1, -1):
            scores[node] = (1 - mass[node]) * scores[node] + followed[node]
            if (parent := nodes["node_parent"][node]) >= 0:
                followed[parent] += shares[node] * scores[node]
                mass[parent] += shares[node]
        return float(self.sign[row] * _logit(scores[:1])[0])


def _mean(values: Array, at: NDArray[np.int64]) -> float:
    return float(values[at].mean())


def _interval(game: NDArray[np.int64], value: Callable[[NDArray[np.int64]], Any]) -> list[Any]:
    """A value of all rows with its 95 % interval over games; a list of them for several values."""
    order = np.argsort(game, kind="stable")
    sizes = np.bincount(game)
    begins = np.concatenate([[0], np.cumsum(sizes)[:-1]])
    rng = np.random.default_rng(1)
    drawn = []
    for _ in range(RESAMPLES):
        chosen = rng.integers(0, len(sizes), len(sizes))
        drawn.append(value(np.concatenate([order[begins[g] : begins[g] + sizes[g]] for g in chosen])))
    rows = np.array([value(np.arange(len(game))), *np.quantile(drawn, [0.025, 0.975], axis=0)])
    rounded: list[Any] = np.round(rows.T, 4).tolist()
    return rounded


def leaf_report(folder: Path) -> dict[str, Any]:
    """Weights of the leaf's value, and losses in nats of the forms of the expectation."""
    leaves = _Leaves(folder)
    human, strong, score, game = leaves.human, leaves.strong, leaves.score, leaves.game
    hats = np.stack([np.interp(leaves.rating, KNOTS, hat) for hat in np.eye(len(KNOTS))], 1)
    result: dict[str, Any] = {
        "positions": len(score),
        "games": int(game.max()) + 1,
        "weight of human": _interval(game, lambda at: fit(human[at, None], score[at]))[0],
        "weights of human by rating": dict(
            zip(
                map(str, KNOTS),
                _interval(game, lambda at: fit(human[at, None] * hats[at], score[at])),
                strict=True,
            )
        ),
        "weights of human and strong": _interval(
            game, lambda at: fit(np.stack([human, strong], 1)[at], score[at])
        ),
        "loss of human": _interval(game, lambda at: _losses(human[at], score[at]).mean()),
        "loss of strong, fitted": round(
            float(_losses(strong * fit(strong[:, None], score)[0], score).mean()), 4
        ),
    }
    large = np.flatnonzero(np.diff(leaves.begin) > 1)
    _, some = np.unique(game[large], return_inverse=True)
    target = score[large]
    forms: dict[str, Any] = {}
    logits: dict[tuple[int, float], Array] = {}
    for share in STRONG_SHARES:
        for size in SIZES:
            values = np.array([leaves.tree_logit(int(row), size, share) for row in large])
            logits[size, share] = values
            losses = _losses(values * fit(values[:, None], target)[0], target)
            first = _losses(logits[1, 0.0] * fit(logits[1, 0.0][:, None], target)[0], target)
            forms[f"tree of {size}, strong {share:g}"] = {
                "loss": round(float(losses.mean()), 4),
                "gain over one position": _interval(some, partial(_mean, first - losses)),
            }
    one, eight = logits[1, 0.0], logits[8, 0.0]
    both = np.stack([one, eight - one], 1)
    return result | {
        "trees": len(large),
        "forms": forms,
        "weights of one position and of what a tree of 8 adds": _interval(
            some, lambda at: fit(both[at], target[at])
        ),
    }
