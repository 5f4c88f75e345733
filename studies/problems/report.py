"""The measurement of the model of puzzle ratings: its report and its figure."""

from __future__ import annotations

import io
from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.plot_style import INK_COLOR, LINE_COLORS, page_axes
from sparring.base.storage import atomic_write, read_npz
from sparring.chess.puzzle_rating import PuzzleModel
from studies.problems.fit import (
    Array,
    Puzzles,
    accuracy,
    export,
    fit,
    joined,
    learning_curve,
    mean_error,
    read_features,
    themes_alone,
    weights_of,
)

_SETTLED = 90.0
"""The largest rating deviation of the puzzles of another source that are measured."""


def measure(
    features: Path, bare: Path, target: Path, other: Path | None, sizes: Sequence[int]
) -> tuple[dict[str, Any], Array, Array]:
    """Fits the model, writes it to `target` and measures it. The report, and the ratings of the test puzzles
    with their predictions.

    `bare` are features of some of the same puzzles without the move before; the model learns from both.
    """
    puzzles = read_features(features)
    train, valid, test = (puzzles.split(name) for name in ("train", "valid", "test"))
    bare_train, bare_valid, bare_test = (
        read_features(bare).split(name) for name in ("train", "valid", "test")
    )
    rating, error, errors = fit(joined(train, bare_train), joined(valid, bare_valid))
    stream = io.BytesIO()
    np.savez_compressed(stream, **export(puzzles.names, rating, error, errors))  # type: ignore[arg-type]
    atomic_write(target, stream.getvalue())
    model = PuzzleModel.from_arrays(read_npz(target))
    predictions = model.rating.predict(test.values)
    report: dict[str, Any] = {
        "puzzles": {"train": len(train), "valid": len(valid), "test": len(test)},
        "bare_puzzles": {"train": len(bare_train), "valid": len(bare_valid), "test": len(bare_test)},
        "features": len(puzzles.names),
        "lightgbm": import_module("lightgbm").__version__,
        "trees": len(model.rating.roots),
        "model_bytes": target.stat().st_size,
        "largest_difference_from_lightgbm": float(
            np.abs(predictions - rating.predict(test.values, num_iteration=rating.best_iteration)).max()
        ),
        "test": accuracy(model, test),
        "test_bare": accuracy(model, bare_test),
        "test_same_as_bare": accuracy(model, test.take(np.flatnonzero(np.isin(test.ids, bare_test.ids)))),
        "constant": mean_error(test.ratings - np.median(train.ratings)),
        "themes_alone": mean_error(test.ratings - themes_alone(train, test)),
        "learning_curve": learning_curve(
            train, valid, test, [*(size for size in sizes if size < len(train)), len(train)]
        ),
        "importance": _importance(puzzles, rating),
    }
    if other is not None:
        report["other"] = _other(read_features(other), {*map(str, puzzles.ids)}, model, test, train)
    return report, test.ratings, predictions


def _other(
    puzzles: Puzzles, known: set[str], model: PuzzleModel, test: Puzzles, train: Puzzles
) -> dict[str, Any]:
    """The error on settled puzzles of another source, and on the test puzzles weighted to its ratings."""
    fresh = np.array([str(identity) not in known for identity in puzzles.ids])
    kept = puzzles.take(np.flatnonzero(fresh & (puzzles.deviations <= _SETTLED)))
    weights = weights_of(test.ratings, kept.ratings)
    errors = test.ratings - model.rating.predict(test.values)
    return {
        "puzzles": accuracy(model, kept),
        "constant": mean_error(kept.ratings - np.median(kept.ratings)),
        "themes_alone": mean_error(kept.ratings - themes_alone(train, kept)),
        "test_weighted": mean_error(errors, weights),
        "rating_mean": round(float(kept.ratings.mean()), 1),
        "rating_deviation": round(float(kept.ratings.std()), 1),
    }


def _importance(puzzles: Puzzles, booster: Any) -> dict[str, float]:
    """Shares of the gain of the 20 features that gain most."""
    gain = booster.feature_importance("gain", iteration=booster.best_iteration)
    order = np.argsort(-gain)[:20]
    return {puzzles.names[i]: round(float(gain[i] / gain.sum()), 4) for i in order}


def prediction_figure(ratings: Array, predictions: Array, most: int = 600) -> Any:
    """The true rating over the predicted one: some puzzles as points, and the median and the middle 80 % of
    all by predicted rating."""
    figure, axis = page_axes(4.0)
    axis.scatter(predictions[:most], ratings[:most], s=3, color=LINE_COLORS[1], alpha=0.25, linewidths=0)
    centers: list[float] = []
    shares: dict[int, list[float]] = {10: [], 50: [], 90: []}
    for begin in range(400, 2900, 200):
        inside = ratings[(begin <= predictions) & (predictions < begin + 200)]
        if len(inside) >= 30:
            centers.append(begin + 100)
            for share, values in shares.items():
                values.append(float(np.percentile(inside, share)))
    axis.fill_between(centers, shares[10], shares[90], color=LINE_COLORS[0], alpha=0.15, linewidth=0)
    axis.plot(centers, shares[50], color=LINE_COLORS[0], linewidth=1.8)
    axis.plot([400, 2800], [400, 2800], color=INK_COLOR, linewidth=0.8, linestyle=":")
    axis.set_xlabel("predicted puzzle rating")
    axis.set_ylabel("Lichess's puzzle rating")
    return figure
