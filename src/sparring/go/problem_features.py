"""Numbers that describe a Go problem for the model of its difficulty.

They are functions of the position and of the right lines of its solution, seen by the two shipped networks.
Wrong lines are not used: how many a file has depends on its author. Four sources:

- the `human` policy at several ranks: how likely people of a rank find the first move and the whole line
  among the points near the stones, what they play instead, and who owns the stones after each;
- the `strong` policy: whether the move is seen at a glance;
- the ladder reader and random playouts: whether a simple tactic shows the point;
- the position and the right lines themselves: stones, liberties, the place and kind of the first move, depth.

A problem shows a part of a board. The networks see the other points as empty and would often play there: the
probabilities are shares of the moves within `NEAR` lines of a stone. (Walls of settled stones around the
problem were worse, `results/problems/go`.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState, GoStates
from sparring.games import Move
from sparring.go.problem_files import GoProblem, Step
from sparring.networks import Position, Prediction
from sparring.policies import Policy

Array = NDArray[np.float64]
Board = NDArray[np.int8]

FIRST_RANKS = (-10, -5, 1, 5, 9)
"""Ranks at which people's first moves are predicted."""
LATER_RANKS = (-5, 5)
"""The same for the solver's later moves."""
_VIEW_RANK = 1
"""The rank at which the positions after a first move are predicted."""
NEAR = 2
"""Lines from the nearest stone within which a move belongs to the problem."""
_LATER_POSITIONS = 8
"""Later positions of the solver that are predicted, those of the shortest lines first."""
_PLAYOUTS = 48
_LEAST = 1e-4
_LADDER_MOVES = 17
"""The plane of KataGo's encoding with the moves that begin a working ladder."""
_BATCH = 64


def problem_features(
    problems: Sequence[GoProblem], human: Policy, strong: Policy
) -> tuple[tuple[str, ...], Array]:
    """The names of the features and their values [problems, features] for at least one problem.

    `human` and `strong` are the shipped policies with these names.
    """
    views = [_View.of(problem) for problem in problems]
    rows = [_shape_features(view) | _tree_features(view) for view in views]
    for row, more in zip(rows, _policy_features(views, human, strong), strict=True):
        row.update(more)
    names = tuple(rows[0])
    return names, np.array([[row[name] for name in names] for row in rows])


@dataclass(frozen=True)
class _Node:
    """A position of the right lines with the solver to move."""

    state: GoState
    steps: tuple[Step, ...]
    """The right moves."""
    before: int
    """The index of the solver's position before it; -1 for the first."""


@dataclass(frozen=True)
class _View:
    """A problem as the features see it."""

    problem: GoProblem
    board: Board
    """[rows, columns], row 0 at the bottom: 1 for the solver's stones, -1 for the opponent's."""
    near: NDArray[np.bool_]
    """[points]: the empty points near a stone."""
    nodes: tuple[_Node, ...]
    """The first position and the later ones that are predicted."""

    @staticmethod
    def of(problem: GoProblem) -> _View:
        board = _board(problem.state)
        return _View(problem, board, _near(board), tuple(_right_nodes(problem)))


def _board(state: GoState) -> Board:
    board = np.zeros(state.size * state.size, np.int8)
    own, other = state.stones[state.to_move], state.stones[1 - state.to_move]
    board[own], board[other] = 1, -1
    return board.reshape(state.size, state.size)


def _near(board: Board) -> NDArray[np.bool_]:
    near = np.zeros(board.shape, bool)
    for row, column in np.argwhere(board):
        near[max(row - NEAR, 0) : row + NEAR + 1, max(column - NEAR, 0) : column + NEAR + 1] = True
    return np.asarray(near & (board == 0)).ravel()


def _right_nodes(problem: GoProblem) -> list[_Node]:
    first = _Node(problem.state, tuple(step for step in problem.tries if step.right), -1)
    nodes = [first]
    number = 0
    while number < len(nodes) <= _LATER_POSITIONS:
        node = nodes[number]
        for step in node.steps:
            after = node.state.play(step.move)
            for reply in step.following:
                right = tuple(answer for answer in reply.following if answer.right)
                if right and after.outcome is None and len(nodes) <= _LATER_POSITIONS:
                    later = _Node(after.play(reply.move), right, number)
                    if later.state.outcome is None:
                        nodes.append(later)
        number += 1
    return nodes


