"""The Amsterdam Chess Test: what 40 items say about a player's Elo, from 259 people's answers.

Van der Maas and Wagenmakers (2005). We have the answers and not the positions: they show the shape of the
skill curve and how wide the interval of a test of so many items is.
"""

from __future__ import annotations

import csv
from pathlib import Path
from typing import Any

import numpy as np

from sparring.policies.policy import Array

_GRID = np.linspace(-4, 4, 161)


def read_answers(path: Path) -> tuple[Array, Array]:
    """Standardised Elo [players] and answers [players, items], 1 for right; NaN where missing.

    Players with an Elo of exactly 0, the mean, are unrated ones and left out; so are players without answers.
    An answer of 9 is missing.
    """
    with path.open() as file:
        rows = list(csv.DictReader(file))
    items = [key for key in rows[0] if key.startswith("Y")]
    elo = np.array([float(row["ELO"]) for row in rows])
    answers = np.array([[float(row[key]) if row[key] else np.nan for key in items] for row in rows])
    answers[(answers != 0) & (answers != 1)] = np.nan
    known = ~np.isnan(elo) & (elo != 0) & ~np.isnan(answers).all(axis=1)
    return elo[known], answers[known]


def item_curves(elo: Array, answers: Array) -> Array:
    """Logistic curves of the items over Elo by penalised maximum likelihood: [items, 2], intercept and
    slope."""
    design = np.stack([np.ones(len(elo)), elo], axis=1)
    curves = []
    for column in answers.T:
        known = ~np.isnan(column)
        x, y = design[known], column[known]
        theta = np.zeros(2)
        for _ in range(30):
            shares = 1 / (1 + np.exp(-x @ theta))
            bend = (x * (shares * (1 - shares))[:, None]).T @ x + 0.2 * np.eye(2)
            theta = theta + np.linalg.solve(bend, x.T @ (y - shares) - 0.2 * theta)
        curves.append(theta)
    return np.array(curves)


def skill_curve(elo: Array, answers: Array, folds: int = 10) -> dict[str, Any]:
    """How well Elo follows from the answers of people whose items were fitted on others.

    Numbers are in standard deviations of the players' Elo: the mean absolute error, the correlation, the mean
    half width and the coverage of 95 % intervals, the half width by what a line leaves unexplained; and the
    share of right answers by quarter of Elo, observed
    and by the logistic curves.
    """
    estimates, lows, highs, shares = (np.zeros(len(elo)) for _ in range(4))
    fold = np.random.default_rng(0).permutation(len(elo)) % folds
    for number in range(folds):
        curves = item_curves(elo[fold != number], answers[fold != number])
        chances = np.clip(1 / (1 + np.exp(-(curves[:, :1] + curves[:, 1:] * _GRID))), 1e-6, 1 - 1e-6)
        for player in np.flatnonzero(fold == number):
            known = ~np.isnan(answers[player])
            right = answers[player][known][:, None]
            logs = (right * np.log(chances[known]) + (1 - right) * np.log(1 - chances[known])).sum(axis=0)
            logs -= 0.5 * _GRID**2  # the population
            weights = np.exp(logs - logs.max())
            weights /= weights.sum()
            total = np.cumsum(weights)
            estimates[player] = (weights * _GRID).sum()
            lows[player], highs[player] = (np.interp(share, total, _GRID) for share in (0.025, 0.975))
            at = 1 / (1 + np.exp(-(curves[:, 0] + curves[:, 1] * elo[player])))
            shares[player] = at[known].mean()
    slope, intercept = np.polyfit(estimates, elo, 1)
    residual = float(np.std(elo - intercept - slope * estimates))
    quarters = np.digitize(elo, np.quantile(elo, (0.25, 0.5, 0.75)))
    return {
        "players": len(elo),
        "items": answers.shape[1],
        "mean_absolute_error": float(np.abs(estimates - elo).mean()),
        "correlation": float(np.corrcoef(estimates, elo)[0, 1]),
        "half_width": float((highs - lows).mean() / 2),
        "half_width_by_residuals": 1.96 * residual,
        "coverage": float(((lows <= elo) & (elo <= highs)).mean()),
        "quarters": [
            {
                "observed": float(np.nanmean(answers[quarters == each])),
                "logistic": float(shares[quarters == each].mean()),
            }
            for each in range(4)
        ],
    }
