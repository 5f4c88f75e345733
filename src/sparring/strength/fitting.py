"""Fits the strength model to players of known rating, and measures its errors on others."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.policies.segments import Array
from sparring.strength.evidence import GameEvidence
from sparring.strength.model import (
    GRID,
    PlayerSummary,
    StrengthModel,
    estimate_strength,
    feature_rows,
    log_posteriors,
)


@dataclass(frozen=True)
class RatedPlayer:
    """A player of known rating."""

    name: str
    rating: float
    """Mean rating over the games."""
    games: tuple[GameEvidence, ...]


_SEARCHED: Mapping[str, tuple[float, float]] = {
    "weight": (0.02, 2.0),
    "scale": (0.5, 2.5),
    "player_error": (5.0, 600.0),
    "feature_weight": (0.01, 1.5),
}
"""Parameters that are searched on a logarithmic scale, and their bounds."""
_SHIFTS = (-1500.0, 1000.0)


def fit_strength_model(
    game: str, ratings: Sequence[float], players: Sequence[RatedPlayer], *, rounds: int = 3, note: str = ""
) -> StrengthModel:
    """The parameters that maximise the posterior probability of the players' ratings.

    The features' regression is least squares; the other parameters are searched on a grid, one after the
    other, `rounds` times. The prior is the population of these players, at least 300 points wide.
    """
    known = np.array([player.rating for player in players])
    summary = PlayerSummary.of([player.games for player in players])
    weights, line, errors = _fit_features(players)
    model = StrengthModel(
        game, tuple(ratings), (float(known.mean()), float(max(known.std(), 300))), 0.3, 1.0, 0.0, 100.0,
        weights, line, errors, 0.3, note,
    )  # fmt: skip
    for _ in range(rounds):
        for key, (low, high) in _SEARCHED.items():
            model = _improved(model, key, np.linspace(np.log(low), np.log(high), 60), np.exp, summary, known)
        model = _improved(model, "shift", np.linspace(*_SHIFTS, 101), float, summary, known)
    return model


def _improved(
    model: StrengthModel,
    key: str,
    points: Array,
    value: Callable[[float], float],
    players: PlayerSummary,
    known: Array,
) -> StrengthModel:
    """The model with the best of some values of one parameter; the present one if none is better."""
    models = [model, *(replace(model, **{key: float(value(point))}) for point in points.tolist())]  # type: ignore[arg-type]
    losses = [mean_log_loss(each, players, known) for each in models]
    return models[int(np.argmin(losses))]


def mean_log_loss(model: StrengthModel, players: PlayerSummary, known: Array) -> float:
    """Mean of -log of the posterior probability of the ratings [n], in nats of a grid step."""
    places = np.abs(GRID[None, :] - known[:, None]).argmin(axis=1)
    found = log_posteriors(model, players)[np.arange(len(known)), places]
    return float(-found.mean())


def strength_errors(model: StrengthModel, players: Sequence[RatedPlayer]) -> dict[str, Any]:
    """Errors of the estimates of players of known rating: mean absolute error, bias, coverage of the 95 %
    interval and its mean width; the error of the mean of the prior for comparison."""
    found = [estimate_strength(model, player.games) for player in players]
    known = np.array([player.rating for player in players])
    gaps = np.array([each.rating for each in found]) - known
    inside = [each.low <= rating <= each.high for each, rating in zip(found, known, strict=True)]
    resampled = np.random.default_rng(0).choice(np.abs(gaps), (1000, len(gaps))).mean(axis=1)
    low, high = np.quantile(resampled, (0.025, 0.975)).tolist()
    return {
        "players": len(players),
        "mean_absolute_error": float(np.abs(gaps).mean()),
        "low": low,
        "high": high,
        "bias": float(gaps.mean()),
        "coverage": float(np.mean(inside)),
        "width": float(np.mean([each.high - each.low for each in found])),
        "without_games": float(np.abs(known - model.prior[0]).mean()),
        "correlation": float(np.corrcoef(known, known + gaps)[0, 1]) if len(known) > 2 else None,
    }


def _fit_features(
    players: Sequence[RatedPlayer],
) -> tuple[tuple[float, ...], tuple[float, float], tuple[float, float]]:
    """Weights of the features by least squares over games; then the line of their predictions over the
    rating, and the deviations from it between games and between players."""
    rows = np.concatenate([feature_rows(player.games) for player in players])
    ratings = np.repeat([player.rating for player in players], [len(player.games) for player in players])
    weights = np.linalg.lstsq(rows, ratings, rcond=None)[0]
    predictions = rows @ weights
    slope, intercept = np.polyfit(ratings, predictions, 1).tolist()
    several = [player for player in players if len(player.games) > 1]
    within = [_deviations(weights, player) for player in several]
    between_games = float(np.sqrt(np.concatenate(within).var())) if several else float(predictions.std())
    means = np.array([(feature_rows(player.games) @ weights).mean() for player in players])
    counts = np.array([len(player.games) for player in players])
    known = np.array([player.rating for player in players])
    rest = (means - intercept - slope * known) ** 2 - between_games**2 / counts
    between_players = float(np.sqrt(max(rest.mean(), 25.0**2)))
    return tuple(weights.tolist()), (intercept, slope), (between_games, between_players)


def _deviations(weights: Array, player: RatedPlayer) -> Array:
    found = feature_rows(player.games) @ weights
    scaled: Array = (found - found.mean()) * np.sqrt(len(found) / (len(found) - 1))
    return scaled