# What the policies say.


@dataclass(frozen=True)
class _Answer:
    """What a policy says about one of the solver's positions."""

    right: float
    """The share of the right moves among the moves near the stones."""
    wrong: float
    """That of the likeliest other move."""
    wrong_move: Move
    entropy: float
    near: float
    """The share of the moves near the stones among all."""
    better: float
    """The number of wrong moves that are likelier than the likeliest right one."""
    prediction: Prediction


def _policy_features(views: Sequence[_View], human: Policy, strong: Policy) -> list[dict[str, float]]:
    questions = [(node.state, rank) for view in views for node in view.nodes for rank in _ranks(node)]
    by_people = iter(_ask(human, questions))
    by_strong = iter(_ask(strong, [(view.problem.state, None) for view in views]))
    by_rank: list[list[dict[int, _Answer]]] = [
        [{rank: _answer(view, node, next(by_people)) for rank in _ranks(node)} for node in view.nodes]
        for view in views
    ]
    ends = [
        [view.nodes[0].steps[0].move, answers[0][_VIEW_RANK].wrong_move]
        for view, answers in zip(views, by_rank, strict=True)
    ]
    after = [
        [view.problem.state.play(move) for move in moves] for view, moves in zip(views, ends, strict=True)
    ]
    seen = iter(_ask(human, [(state, _VIEW_RANK) for states in after for state in states]))
    return [
        _policy_row(view, answers, _answer(view, view.nodes[0], next(by_strong)))
        | _ownership_row(view, answers[0][_VIEW_RANK].prediction, [next(seen) for _ in states])
        | _tactics_row(view, states)
        for view, answers, states in zip(views, by_rank, after, strict=True)
    ]


def _ranks(node: _Node) -> tuple[int, ...]:
    return FIRST_RANKS if node.before < 0 else LATER_RANKS


def _ask(policy: Policy, questions: Sequence[tuple[GoState, int | None]]) -> list[Prediction]:
    positions = [Position(state, rating=rank, opponent_rating=rank) for state, rank in questions]
    answers: list[Prediction] = []
    for begin in range(0, len(positions), _BATCH):
        answers += policy.predict(positions[begin : begin + _BATCH])
    return answers


def _answer(view: _View, node: _Node, prediction: Prediction) -> _Answer:
    size = len(view.near)
    share = np.zeros(size + 1)
    share[list(prediction.moves)] = prediction.probabilities
    right = np.zeros(size + 1, bool)
    right[[step.move for step in node.steps]] = True
    near = np.append(view.near, False) | right
    near[:-1] |= view.board.ravel() != 0  # where stones were captured
    total = float(share.sum())
    local = np.where(near, share, 0.0)
    inside = max(float(local.sum()), 1e-9)
    local /= inside
    wrong = np.where(right, -1.0, local)
    worst = int(np.argmax(wrong[:-1]))
    legal = set(prediction.moves)
    if worst not in legal:
        worst = next(move for move in prediction.moves if not right[move])
    return _Answer(
        right=float(local[right].sum()),
        wrong=max(float(local[worst]), 0.0),
        wrong_move=worst,
        entropy=float(-(local * np.log(np.maximum(local, 1e-12))).sum()),
        near=inside / max(total, 1e-9),
        better=float((wrong > local[right].max()).sum()),
        prediction=prediction,
    )


def _policy_row(view: _View, answers: list[dict[int, _Answer]], sight: _Answer) -> dict[str, float]:
    row: dict[str, float] = {}
    first = answers[0]
    for rank, answer in (*first.items(), ("strong", sight)):
        row |= {
            f"first_{rank}": _log(answer.right),
            f"odds_{rank}": _log(answer.right) - _log(answer.wrong),
            f"better_{rank}": np.log1p(answer.better),
            f"entropy_{rank}": answer.entropy,
            f"near_{rank}": answer.near,
        }
    for rank in LATER_RANKS:
        logs = [_log(answer[rank].right) for answer in answers[1:]]
        row |= {
            f"line_{rank}": _line(view, answers, rank),
            f"later_min_{rank}": min(logs, default=0.0),
            f"later_mean_{rank}": float(np.mean(logs)) if logs else 0.0,
            f"later_better_{rank}": np.log1p(max((a[rank].better for a in answers[1:]), default=0.0)),
        }
    low, high = FIRST_RANKS[0], FIRST_RANKS[-1]
    row["first_rise"] = _log(first[high].right) - _log(first[low].right)
    row["line_rise"] = row[f"line_{LATER_RANKS[1]}"] - row[f"line_{LATER_RANKS[0]}"]
    return row


