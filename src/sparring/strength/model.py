"""A player's rating from the evidence of its games: a posterior on a grid of ratings.

The log-likelihood of the moves under the rating told is not taken at face value. Moves of one game are not
independent, the network's ratings are not exactly people's, and players differ in style at equal strength:

    r - m = shift + scale * (r' - m) + offset,   p(games | r') = exp(weight * sum log p(move | r')) / Z

with the middle m of the ratings told and a normal offset of each player. The features of the strong network
are a second, normal observation of the rating. The parameters are fitted to players of known rating
(`strength.fitting`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from sparring.config import BadConfig
from sparring.policies.segments import Array
from sparring.strength.evidence import GameEvidence

GRID_POINTS = 141
"""Ratings at which a posterior is computed."""
_DEGREE = 4
"""Of the polynomial through the log-likelihoods at the ratings told, if there are enough of them."""
_BEYOND = 0.25
"""Share of the range of ratings told by which the grid goes beyond it on both sides."""


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

    @property
    def grid(self) -> Array:
        """The ratings [grid] at which a posterior is computed."""
        low, high = self.ratings[0], self.ratings[-1]
        beyond = _BEYOND * (high - low)
        return np.linspace(low - beyond, high + beyond, GRID_POINTS)

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
class RatingEstimate:
    """The rating of a player with a 95 % interval."""

    rating: float
    """Mean of the posterior."""
    low: float
    high: float
    games: int
    moves: int
    posterior: Array
    """[grid]: probabilities."""


def estimate_rating(model: StrengthModel, games: Sequence[GameEvidence]) -> RatingEstimate:
    """The rating of the player of these games. Without games it is that of the population."""
    if games:
        posterior = np.exp(log_posteriors(model, PlayerSummary.of([games])))[0]
    else:
        posterior = np.exp(_normalised(_log_prior(model)[None]))[0]
    return _estimate(model.grid, posterior, len(games), sum(game.moves for game in games))


def _estimate(grid: Array, posterior: Array, games: int, moves: int) -> RatingEstimate:
    total = np.cumsum(posterior)
    low, high = (float(np.interp(share, total, grid)) for share in (0.025, 0.975))
    mean = float((posterior * grid).sum())
    return RatingEstimate(mean, low, high, games, moves, posterior)


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
    """The logarithms of the posterior probabilities [n, grid]."""
    logs = (
        _log_prior(model)
        + curve_log_likelihood(model, players.curves)
        + model.feature_weight * feature_log_likelihood(model, players)
    )
    return _normalised(logs)


def curve_log_likelihood(model: StrengthModel, curves: Array) -> Array:
    """The log-likelihoods [n, grid] of moves from those under the ratings told [n, ratings]."""
    told, grid = np.array(model.ratings), model.grid
    middle = told.mean()
    inside = np.clip(middle + (grid - middle - model.shift) / model.scale, told[0], told[-1])
    interpolation = _polynomials(inside, told) @ np.linalg.pinv(_polynomials(told, told))
    logs = model.weight * (curves - curves.max(axis=1, keepdims=True)) @ interpolation.T
    likelihoods = np.exp(logs - logs.max(axis=1, keepdims=True))
    # The player's offset: a convolution with its normal distribution.
    step = grid[1] - grid[0]
    kernel = np.exp(-0.5 * ((grid[:, None] - grid[None, :]) / max(model.player_error, 0.1 * step)) ** 2)
    found: Array = np.log(likelihoods @ (kernel / kernel.sum(axis=1, keepdims=True)).T + 1e-300)
    return found


def feature_log_likelihood(model: StrengthModel, players: PlayerSummary) -> Array:
    """The log-likelihoods [n, grid] of the features' predictions."""
    predictions = players.features @ np.array(model.feature_weights)
    intercept, slope = model.feature_line
    between_games, between_players = model.feature_errors
    variances = between_players**2 + between_games**2 / players.games
    found: Array = -0.5 * (predictions[:, None] - intercept - slope * model.grid) ** 2 / variances[:, None]
    return found


def feature_rows(games: Sequence[GameEvidence]) -> Array:
    """[games, 1 + features]: a constant and the features' means."""
    return np.array([[1.0, *(game.features / game.moves)] for game in games])


def _polynomials(ratings: Array, told: Array) -> Array:
    x = 2 * (ratings - told.mean()) / (told[-1] - told[0])
    return np.stack([x**power for power in range(min(_DEGREE, len(told) - 1) + 1)], axis=1)


def _log_prior(model: StrengthModel) -> Array:
    mean, deviation = model.prior
    found: Array = -0.5 * ((model.grid - mean) / deviation) ** 2
    return found


def _normalised(logs: Array) -> Array:
    logs = logs - logs.max(axis=1, keepdims=True)
    found: Array = logs - np.log(np.exp(logs).sum(axis=1, keepdims=True))
    return found
