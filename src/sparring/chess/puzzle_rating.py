"""How hard a chess problem is: its rating on Lichess's puzzle scale, with an interval.

On Lichess a puzzle and a person who tries it play a game of Glicko-2: the puzzle gains if the person fails.
The rating here is a prediction of that of a puzzle which nobody has tried, by gradient-boosted trees on the
numbers of `puzzle_features`. A second set of trees predicts the size of its error. `results/problems` has the
measurement.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring._core import ChessState
from sparring.base.errors import BadFile
from sparring.base.storage import read_npz
from sparring.chess.game import Chess
from sparring.chess.puzzle_features import Problem, problem_features
from sparring.chess.puzzle_files import problem_of, read_problems
from sparring.games.states import split_moves
from sparring.measure.problems import RatedProblem
from sparring.policies import Policy, load_policy

INTERVAL = 0.8
"""The share of problems whose rating lies within the interval of their prediction."""
_TOGETHER = 64
"""Problems of a file whose positions are predicted together."""
_ROWS = 256
"""Rows that go through the trees together."""


@dataclass(frozen=True)
class PuzzleRating:
    """A predicted puzzle rating. It is not the rating of a player's games."""

    rating: float
    """On the scale of Lichess's puzzle ratings."""
    plausible: NDArray[np.float64]
    """Equally likely values of the true rating, ascending: the prediction plus errors of its size."""

    @property
    def interval(self) -> tuple[float, float]:
        """The range that the true rating is in with a probability of 80 %."""
        low, high = np.quantile(self.plausible, [(1 - INTERVAL) / 2, (1 + INTERVAL) / 2])
        return float(low), float(high)

    def chance(self, puzzle_rating: float) -> float:
        """The chance that a person with this puzzle rating solves the problem at the first attempt.

        It is the expected score of Glicko, averaged over the values that the problem's rating may have.
        """
        return float(np.mean(1 / (1 + 10 ** ((self.plausible - puzzle_rating) / 400))))


def rate_puzzle(position: ChessState | str, solution: str | Sequence[str]) -> PuzzleRating:
    """The predicted puzzle rating of a chess problem.

    `position` is a state or a FEN, with the solver to move. `solution` are the moves of both sides in UCI or
    SAN, beginning with the solver's, as a text or a list. A state that knows the opponent's last move gives
    a slightly surer rating than a FEN. Raises ParseError, IllegalMove, or ValueError for
    an empty solution.
    """
    state = Chess().parse(position) if isinstance(position, str) else position
    moves = split_moves(solution) if isinstance(solution, str) else solution
    return rate_puzzles([problem_of(state, moves)])[0]


def rate_puzzles(problems: Sequence[Problem]) -> list[PuzzleRating]:
    """The predicted puzzle ratings of problems."""
    if not problems:
        return []
    names, values = problem_features(problems, *_policies())
    return shipped_model().predict(names, values)


def rated_problems(path: Path) -> Iterator[RatedProblem]:
    """The problems of a file with their ratings. Raises BadFile."""
    records = read_problems(path)
    batch = list(islice(records, _TOGETHER))
    if not batch:
        raise BadFile(f"{path}: no problem in it")
    while batch:
        for record, rating in zip(batch, rate_puzzles([record.problem for record in batch]), strict=True):
            yield RatedProblem(record.name, rating)
        batch = list(islice(records, _TOGETHER))


@cache
def _policies() -> tuple[Policy, Policy]:
    return load_policy("human", "chess"), load_policy("strong", "chess")


@cache
def shipped_model() -> PuzzleModel:
    """The model that ships with the package."""
    return PuzzleModel.from_arrays(read_npz(data.path("difficulty", "chess")))


# The model: two ensembles of trees in NumPy, so that using it needs no library of its own.


@dataclass(frozen=True)
class Trees:
    """A sum of regression trees. The nodes of all trees are in one array; a child is after its parent."""

    roots: NDArray[np.int64]
    """[trees]: the index of each tree's first node."""
    feature: NDArray[np.int16]
    """[nodes]: the column that the node compares; -1 for a leaf."""
    number: NDArray[np.float32]
    """[nodes]: the threshold, at or below which the left child is taken; the value of a leaf."""
    left: NDArray[np.int16]
    """[nodes]: the left child, counted from the tree's root."""
    right: NDArray[np.int16]

    def predict(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        """The sums [rows] for features [rows, columns]."""
        sums = [self._predict(values[start : start + _ROWS]) for start in range(0, len(values), _ROWS)]
        return np.concatenate([np.zeros(0), *sums])

    def _predict(self, values: NDArray[np.float32]) -> NDArray[np.float64]:
        rows = np.arange(len(values))[:, None]
        node = np.broadcast_to(self.roots, (len(values), len(self.roots)))
        while True:
            feature = self.feature[node]
            inner = feature >= 0
            if not inner.any():
                return np.asarray(self.number[node].sum(axis=1, dtype=np.float64))
            goes_left = values[rows, feature] <= self.number[node]
            child = self.roots + np.where(goes_left, self.left[node], self.right[node])
            node = np.where(inner, child, node)


@dataclass(frozen=True)
class PuzzleModel:
    """Predicts ratings and the sizes of their errors from features."""

    names: tuple[str, ...]
    """The features, in the order of the trees' columns."""
    rating: Trees
    error: Trees
    """Predicts the absolute error."""
    errors: NDArray[np.float64]
    """Equally likely errors (true minus predicted) in units of the predicted absolute error, ascending."""

    @classmethod
    def from_arrays(cls, arrays: Mapping[str, NDArray[Any]]) -> PuzzleModel:
        """The model of a file's arrays. Raises BadFile."""
        try:
            rating, error = (
                Trees(
                    arrays[f"{head}_roots"].astype(np.int64),
                    *(arrays[f"{head}_{part}"] for part in ("feature", "number", "left", "right")),
                )
                for head in ("rating", "error")
            )
            return cls(tuple(map(str, arrays["names"])), rating, error, arrays["errors"].astype(np.float64))
        except KeyError as error_:
            raise BadFile(f"no model of puzzle ratings: {error_} is missing") from None

    def predict(self, names: Sequence[str], values: NDArray[np.float32]) -> list[PuzzleRating]:
        """The ratings of problems with features `values` [problems, names]. Raises BadFile."""
        place = {name: column for column, name in enumerate(names)}
        if missing := [name for name in self.names if name not in place]:
            raise BadFile(f"the model of puzzle ratings needs the feature {missing[0]}, which is no more")
        columns = values[:, [place[name] for name in self.names]]
        ratings, sizes = self.rating.predict(columns), np.maximum(self.error.predict(columns), 1.0)
        return [
            PuzzleRating(float(rating), rating + size * self.errors)
            for rating, size in zip(ratings, sizes, strict=True)
        ]