def _line(view: _View, answers: list[dict[int, _Answer]], rank: int) -> float:
    """The logarithm of the chance to play right to the end against the replies that are hardest to answer.

    Positions that were not predicted count as solved.
    """
    solved = [max(answer[rank].right, _LEAST) for answer in answers]
    hardest = [1.0] * len(solved)
    for number in reversed(range(1, len(solved))):  # a position stands behind the one that it follows
        before = view.nodes[number].before
        hardest[before] = min(hardest[before], solved[number] * hardest[number])
    return _log(solved[0] * hardest[0])


def _log(share: float) -> float:
    return float(np.log(max(share, _LEAST)))


def _ownership_row(view: _View, before: Prediction, after: list[Prediction]) -> dict[str, float]:
    """Who owns the points of the problem, for the solver from 1 to -1: before, after the right move and after
    the likeliest wrong one."""
    stones = view.board.ravel() != 0
    here = stones | view.near

    def owned(prediction: Prediction, sign: int) -> Array:
        if prediction.ownership is None:
            return np.zeros(len(stones))
        return sign * prediction.ownership.astype(np.float64)

    now, right, wrong = owned(before, 1), owned(after[0], -1), owned(after[1], -1)
    return {
        "unsettled": float((1 - np.abs(now[stones])).mean()),
        "gain_right": float((right - now)[here].sum()) / 10,
        "gain_over_wrong": float((right - wrong)[here].sum()) / 10,
        "largest_gain": float(np.abs((right - wrong)[stones]).max()),
        "unsettled_after": float((1 - np.abs(right[stones])).mean()),
        "own_after": float(right[stones].mean()),
        "reply_entropy": _entropy(after[0]),
    }


def _entropy(prediction: Prediction) -> float:
    shares = prediction.probabilities.astype(np.float64)
    return float(-(shares * np.log(np.maximum(shares, 1e-12))).sum())


