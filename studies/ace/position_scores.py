"""Experiment 2: a player's Elo from its choices in the test positions, with an interval.

- People's positions: the posterior of r given the choices under a policy of people's moves, p(choice | r),
  with a flat prior. The scale is that of people's ratings in games; `calibrate_on_people` corrects it.
- Puzzles: the Rasch model with the puzzles' own ratings, which people made by solving them. A player of
  rating r solves a puzzle of rating d with probability 1 / (1 + 10^((d - r) / 400)). The scale is that of
  puzzles.
- Graded positions: the mean grade, turned into a rating by the grades of `human` at known ratings.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from sparring.networks import Position
from sparring.policies import Policy, log_probabilities
from sparring.policies.segments import Array
from studies.ace.position_items import PositionTest, chosen_parts

TOLD = tuple(range(600, 2601, 200))
"""Ratings told to the policy of people's moves."""
GRID = np.arange(400.0, 2801.0, 10.0)
"""Ratings of a posterior. Beyond the ratings told the likelihood continues with its slope there."""
_FEWEST_GROUPS = 4
"""With people of fewer groups of ratings, raw estimates are not corrected."""
SITTINGS = 50
"""Times that a player who draws its moves takes the test."""


@dataclass(frozen=True)
class Calibration:
    """r = intercept + slope * raw: corrects the raw estimates of people's positions."""

    intercept: float = 0.0
    slope: float = 1.0

    def ratings(self, raw: Array) -> Array:
        """The calibrated ratings of raw estimates."""
        found: Array = self.intercept + self.slope * np.asarray(raw)
        return found


def rating_curves(human: Policy, states: Sequence[Any]) -> list[Array]:
    """log p(move | r) [ratings told, legal moves] of each state."""
    columns = [
        [log_probabilities(each) for each in human.predict([Position(s, rating, rating) for s in states])]
        for rating in TOLD
    ]
    return [np.stack([column[i] for column in columns]) for i in range(len(states))]


def posterior_rating(curve: Array) -> tuple[float, float, float]:
    """Mean and 95 % interval of r from the log-likelihood of all choices at the ratings told [ratings]."""
    told = np.array(TOLD, np.float64)
    logs = np.interp(GRID, told, curve)
    step = told[1] - told[0]
    logs = logs + np.minimum(GRID - told[0], 0) * (curve[1] - curve[0]) / step
    logs = logs + np.maximum(GRID - told[-1], 0) * (curve[-1] - curve[-2]) / step
    shares = np.exp(logs - logs.max())
    shares /= shares.sum()
    total = np.cumsum(shares)
    low, high = (float(GRID[int(np.searchsorted(total, share))]) for share in (0.025, 0.975))
    return float((shares * GRID).sum()), low, high


def calibrate_on_people(
    ratings: Array, answers: Array, form: int, *, width: int = 200, persons: int = 200
) -> tuple[Calibration, list[dict[str, Any]]]:
    """Groups of people of nearly one rating as persons who take the test, each with `form` positions.

    `ratings` [positions] are those of the people who moved, `answers` [positions, ratings told] the
    log-likelihoods of their moves.

    Returns the line that maps their raw estimates to their ratings, and a row for each group: mean rating,
    mean raw and calibrated estimate, and how often the calibrated interval holds the rating.
    """
    rng = np.random.default_rng(0)
    raw: list[tuple[int, float, tuple[float, float, float]]] = []
    for low in range(600, 2600, width):
        inside = np.flatnonzero((ratings >= low) & (ratings < low + width))
        if len(inside) < form // 2:
            continue
        for _ in range(persons):
            rows = rng.choice(inside, form, replace=len(inside) < form)
            raw.append((low, float(ratings[rows].mean()), posterior_rating(answers[rows].sum(axis=0))))
    known, found = np.array([each[1] for each in raw]), np.array([each[2][0] for each in raw])
    line = Calibration()
    if len({each[0] for each in raw}) >= _FEWEST_GROUPS:
        slope, intercept = np.polyfit(found, known, 1).tolist()
        line = Calibration(intercept, slope)
    rows_by_group = []
    for low in sorted({each[0] for each in raw}):
        group = [each for each in raw if each[0] == low]
        truth, means = np.array([g[1] for g in group]), np.array([g[2][0] for g in group])
        ends = line.ratings(np.array([g[2][1:] for g in group]))
        rows_by_group.append({
            "ratings": f"{low}-{low + width - 1}",
            "positions": int(((ratings >= low) & (ratings < low + width)).sum()),
            "rating": float(truth.mean()), "raw": float(means.mean()),
            "estimate": float(line.ratings(means).mean()), "deviation": float(line.ratings(means).std()),
            "coverage": float(np.mean((ends[:, 0] <= truth) & (truth <= ends[:, 1]))),
        })  # fmt: skip
    return line, rows_by_group


