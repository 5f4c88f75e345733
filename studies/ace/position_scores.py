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
from sparring.policies.policy import Array
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
        [
            log_probabilities(prediction)
            for prediction in human.predict([Position(s, rating, rating) for s in states])
        ]
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
    log-likelihoods of their moves. A person draws its positions from those of its group, with replacement
    where the group has fewer.

    Returns the line that maps raw estimates to ratings, fitted to all answers, and a row for each group: mean
    rating, mean raw and calibrated estimate, their deviation, and how often the calibrated interval holds the
    rating. Each half of a group is measured with the line of the other halves.
    """
    halves = [np.arange(len(ratings)) % 2 == half for half in (0, 1)]
    persons_of = [_persons(ratings[h], answers[h], form, width, persons // 2) for h in halves]
    lines = [_fitted_line(each) for each in persons_of]
    measured = [
        (low, truth, *line.ratings(np.array(raw)).tolist(), raw[0])
        for group, line in zip(persons_of, lines[::-1], strict=True)
        for low, truth, raw in group
    ]
    rows = []
    for low in sorted({each[0] for each in measured}):
        group = np.array([each[1:] for each in measured if each[0] == low])
        truth, means, lows, highs, raw = group.T
        rows.append({
            "ratings": f"{low}-{low + width - 1}",
            "positions": int(((ratings >= low) & (ratings < low + width)).sum()),
            "rating": float(truth.mean()), "raw": float(raw.mean()),
            "estimate": float(means.mean()), "deviation": float(means.std()),
            "coverage": float(np.mean((lows <= truth) & (truth <= highs))),
        })  # fmt: skip
    return _fitted_line(_persons(ratings, answers, form, width, persons)), rows


_Person = tuple[int, float, tuple[float, float, float]]
"""Lowest rating of its group, mean rating of its positions, raw estimate with its interval."""


def _persons(ratings: Array, answers: Array, form: int, width: int, persons: int) -> list[_Person]:
    rng = np.random.default_rng(0)
    found: list[_Person] = []
    for low in range(600, 2600, width):
        inside = np.flatnonzero((ratings >= low) & (ratings < low + width))
        if len(inside) < form // 4:
            continue
        for _ in range(persons):
            rows = rng.choice(inside, form, replace=len(inside) < form)
            found.append((low, float(ratings[rows].mean()), posterior_rating(answers[rows].sum(axis=0))))
    return found


def _fitted_line(persons: Sequence[_Person]) -> Calibration:
    if len({low for low, *_ in persons}) < _FEWEST_GROUPS:
        return Calibration()
    slope, intercept = np.polyfit([raw[0] for *_, raw in persons], [truth for _, truth, _ in persons], 1)
    return Calibration(float(intercept), float(slope))


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
                   "deviation": float(np.std([sitting[0] for sitting in sittings]) * line.slope)},
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
