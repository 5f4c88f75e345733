"""Maximum likelihood weights by Newton's method, with standard errors clustered by game.

The model is the geometric pool (the blend paper's formula 1) with weights linear in features of the
position: log p(move) = sum_k w_k log p_k(move) - log Z, with w_k = sum_j theta_kj phi_j. One constant
feature gives the same weights for all positions, hat functions of the rating give curves, position features
give weights by position. The negative log-likelihood is convex in theta: the minimum is unique and there is
no step size to choose.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring.matching import ChoiceData
from sparring.policies.features import geometric_pool
from sparring.policies.segments import Array, segment_log_softmax, segment_repeat, segment_sum

_STEPS = 60
_CLOSE = 1e-10
_MOST = 50.0
"""A weight at this bound means that the policies predict all positions: there are too few."""


@dataclass(frozen=True)
class Fit:
    """Fitted weights with their covariance."""

    theta: Array
    """[policies, features]"""
    covariance: Array
    """[policies * features, policies * features]: the sandwich estimator, clustered by game."""
    positions: int
    nll: float
    """Mean negative log-likelihood in nats on the fitted positions."""

    def weights(self, features: Array) -> Array:
        """The weights [policies, positions] for features [positions, features]."""
        found: Array = self.theta @ features.T
        return found

    def standard_errors(self, features: Array) -> Array:
        """The standard errors [policies] of the weights at the features [features] of one position."""
        reach = np.kron(np.eye(len(self.theta)), features)
        found: Array = np.sqrt(np.maximum(np.einsum("ki,ij,kj->k", reach, self.covariance, reach), 0))
        return found


def fit(choices: ChoiceData, features: Array, *, constrained: bool = False) -> Fit:
    """The weights that maximise the likelihood of the choices, for features [positions, features].

    With `constrained` the weights sum to 1 in every position, as alpha and 1 - alpha do. The features must
    then sum to 1, too.
    """
    logs = choices.log_probabilities.astype(np.float64)
    if constrained:
        free = _minimise(choices, logs[:-1] - logs[-1], logs[-1], features)
        return _expand_constrained(free)
    return _minimise(choices, logs, np.zeros(logs.shape[1]), features)


def refit(
    choices: ChoiceData,
    features: Array,
    found: Fit,
    counts: NDArray[np.integer],
    *,
    constrained: bool = False,
) -> Array:
    """The weights [resamples, policies, features] of resampled games, for intervals that include the fitting.

    `found` is the fit to all games, `counts` [resamples, games] how often each game is drawn. Each resample
    takes one step of Newton's method from `found`, with its own gradient and Hessian: its own minimum up to
    terms of second order.
    """
    logs = choices.log_probabilities.astype(np.float64)
    theta, fixed = found.theta, np.zeros(logs.shape[1])
    if constrained:
        theta, logs, fixed = theta[:-1], logs[:-1] - logs[-1], logs[-1]
    at = _Derivatives.at(theta, choices, logs, fixed, features)
    size, games = theta.size, choices.metadata["game"]
    hessians = np.einsum("klp,pi,pj->pkilj", at.spreads, features, features, optimize=True)
    by_game = _sums_by_game(
        np.hstack([at.gradient, hessians.reshape(-1, size * size)]), games, counts.shape[1]
    )
    drawn = counts.astype(np.float64) @ by_game
    bend = drawn[:, size:].reshape(-1, size, size)
    bend += 1e-9 * (1 + np.trace(bend, axis1=1, axis2=2))[:, None, None] * np.eye(size)
    step = np.linalg.solve(bend, drawn[:, :size, None])[:, :, 0]
    moved = np.clip(theta - step.reshape(-1, *theta.shape), -_MOST, _MOST)
    if constrained:
        moved = np.concatenate([moved, 1 - moved.sum(axis=1, keepdims=True)], axis=1)
    return moved


def _sums_by_game(columns: Array, games: NDArray[np.integer], number: int) -> Array:
    """Sums of columns [positions, columns] over the positions of each game, [number, columns]."""
    return np.stack([np.bincount(games, column, number) for column in columns.T], axis=1)


def _minimise(choices: ChoiceData, logs: Array, fixed: Array, features: Array) -> Fit:
    """Newton's method with step halving."""
    policies, width = len(logs), features.shape[1]
    theta = np.full((policies, width), 0.5 / max(policies, 1))
    at = _Derivatives.at(theta, choices, logs, fixed, features)
    for _ in range(_STEPS):
        # A small ridge: with equal predictions of two policies the Hessian is singular.
        bend = at.hessian + 1e-9 * (1 + np.trace(at.hessian)) * np.eye(policies * width)
        step = np.linalg.solve(bend, at.gradient.sum(axis=0))
        length, following = 1.0, at
        while length > 1e-6:
            moved = np.clip(theta - length * step.reshape(theta.shape), -_MOST, _MOST)
            following = _Derivatives.at(moved, choices, logs, fixed, features)
            if following.nll <= at.nll:
                break
            length /= 2
        gained = at.nll - following.nll
        if gained < 0:
            break
        theta, at = moved, following
        if gained < _CLOSE * max(1.0, abs(at.nll)):
            break
    return Fit(theta, at.sandwich(choices.metadata["game"]), len(choices), at.nll / max(len(choices), 1))


@dataclass(frozen=True)
class _Derivatives:
    """Value, gradient and Hessian of the negative log-likelihood, summed over positions."""

    nll: float
    gradient: Array
    """[positions, policies * features]"""
    hessian: Array
    spreads: Array
    """[policies, policies, positions]: covariances of the policies' log-probabilities over the moves."""

    @staticmethod
    def at(theta: Array, choices: ChoiceData, logs: Array, fixed: Array, features: Array) -> _Derivatives:
        offsets, played = choices.offsets, choices.played
        normal = segment_log_softmax(fixed + geometric_pool(theta @ features.T, logs, offsets), offsets)
        shares = np.exp(normal)
        means = segment_sum(shares * logs, offsets)
        gaps = logs - segment_repeat(means, offsets)
        spreads = np.stack([segment_sum(shares * gaps * row, offsets) for row in gaps])
        size = theta.size
        gradient = np.einsum("kp,pj->pkj", means - logs[:, played], features).reshape(-1, size)
        hessian = np.einsum("klp,pi,pj->kilj", spreads, features, features, optimize=True).reshape(size, size)
        return _Derivatives(float(-normal[played].sum()), gradient, hessian, spreads)

    def sandwich(self, games: NDArray[np.integer]) -> Array:
        """The covariance of the weights, clustered by game."""
        size = self.gradient.shape[1]
        _, place = np.unique(games, return_inverse=True)
        count = int(place.max()) + 1 if len(place) else 0
        by_game = _sums_by_game(self.gradient, place, count)
        bread = np.linalg.pinv(self.hessian + 1e-9 * (1 + np.trace(self.hessian)) * np.eye(size))
        often = count / max(count - 1, 1)
        found: Array = often * bread @ (by_game.T @ by_game) @ bread
        return found


def _expand_constrained(free: Fit) -> Fit:
    """Adds the last policy, whose weight is 1 minus the sum of the others."""
    policies, width = free.theta.shape
    theta = np.vstack([free.theta, 1 - free.theta.sum(axis=0)])
    whole = np.vstack([np.eye(policies * width), np.tile(-np.eye(width), policies)])
    return Fit(theta, whole @ free.covariance @ whole.T, free.positions, free.nll)
