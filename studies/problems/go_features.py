"""Features of Go problems that people tried, written part by part: a run that was stopped continues.

The problems come with the site's level, the number of tries and the number of right ones. A copy of a
problem, turned, mirrored, with colors exchanged or with few other stones, is in the group of the problem: no
group is on both sides of a split.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.base.storage import atomic_writer
from sparring.chess.puzzle_files import text_lines
from sparring.games.ratings import rank_order
from sparring.go.problem_features import problem_features
from sparring.go.problem_files import GoProblem, Step, parse_problem
from sparring.policies import load_policy

PART = 50
"""Problems of a part."""
_ALIKE = 0.75
"""Two problems with at least this share of stones in common are of one group."""

Array = NDArray[np.float64]


@dataclass(frozen=True)
class TriedProblem:
    """A problem of the data."""

    name: str
    level: str
    right: int
    tries: int
    problem: GoProblem
    is_marked: bool
    """Whether the file marks right lines; else the first variation is taken."""


def read_tried(path: Path) -> tuple[list[TriedProblem], dict[str, int]]:
    """The problems of a JSON-lines file, and how many were left out for which reason."""
    problems, left_out = [], dict[str, int]()
    for line in text_lines(path):
        row = json.loads(line)
        reason = ""
        if not row["tries"]:
            reason = "no tries"
        else:
            try:
                problem = parse_problem(row["sgf"])
            except Exception as error:
                reason = str(error).split(" in '")[0]
        if reason:
            left_out[reason] = left_out.get(reason, 0) + 1
            continue
        is_marked = any(mark in row["sgf"] for mark in ("RIGHT", "✓", "正解", "正确"))
        level = row["level"].lower()
        problems.append(TriedProblem(row["id"], level, row["right"], row["tries"], problem, is_marked))
    return problems, left_out


def level_number(rank: str) -> int:
    """A rank without the gap at zero: 1k is 0, 1d is 1, 15k is -14."""
    order = rank_order(rank)
    return order if order > 0 else order + 1


def write_features(path: Path, folder: Path, *, bare: bool = False) -> None:
    """Writes the features of a file's problems to `folder`. `bare`: of the main line alone, as many files
    have it."""
    problems, _ = read_tried(path)
    human, strong = load_policy("human", "go"), load_policy("strong", "go")
    folder.mkdir(parents=True, exist_ok=True)
    for begin in range(0, len(problems), PART):
        target = folder / f"part-{begin // PART:05}.npz"
        if target.exists():
            continue
        part = problems[begin : begin + PART]
        shown = [main_line(row.problem) if bare else row.problem for row in part]
        names, values = problem_features(shown, human, strong)
        with atomic_writer(target) as temporary, temporary.open("wb") as file:
            np.savez(file, names=np.array(names), features=values, ids=np.array([row.name for row in part]))


def main_line(problem: GoProblem) -> GoProblem:
    """The problem with one right line only: the first reply and the first right answer to it."""

    def only(steps: Sequence[Step]) -> tuple[Step, ...]:
        for step in steps:
            if step.right:
                replies = step.following[:1]
                line = tuple(Step(reply.move, reply.right, only(reply.following)) for reply in replies)
                return (Step(step.move, True, line),)
        return ()

    return GoProblem(problem.state, only(problem.tries))


def read_features(folder: Path) -> tuple[tuple[str, ...], Array, list[str]]:
    """The names, the values [problems, features] and the ids of all parts of a folder."""
    parts: list[Any] = [np.load(path) for path in sorted(folder.glob("part-*.npz"))]
    return (
        tuple(map(str, parts[0]["names"])),
        np.concatenate([part["features"] for part in parts]),
        [str(name) for part in parts for name in part["ids"]],
    )


def groups_of(problems: Sequence[GoProblem]) -> NDArray[np.int64]:
    """The group of each problem: those that are copies of one another are of one."""
    boards = np.array([_turned(problem.state) for problem in problems])  # [problems, 8, points of two colors]
    flat = boards[:, 0].astype(np.float32)
    sizes = flat.sum(axis=1)
    alike = np.zeros((len(problems), len(problems)), bool)
    for turn in range(boards.shape[1]):
        shared = flat @ boards[:, turn].astype(np.float32).T
        alike |= shared >= _ALIKE * (sizes[:, None] + sizes[None, :] - shared)
    group = np.arange(len(problems))
    for first, second in np.argwhere(alike):
        low, high = sorted((group[first], group[second]))
        if low != high:
            group[group == high] = low
    return group


def _turned(state: GoState) -> NDArray[np.bool_]:
    """The board in all its symmetries, the solver's stones first: [8, points of two colors]. Boards of other
    sizes lie in a corner of 19x19."""
    board = np.zeros((2, 19, 19), bool)
    for color, points in enumerate((state.stones[state.to_move], state.stones[1 - state.to_move])):
        for point in points:
            board[color, point // state.size, point % state.size] = True
    square = board[:, : state.size, : state.size]
    turned = []
    for _ in range(4):
        square = np.rot90(square, axes=(1, 2))
        for view in (square, square[:, ::-1]):
            wide = np.zeros_like(board)
            wide[:, : state.size, : state.size] = view
            turned.append(wide.ravel())
    return np.array([turned[6], *turned[:6], turned[7]])  # the identity first
