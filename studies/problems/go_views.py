"""What the networks should be shown of a Go problem: the stones alone, or a whole board around them.

A problem is a part of a board. Each view is asked for the probability of the right first moves, in all and as
a share of the moves near the stones, which is then compared with how many people solve the problem.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState, ParseError
from sparring.go.problem_features import NEAR
from sparring.networks import Position
from sparring.policies import Policy, load_policy
from studies.problems.go_features import TriedProblem, read_tried
from studies.problems.go_fit import spearman

_RANK = 1
_BATCH = 32
_MARGIN = 2
_FREE = 40
"""Points outside a problem below which there is nothing to fill."""

Board = NDArray[np.int8]


@dataclass(frozen=True)
class View:
    """One way to show a problem."""

    show: Callable[[GoState], GoState]
    policy: str = "human"
    symmetries: bool = False


def measure_views(path: Path, most: int, seed: int = 5) -> dict[str, Any]:
    """Spearman's correlation of the right moves' probability with the share of right tries, for each view."""
    problems, _ = read_tried(path)
    order = np.random.default_rng(seed).permutation(len(problems))
    chosen = [problems[i] for i in order if problems[i].problem.state.size == 19][:most]
    rates = np.array([problem.right / problem.tries for problem in chosen])
    rows = {}
    for name, view in VIEWS.items():
        policy = load_policy(view.policy, "go", symmetries=view.symmetries)
        shares = _shares(policy, view, chosen)
        rows[name] = {
            "spearman_all": round(spearman(shares[:, 0], rates), 3),
            "spearman_near": round(spearman(shares[:, 0] / shares[:, 1], rates), 3),
            "near": round(float(shares[:, 1].mean()), 3),
        }
    return {"problems": len(chosen), "rank": "1d", "views": rows}


def _shares(policy: Policy, view: View, problems: list[TriedProblem]) -> NDArray[np.float64]:
    """The probability of the right moves, and that of all moves near the stones: [problems, 2]."""
    rank = _RANK if view.policy == "human" else None
    rows = []
    for begin in range(0, len(problems), _BATCH):
        part = [row.problem for row in problems[begin : begin + _BATCH]]
        positions = [
            Position(view.show(problem.state), rating=rank, opponent_rating=rank) for problem in part
        ]
        for problem, found in zip(part, policy.predict(positions), strict=True):
            near = _near(problem.state)
            share = dict(zip(found.moves, found.probabilities.tolist(), strict=True))
            right = sum(share.get(move, 0.0) for move in problem.right_moves)
            rows.append((right, max(right, sum(share.get(int(move), 0.0) for move in np.flatnonzero(near)))))
    return np.array(rows)


def _board(state: GoState) -> Board:
    board = np.zeros((state.size, state.size), np.int8)
    for color, points in zip((1, -1), state.stones, strict=True):
        for point in points:
            board[point // state.size, point % state.size] = color
    return board


def _near(state: GoState) -> NDArray[np.bool_]:
    board = _board(state)
    near = np.zeros(board.shape, bool)
    for row, column in np.argwhere(board):
        near[max(row - NEAR, 0) : row + NEAR + 1, max(column - NEAR, 0) : column + NEAR + 1] = True
    return np.asarray(near & (board == 0)).ravel()


def passed(state: GoState) -> GoState:
    """The position as if the opponent had just passed."""
    board = _board(state)
    return _state(board, 1 - state.to_move).play(state.size**2)


def filled(state: GoState) -> GoState:
    """The position with the rest of the board settled.

    The side whose stones are farther from the edge surrounds the problem with a wall and has the half of the
    rest that is next to it; the other side has the other half. Both have eyes.
    """
    board, size = _board(state), state.size
    rows, columns = np.nonzero(board)
    outside = np.ones(board.shape, bool)
    (bottom, top), (left, right) = _span(rows, size), _span(columns, size)
    outside[bottom : top + 1, left : right + 1] = False
    if outside.sum() < _FREE:
        return state
    y, x = np.mgrid[0:size, 0:size]
    height = np.minimum(np.minimum(y, size - 1 - y), np.minimum(x, size - 1 - x))
    means = [height[board == color].mean() if (board == color).any() else 0.0 for color in (1, -1)]
    attacker = 1 if means[0] > means[1] else -1
    distance = np.maximum(np.maximum(bottom - y, y - top), np.maximum(left - x, x - right))
    order = np.argsort(np.where(outside, distance * 100.0 + x + y / 100, np.inf), axis=None)[: outside.sum()]
    flat = np.zeros(size * size, np.int8)
    flat[order] = -attacker
    flat[order[: len(order) // 2]] = attacker
    owner = flat.reshape(board.shape)
    around = np.pad(owner, 1, constant_values=9)
    same = np.ones(board.shape, bool)
    for down in range(3):
        for along in range(3):
            beside = around[down : down + size, along : along + size]
            same &= (beside == owner) | (beside == 9)
    eyes = (y % 3 == 1) & (x % 3 == 1) & same & (distance > 1)
    try:
        return _state(np.where(outside & ~eyes, owner, board), state.to_move)
    except ParseError:  # a chain without liberties
        return state


def _span(places: NDArray[Any], size: int) -> tuple[int, int]:
    """The lines that a problem takes: with a margin, and up to the edge if it is near."""
    low, high = int(places.min()) - _MARGIN, int(places.max()) + _MARGIN
    return (0 if low <= 2 else low), (size - 1 if high >= size - 3 else high)


def _state(board: Board, side: int, komi: float = 7.5) -> GoState:
    rows = "/".join("".join(".XO"[color] for color in row) for row in board[::-1])
    for run in range(len(board), 0, -1):
        rows = rows.replace("." * run, str(run))
    return GoState.parse(f"{rows} {'bw'[side]} - 0 0 0 {komi} simple")


def with_komi(komi: float) -> Callable[[GoState], GoState]:
    """Shows the position with another komi."""
    return lambda state: _state(_board(state), state.to_move, komi)


VIEWS = {
    "the stones alone": View(lambda state: state),
    "eight symmetries": View(lambda state: state, symmetries=True),
    "the opponent has passed": View(passed),
    "komi of 100 points": View(with_komi(100.0)),
    "komi of -100 points": View(with_komi(-100.0)),
    "the rest filled": View(filled),
    "strong, the stones alone": View(lambda state: state, "strong"),
    "strong, the rest filled": View(filled, "strong"),
}
