"""Fits the strength model to players of known rating, and measures its errors on others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from sparring.measure.strength import (
    GameEvidence,
    PlayerSummary,
    StrengthModel,
    estimate_rating,
    feature_rows,
    log_posteriors,
)
from sparring.policies.policy import Array


@dataclass(frozen=True)
class RatedPlayer:
    """A player of known rating."""

    name: str
    rating: float
    """Mean rating over the games."""
    games: tuple[GameEvidence, ...]


_SEARCHED: Mapping[str, tuple[float, float]] = {
    "weight": (0.02, 2.0),
    "scale": (0.4, 3.0),
    "player_error": (0.0025, 0.3),
    "feature_weight": (0.01, 1.5),
}
"""Parameters that are searched on a logarithmic scale, and their bounds; of `player_error` in ranges of the
ratings told."""
_SHIFT = 0.3
"""Largest shift, in ranges of the ratings told."""


def fit_strength_model(
    game: str, ratings: Sequence[float], players: Sequence[RatedPlayer], *, rounds: int = 3, note: str = ""
) -> StrengthModel:
    """The parameters that maximise the posterior probability of the players' ratings.

    The features' regression is least squares; the other parameters are searched on a grid, one after the
    other, `rounds` times. The prior is the population of these players.
    """
    true_ratings = np.array([player.rating for player in players])
    summary = PlayerSummary.of([player.games for player in players])
    weights, line, errors = _fit_features(players)
    span = ratings[-1] - ratings[0]
    prior = float(true_ratings.mean()), float(true_ratings.std())
    model = StrengthModel(
        game, tuple(ratings), prior, 0.3, 1.0, 0.0, 0.05 * span, weights, line, errors, 0.3, note
    )
    for _ in range(rounds):
        for key, (low, high) in _SEARCHED.items():
            unit = span if key == "player_error" else 1.0
            model = _improved(model, key, unit * np.geomspace(low, high, 60), summary, true_ratings)
        model = _improved(model, "shift", span * np.linspace(-_SHIFT, _SHIFT, 101), summary, true_ratings)
    return model


def _improved(
    model: StrengthModel, key: str, values: Array, players: PlayerSummary, true_ratings: Array
) -> StrengthModel:
    """The model with the best of some values of one parameter; the present one if none is better."""
    if key == "feature_weight":
        values = np.append(values, 0.0)  # the features may add nothing
    models = [model, *(replace(model, **{key: value}) for value in values.tolist())]
    losses = [mean_log_loss(candidate, players, true_ratings) for candidate in models]
    return models[int(np.argmin(losses))]


def mean_log_loss(model: StrengthModel, players: PlayerSummary, known: Array) -> float:
    """Mean of -log of the posterior probability of the ratings [n], in nats of a grid step."""
    places = np.abs(model.grid[None, :] - known[:, None]).argmin(axis=1)
    logs = log_posteriors(model, players)[np.arange(len(known)), places]
    return float(-logs.mean())


def strength_errors(model: StrengthModel, players: Sequence[RatedPlayer]) -> dict[str, Any]:
    """Errors of the estimates of players of known rating: mean absolute error, bias, coverage of the 95 %
    interval and its mean width; the error of the mean of the prior for comparison."""
    estimates = [estimate_rating(model, player.games) for player in players]
    true_ratings = np.array([player.rating for player in players])
    gaps = np.array([estimate.rating for estimate in estimates]) - true_ratings
    inside = [
        estimate.low <= rating <= estimate.high
        for estimate, rating in zip(estimates, true_ratings, strict=True)
    ]
    resampled = np.random.default_rng(0).choice(np.abs(gaps), (1000, len(gaps))).mean(axis=1)
    low, high = np.quantile(resampled, (0.025, 0.975)).tolist()
    return {
        "players": len(players),
        "mean_absolute_error": float(np.abs(gaps).mean()),
        "low": low,
        "high": high,
        "bias": float(gaps.mean()),
        "coverage": float(np.mean(inside)),
        "width": float(np.mean([estimate.high - estimate.low for estimate in estimates])),
        "without_games": float(np.abs(true_ratings - model.prior[0]).mean()),
        "correlation": float(np.corrcoef(true_ratings, true_ratings + gaps)[0, 1])
        if len(true_ratings) > 2
        else None,
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
    true_ratings = np.array([player.rating for player in players])
    rest = (means - intercept - slope * true_ratings) ** 2 - between_games**2 / counts
    between_players = float(np.sqrt(max(rest.mean(), (0.1 * between_games) ** 2)))
    return tuple(weights.tolist()), (intercept, slope), (between_games, between_players)


def _deviations(weights: Array, player: RatedPlayer) -> Array:
    predictions = feature_rows(player.games) @ weights
    scaled: Array = (predictions - predictions.mean()) * np.sqrt(len(predictions) / (len(predictions) - 1))
    return scaled