def _tactics_row(view: _View, after: list[GoState]) -> dict[str, float]:
    """What ladders and random playouts show of the right move."""
    state = view.problem.state
    planes = np.asarray(GoStates([state]).encode("katago", 1))
    ladders = planes.reshape(-1, *planes.shape[-2:])[_LADDER_MOVES]
    size = state.size
    right = view.nodes[0].steps[0].move
    begins = right < size * size and bool(ladders[right // size, right % size])
    sign = 1 if state.to_move == 0 else -1
    stones = view.board.ravel() != 0
    owners = [sign * np.array(place.playout_ownership(_PLAYOUTS, seed=1)) for place in (state, *after)]
    return {
        "ladder": float(begins),
        "ladders": float(np.count_nonzero(ladders) > 0),
        "playout_gain": float((owners[1] - owners[0])[stones].sum()) / 10,
        "playout_over_wrong": float((owners[1] - owners[2])[stones].sum()) / 10,
        "playout_unsettled": float((1 - np.abs(owners[0][stones])).mean()),
    }


# What the position and the right lines are.


def _shape_features(view: _View) -> dict[str, float]:
    board, size = view.board, view.problem.state.size
    right = view.nodes[0].steps[0].move
    own, other = int((board == 1).sum()), int((board == -1).sum())
    rows, columns = np.nonzero(board)
    row = {
        "stones": np.log(own + other),
        "own_share": own / (own + other),
        "points_near": np.log1p(float(view.near.sum())),
        "width": float(columns.max() - columns.min() + 1),
        "height": float(rows.max() - rows.min() + 1),
        "own_inside": _mean_line(board, 1) - _mean_line(board, -1),
        "small_board": float(size < 19),
    }
    return row | _move_features(board, right)


def _mean_line(board: Board, color: int) -> float:
    """How far from the edge the stones of a color are on average."""
    places = np.argwhere(board == color)
    if not len(places):
        return 0.0
    return float(np.minimum(places, len(board) - 1 - places).min(axis=1).mean())


def _move_features(board: Board, move: Move) -> dict[str, float]:
    """The place and the kind of the first right move."""
    size = len(board)
    if move >= size * size:
        return dict.fromkeys(_MOVE_FEATURES, 0.0)
    place = (move // size, move % size)
    beside = [board[spot] for spot in _beside(place, size)]
    own_groups = {min(group): libs for group, libs in _groups_beside(board, place, 1)}
    other_groups = {min(group): libs for group, libs in _groups_beside(board, place, -1)}
    captured = sum(len(group) for group, libs in _groups_beside(board, place, -1) if libs == {place})
    after = board.copy()
    after[place] = 1
    for group, libs in _groups_beside(board, place, -1):
        if libs == {place}:
            after[tuple(np.array(group).T)] = 0
    group, liberties = _group(after, place)
    edges = sorted(min(along, size - 1 - along) for along in place)
    values = (
        float(min(edges[0], 4)),
        float(min(edges[1], 6)),
        float(edges[0] == 0),
        float(edges[0] <= 1 and edges[1] <= 1),
        float(captured > 0),
        float(len(liberties) == 1 and len(group) == 1),
        float(len(liberties) == 1 and len(group) > 1),
        float(min(len(liberties), 5)),
        float(any(len(libs) == 2 for libs in other_groups.values())),
        float(any(len(libs) == 1 for libs in own_groups.values())),
        float(beside.count(1)),
        float(beside.count(-1)),
        float(len(own_groups) > 1),
        float(_is_empty_triangle(board, place)),
    )
    return dict(zip(_MOVE_FEATURES, values, strict=True))


_MOVE_FEATURES = (
    "line", "other_line", "first_line", "corner", "captures", "throw_in", "self_atari", "liberties", "atari",
    "saves", "own_beside", "other_beside", "connects", "empty_triangle",
)  # fmt: skip


def _beside(place: tuple[int, int], size: int) -> list[tuple[int, int]]:
    row, column = place
    around = ((row - 1, column), (row + 1, column), (row, column - 1), (row, column + 1))
    return [(y, x) for y, x in around if 0 <= y < size and 0 <= x < size]


def _group(board: Board, place: tuple[int, int]) -> tuple[list[tuple[int, int]], set[tuple[int, int]]]:
    """The stones of a chain and its liberties."""
    color, stones, liberties, waiting = board[place], {place}, set[tuple[int, int]](), [place]
    while waiting:
        for spot in _beside(waiting.pop(), len(board)):
            if board[spot] == 0:
                liberties.add(spot)
            elif board[spot] == color and spot not in stones:
                stones.add(spot)
                waiting.append(spot)
    return sorted(stones), liberties


def _groups_beside(
    board: Board, place: tuple[int, int], color: int
) -> list[tuple[list[tuple[int, int]], set[tuple[int, int]]]]:
    """The chains of a color beside a point, each once."""
    chains: dict[tuple[int, int], tuple[list[tuple[int, int]], set[tuple[int, int]]]] = {}
    for spot in _beside(place, len(board)):
        if board[spot] == color:
            stones, liberties = _group(board, spot)
            chains[stones[0]] = stones, liberties
    return list(chains.values())


def _is_empty_triangle(board: Board, place: tuple[int, int]) -> bool:
    """Whether the move makes three stones of a square of four points of which the last is empty."""
    row, column = place
    for down in (-1, 1):
        for left in (-1, 1):
            y, x = row + down, column + left
            if 0 <= y < len(board) and 0 <= x < len(board):
                corners = sorted((board[y, column], board[row, x], board[y, x]))
                if corners == [0, 1, 1]:
                    return True
    return False


def _tree_features(view: _View) -> dict[str, float]:
    """The right lines: how long they are, and how many replies they answer."""
    first = view.nodes[0].steps
    longest = max(_length(step) for step in first)
    main, step = 0, first[0]
    while True:
        main += 1
        answers = [answer for reply in step.following[:1] for answer in reply.following if answer.right]
        if not answers:
            break
        step = answers[0]
    return {
        "depth": np.log(longest),
        "main_depth": np.log(main),
        "replies_first": np.log1p(float(len(first[0].following))),
        "positions": np.log(len(view.nodes)),
        "right_moves": np.log(len(first)),
    }


def _length(step: Step) -> int:
    """The solver's moves of the longest right line from a step on."""
    answers = [answer for reply in step.following for answer in reply.following if answer.right]
    return 1 + max((_length(answer) for answer in answers), default=0)