def score_player(
    test: PositionTest, curves: Sequence[Array], answers: Sequence[Array], line: Calibration, seed: int = 0
) -> dict[str, Any]:
    """The results of a player: people's positions and puzzles as ratings with intervals, the mean grade.

    Moves are drawn `SITTINGS` times; the estimate is the mean, the interval that of one sitting.
    """
    rng = np.random.default_rng(seed)
    people, puzzles, graded = chosen_parts(test, answers)
    sittings = [_sitting(curves, people, rng) for _ in range(SITTINGS)]
    mean, low, high = line.ratings(np.mean(sittings, axis=0)).tolist()
    solved = np.array(
        [
            np.prod([a[list(right)].sum() / a.sum() for a, right in zip(found, item.solutions, strict=True)])
            for item, found in zip(test.puzzles, puzzles, strict=True)
        ]
    )
    grades = [float(a @ np.array(item.grades) / a.sum()) for a, item in zip(graded, test.graded, strict=True)]
    return {
        "people": {"rating": mean, "low": low, "high": high,
                   "deviation": float(np.std([each[0] for each in sittings]) * line.slope)},
        "puzzles": {**rasch_rating(np.array([item.rating for item in test.puzzles]), solved),
                    "solved": float(solved.mean())},
        "graded": {"grade": float(np.mean(grades)), "error": float(np.std(grades) / np.sqrt(len(grades)))},
    }  # fmt: skip


def _sitting(
    curves: Sequence[Array], answers: Sequence[Array], rng: np.random.Generator
) -> tuple[float, float, float]:
    """The rating by one draw of all moves."""
    total = np.zeros(len(TOLD))
    for curve, answer in zip(curves, answers, strict=True):
        total += curve[:, rng.choice(len(answer), p=answer / answer.sum())]
    return posterior_rating(total)


def rasch_rating(difficulties: Array, solved: Array) -> dict[str, float]:
    """The rating at which the expected number of solved puzzles is the number solved, with a 95 % interval by
    the information of the test. `solved` [puzzles] may be probabilities. At least half a puzzle counts as
    solved and as unsolved, so that nobody is infinitely strong."""
    total = float(np.clip(solved.sum(), 0.5, len(solved) - 0.5))
    low, high = 0.0, 4000.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if _expected(middle, difficulties).sum() < total else (low, middle)
    shares = _expected(low, difficulties)
    error = 400 / np.log(10) / np.sqrt((shares * (1 - shares)).sum())
    return {"rating": low, "low": low - 1.96 * float(error), "high": low + 1.96 * float(error)}


def grade_rating(grade: float, references: Sequence[tuple[float, float]]) -> float:
    """The rating of a mean grade by reference players (rating, grade): linear in the rating, extrapolated."""
    ratings, grades = np.array(sorted(references)).T
    slope, intercept = np.polyfit(grades, ratings, 1)
    return float(intercept + slope * grade)


def _expected(rating: float, difficulties: Array) -> Array:
    found: Array = 1 / (1 + 10 ** ((difficulties - rating) / 400))
    return found
