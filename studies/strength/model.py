"""A log-linear model of a player's rating: a posterior on a grid of ratings.

The posterior is log-linear in what our networks say of the moves:

    log p(r | games) = log prior(r) + log smooth(sum over games of l(r)) + constant
    l(r) = a C(n) mean log p(move | r) + D(n) sum_f z_f (b_f x + c_f x^2) + C(n) sum_k s_k P_k(x) + C(n) R(x)

with x = (r - 1600) / 1000, the policy of people's moves conditioned on r for both players, standardised
means z_f of `FEATURES` over the moves, the share s_k of moves in each phase, polynomials P_k of degree 4, and
R of degree 2 for games slower than blitz. Moves of one game are not independent: n moves count as C(n) and
D(n), which are n / (1 + overlap (n - 1)). `smooth` is a convolution with a normal offset of each player:
people differ in style at equal strength. The parameters are fitted to players of known rating
(`studies/strength/fit.py`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.games import describe
from sparring.measure.samples import PHASES
from sparring.networks.codec import PositionBatch, PredictionBatch
from sparring.policies import Policy
from sparring.policies.policy import Array, clipped_log, predict_batch, segment_argmax, segment_sum
from sparring.records.readers import RecordedGame

FEATURES = ("difficulty", "agreement", "surprise", "choice", "decided")
"""Of a move: entropy of people's moves of the middle rating; whether it is the likeliest of them; by the
strong network, log-probability of its best move less that of the move (at most 5), entropy, and the absolute
value of the position."""
_MOST_SURPRISE = 5.0
_LEAST_LOG = -9.0


@dataclass(frozen=True)
class GameEvidence:
    """The moves of one player in one game."""

    curve: Array
    """[ratings]: mean of log p(move | r)."""
    features: Array
    """[features]: means of `FEATURES`."""
    counts: Array
    """[phases]: number of moves in each phase."""
    slow: bool
    """Whether the game is slower than blitz; so is one of unknown speed."""


def game_evidence(curves: Array, features: Array, phases: NDArray[np.int64], slow: bool) -> GameEvidence:
    """The evidence of moves [n] with log p(move | r) [n, ratings], features [n, features] and phases [n]."""
    counts = np.bincount(phases, minlength=len(PHASES)).astype(np.float64)
    return GameEvidence(np.maximum(curves, _LEAST_LOG).mean(axis=0), features.mean(axis=0), counts, slow)


def is_slow(game: RecordedGame) -> bool:
    """Whether a game is slower than blitz; so is one of unknown speed."""
    return game.record.speed not in ("ultraBullet", "bullet", "blitz")


def move_numbers(
    human: Policy, strong: Policy, states: list[Any], played: Sequence[int], ratings: Sequence[float]
) -> tuple[Array, Array]:
    """log p(move | r) [n, ratings] and `FEATURES` [n, features] of moves, given as indices of legal moves."""
    if not states:
        return np.zeros((0, len(ratings))), np.zeros((0, len(FEATURES)))
    moves = np.array(played, np.int64)
    told = [_logs(_predict(human, states, rating), moves) for rating in ratings]
    move, best, difficulty = told[len(told) // 2]
    predicted = _predict(strong, states, np.nan)
    strong_move, strong_best, choice = _logs(predicted, moves)
    surprise = np.minimum(strong_best - strong_move, _MOST_SURPRISE)
    features = [difficulty, move >= best, surprise, choice, np.abs(predicted.values)]
    return np.stack([each[0] for each in told], axis=1), np.stack(features, axis=1).astype(np.float64)


def _logs(predicted: PredictionBatch, played: NDArray[np.int64]) -> tuple[Array, Array, Array]:
    """Log-probabilities of the moves played and of the likeliest moves, and entropies [positions]."""
    logs = clipped_log(predicted.probabilities)
    entropies = -segment_sum(np.exp(logs) * logs, predicted.offsets)
    return logs[predicted.offsets[:-1] + played], logs[segment_argmax(logs, predicted.offsets)], entropies


def _predict(policy: Policy, states: list[Any], rating: float) -> PredictionBatch:
    count = len(states)
    batch = PositionBatch(
        describe(policy.game).states_class(states), np.full((count, 2), rating), np.full(count, np.nan)
    )
    return predict_batch(policy, batch)


GRID = np.linspace(400, 3000, 131)
"""Ratings at which a posterior is computed."""
_DEGREES = 4
_MIDDLE, _UNIT = 1600.0, 1000.0


def powers(ratings: Array) -> Array:
    """[n, 4]: x to x^4 of ratings."""
    x = (ratings - _MIDDLE) / _UNIT
    return np.stack([x**power for power in range(1, _DEGREES + 1)], axis=1)


@dataclass(frozen=True)
class StrengthModel:
    """The parameters of the posterior."""

    ratings: tuple[float, ...]
    """Ratings on which the policy is conditioned."""
    curve_weight: float
    overlaps: tuple[float, float]
    """What the moves of a game repeat of each other: in the curve, in the features."""
    feature_means: tuple[float, ...]
    feature_scales: tuple[float, ...]
    feature_terms: tuple[tuple[float, ...], ...]
    """[features, 2]: coefficients of x and x^2."""
    phase_terms: tuple[tuple[float, ...], ...]
    """[phases, 4]: coefficients of x to x^4."""
    slow_terms: tuple[float, ...]
    """[2]: coefficients of x and x^2."""
    player_error: float
    """Standard deviation of a player's offset from what its moves say, in rating points."""


@dataclass(frozen=True)
class GameTerms:
    """What the likelihood of n games depends on: its terms are these times the model's weights."""

    curves: Array
    """[n, grid]: mean log p(move | r) times the number of independent moves."""
    sums: Array
    """[n, features + phases + 1]: factors of the polynomials."""

    @classmethod
    def of(cls, model: StrengthModel, games: Sequence[GameEvidence]) -> GameTerms:
        """The terms of games, each with at least one move."""
        counts = np.array([game.counts for game in games])
        n = counts.sum(axis=1, keepdims=True)
        curve_moves, feature_moves = (n / (1 + overlap * (n - 1)) for overlap in model.overlaps)
        levels = np.array(model.ratings)
        basis, at_levels = (
            np.column_stack([np.ones(len(each)), powers(each)])[:, : len(levels)] for each in (GRID, levels)
        )
        means = np.array([game.curve for game in games])
        curves = curve_moves * (
            (means - means.max(axis=1, keepdims=True)) @ (basis @ np.linalg.pinv(at_levels)).T
        )
        features = np.array([game.features for game in games])
        standard = (features - np.array(model.feature_means)) / np.array(model.feature_scales)
        slow = np.array([[float(game.slow)] for game in games])
        return cls(
            curves,
            np.concatenate([feature_moves * standard, curve_moves * np.hstack([counts / n, slow])], axis=1),
        )


def log_likelihoods(model: StrengthModel, games: Sequence[GameEvidence]) -> Array:
    """The log-likelihoods [n, grid] of games, up to a constant of each."""
    terms = GameTerms.of(model, games)
    rows = [*model.feature_terms, *model.phase_terms, model.slow_terms]
    weights = np.array([[*row, *[0.0] * (_DEGREES - len(row))] for row in rows])
    found: Array = model.curve_weight * terms.curves + terms.sums @ weights @ powers(GRID).T
    return found
