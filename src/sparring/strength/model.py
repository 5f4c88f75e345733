"""A player's rating from the evidence of its games: a posterior on a grid of ratings.

The log-likelihood of the moves under the rating told is not taken at face value. Moves of one game are not
independent, the network's ratings are not exactly people's, and players differ in style at equal strength:

    r = shift + scale * r' + offset,   p(games | r') proportional to exp(weight * sum log p(move | r'))

with a normal offset of each player. The features of the strong network are a second, normal observation of
the rating. The parameters are fitted to players of known rating (`strength.fitting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparring.config import BadConfig
from sparring.policies.segments import Array
from sparring.strength.evidence import GameEvidence

GRID = np.arange(300.0, 3101.0, 20.0)
"""Ratings at which a posterior is computed."""
_DEGREE = 4
"""Of the polynomial through the log-likelihoods at the ratings told."""


@dataclass(frozen=True)
class StrengthModel:
    """The parameters of the posterior."""

    game: str
    ratings: tuple[float, ...]
    """Ratings told to the policy."""
    prior: tuple[float, float]
    """Mean and standard deviation of the population's ratings."""
    weight: float
    """Weight of the log-likelihood."""
    scale: float
    shift: float
    player_error: float
    """Standard deviation of a player's offset from what its moves say, in rating points."""
    feature_weights: tuple[float, ...]
    """The predicted rating of a game: a constant, and one weight for each feature's mean."""
    feature_line: tuple[float, float]
    """The expected prediction at a rating: intercept and slope."""
    feature_errors: tuple[float, float]
    """Standard deviation of the prediction between games of one player, and between players."""
    feature_weight: float
    """Weight of the features' log-likelihood."""
    note: str = ""
    """How it was fitted."""

    def as_json(self) -> dict[str, Any]:
        """The content of its file."""
        return asdict(self)

    @classmethod
    def of(cls, content: dict[str, Any]) -> StrengthModel:
        """The model of a file's content. Raises BadConfig."""
        try:
            known: dict[str, Any] = {
                key: tuple(each) if isinstance(each, list) else each for key, each in content.items()
            }
            return cls(**known)
        except TypeError as error:
            raise BadConfig(f"not a strength model: {error}") from None


@dataclass(frozen=True)
class StrengthEstimate:
    """The rating of a player with a 95 % interval."""

    rating: float
    """Mean of the posterior."""
    low: float
    high: float
    games: int
    moves: int
    posterior: Array
    """[`GRID`]: probabilities."""


def estimate_strength(model: StrengthModel, games: Sequence[GameEvidence]) -> StrengthEstimate:
    """The rating of the player of these games. Without games it is that of the population."""
    if games:
        posterior = np.exp(log_posteriors(model, PlayerSummary.of([games])))[0]
    else:
        posterior = np.exp(_normalised(_log_prior(model)[None]))[0]
    return _estimate(posterior, len(games), sum(game.moves for game in games))


def _estimate(posterior: Array, games: int, moves: int) -> StrengthEstimate:
    total = np.cumsum(posterior)
    low, high = (float(np.interp(share, total, GRID)) for share in (0.025, 0.975))
    mean = float((posterior * GRID).sum())
    return StrengthEstimate(mean, low, high, games, moves, posterior)


@dataclass(frozen=True)
class PlayerSummary:
    """What the posteriors of n players depend on."""

    curves: Array
    """[n, ratings]: sums of log p(move | r) over the games."""
    features: Array
    """[n, 1 + features]: means over the games of `feature_rows`."""
    games: Array
    """[n]: number of games."""

    @classmethod
    def of(cls, players: Sequence[Sequence[GameEvidence]]) -> PlayerSummary:
        """The summary of players, each with at least one game."""
        return cls(
            np.array([np.sum([game.curve for game in games], axis=0) for games in players]),
            np.array([feature_rows(games).mean(axis=0) for games in players]),
            np.array([float(len(games)) for games in players]),
        )


def log_posteriors(model: StrengthModel, players: PlayerSummary) -> Array:
    """The logarithms of the posterior probabilities [n, GRID]."""
    logs = (
        _log_prior(model)
        + curve_log_likelihood(model, players.curves)
        + model.feature_weight * feature_log_likelihood(model, players)
    )
    return _normalised(logs)


def curve_log_likelihood(model: StrengthModel, curves: Array) -> Array:
    """The log-likelihoods [n, GRID] of moves from those under the ratings told [n, ratings]."""
    told = np.array(model.ratings)
    inside = np.clip((GRID - model.shift) / model.scale, told[0], told[-1])
    interpolation = _polynomials(inside) @ np.linalg.pinv(_polynomials(told))
    logs = model.weight * (curves - curves.max(axis=1, keepdims=True)) @ interpolation.T
    likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
    # The player's offset: a convolution with its normal distribution.
    kernel = np.exp(-0.5 * ((GRID[:, None] - GRID[None, :]) / max(model.player_error, 1.0)) ** 2)
    found: Array = np.log(likelihoods @ (kernel / kernel.sum(axis=1, keepdims=True)).T + 1e-300)
    return found


def feature_log_likelihood(model: StrengthModel, players: PlayerSummary) -> Array:
    """The log-likelihoods [n, GRID] of the features' predictions."""
    predictions = players.features @ np.array(model.feature_weights)
    intercept, slope = model.feature_line
    between_games, between_players = model.feature_errors
    variances = between_players**2 + between_games**2 / players.games
    found: Array = -0.5 * (predictions[:, None] - intercept - slope * GRID) ** 2 / variances[:, None]
    return found


def feature_rows(games: Sequence[GameEvidence]) -> Array:
    """[games, 1 + features]: a constant and the features' means."""
    return np.array([[1.0, *(game.features / game.moves)] for game in games])


def _polynomials(ratings: Array) -> Array:
    x = (np.asarray(ratings) - 1600) / 1000
    return np.stack([x**power for power in range(_DEGREE + 1)], axis=1)


def _log_prior(model: StrengthModel) -> Array:
    mean, deviation = model.prior
    found: Array = -0.5 * ((GRID - mean) / deviation) ** 2
    return found


def _normalised(logs: Array) -> Array:
    logs = logs - logs.max(axis=1, keepdims=True)
    found: Array = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return found
