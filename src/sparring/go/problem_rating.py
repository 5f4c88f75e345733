"""How hard a Go problem is: its level, from 15k to 7d, with an interval.

The levels are those that a site for problems gave to 1,200 problems after thousands of tries each. The level
here is a prediction of that of a problem which nobody has tried, by a ridge regression on the numbers of
`problem_features`. `results/problems/go` has the measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring.base.errors import BadFile
from sparring.base.storage import read_npz
from sparring.games import move_name
from sparring.go.problem_features import problem_features
from sparring.go.problem_files import GoProblem, parse_problem, read_problems
from sparring.measure.problems import RatedProblem
from sparring.policies import Policy, load_policy

INTERVAL = 0.8
"""The share of problems whose level lies within the interval of their prediction."""
_TOGETHER = 16
"""Problems of a file whose positions are predicted together."""
EASIEST, HARDEST = -14.0, 7.0
"""15k and 7d: the levels of the problems that the model learned from."""
SLOPE = 0.35
"""Logits of the chance to solve for a rank. Over the levels 15k to 6k the share of right tries on the site
falls by so much a level. Its people are of many ranks, which makes the fall flatter than for one person."""


@dataclass(frozen=True)
class GoProblemRating:
    """A predicted level of a Go problem. Levels are numbers here: 15k is -14, 1k is 0, 1d is 1, 7d is 7."""

    rating: float
    """The level as a number."""
    plausible: NDArray[np.float64]
    """Equally likely values of the true level, ascending."""
    share: float
    """The predicted share of right tries among the people of the site who tried the problem."""

    @property
    def level(self) -> str:
        """The level as a rank, such as 3k."""
        return level_text(self.rating)

    @property
    def interval(self) -> tuple[float, float]:
        """The range that the true level is in with a probability of 80 %, as numbers."""
        low, high = np.quantile(self.plausible, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
        return float(low), float(high)

    def chance(self, rank: int) -> float:
        """The chance that a person solves the problem at the first attempt. `rank` is as in `Position`: 3 is
        3d, -3 is 3k.

        It takes a person whose rank is the problem's level to solve half of such problems, averaged over
        the levels that the problem may have. No tries of people with known ranks were there to measure it.
        """
        return float(np.mean(1 / (1 + np.exp(SLOPE * (self.plausible - level_number(rank))))))


def level_number(rank: int) -> int:
    """The level of a rank as `Position` takes it: without its gap between 1k (-1) and 1d (1)."""
    return rank if rank > 0 else rank + 1


def level_text(level: float) -> str:
    """The rank that is nearest to a level."""
    nearest = round(level)
    return f"{nearest}d" if nearest > 0 else f"{1 - nearest}k"


def rate_go_problem(problem: GoProblem | str) -> GoProblemRating:
    """The predicted level of a Go problem.

    `problem` is the text of an SGF game tree: a position with the solver to move, and its solution as
    moves with variations. Raises BadFile, ParseError, IllegalMove, or ValueError for a tree without a
    solution.
    """
    return rate_problems([parse_problem(problem) if isinstance(problem, str) else problem])[0]


def rate_problems(problems: Sequence[GoProblem]) -> list[GoProblemRating]:
    """The predicted levels of problems."""
    if not problems:
        return []
    return shipped_model().predict(*problem_features(problems, *_policies()))


def rated_problems(path: Path) -> Iterator[RatedProblem]:
    """The problems of a file with their levels and first right moves. Raises BadFile."""
    records = read_problems(path)
    while batch := list(islice(records, _TOGETHER)):
        for record, rating in zip(batch, rate_problems([record.problem for record in batch]), strict=True):
            state = record.problem.state
            facts = {
                "right_tries": round(rating.share, 4),
                "first_moves": [move_name(state, move) for move in record.problem.right_moves],
            }
            yield RatedProblem(record.name, rating, facts)


@cache
def _policies() -> tuple[Policy, Policy]:
    return load_policy("human", "go"), load_policy("strong", "go")


@cache
def shipped_model() -> LevelModel:
    """The model that ships with the package."""
    return LevelModel.from_arrays(read_npz(data.path("difficulty", "go")))


@dataclass(frozen=True)
class LevelModel:
    """A linear model of the level. Features beyond `limit` deviations count as `limit`."""

    names: tuple[str, ...]
    """The features."""
    mean: NDArray[np.float64]
    deviation: NDArray[np.float64]
    weights: NDArray[np.float64]
    """Levels for a deviation of each feature."""
    intercept: float
    share_weights: NDArray[np.float64]
    """The same for the logit of the share of right tries."""
    share_intercept: float
    errors: NDArray[np.float64]
    """Equally likely errors (true minus predicted) of problems that the model did not see, ascending."""
    limit: float = 3.0

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[np.generic]]) -> LevelModel:
        """The model of a file's arrays. Raises BadFile."""
        try:
            return cls(
                names=tuple(map(str, arrays["names"])),
                mean=arrays["mean"].astype(np.float64),
                deviation=arrays["deviation"].astype(np.float64),
                weights=arrays["weights"].astype(np.float64),
                intercept=float(arrays["intercept"].astype(np.float64)),
                share_weights=arrays["share_weights"].astype(np.float64),
                share_intercept=float(arrays["share_intercept"].astype(np.float64)),
                errors=arrays["errors"].astype(np.float64),
            )
        except KeyError as error:
            raise BadFile(f"no model of Go problems: {error} is missing") from None

    def predict(self, names: Sequence[str], values: NDArray[np.float64]) -> list[GoProblemRating]:
        """The levels of problems with features `values` [problems, names]. Raises BadFile."""
        place = {name: column for column, name in enumerate(names)}
        if missing := [name for name in self.names if name not in place]:
            raise BadFile(f"the model of Go problems needs the feature {missing[0]}, which is no more")
        scaled = (values[:, [place[name] for name in self.names]] - self.mean) / self.deviation
        scaled = np.clip(scaled, -self.limit, self.limit)
        levels = scaled @ self.weights + self.intercept
        shares = 1 / (1 + np.exp(-(scaled @ self.share_weights + self.share_intercept)))
        return [
            GoProblemRating(
                float(np.clip(level, EASIEST, HARDEST)),
                np.clip(level + self.errors, EASIEST, HARDEST),
                float(share),
            )
            for level, share in zip(levels, shares, strict=True)
        ]
