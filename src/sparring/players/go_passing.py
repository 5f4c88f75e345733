"""How a game of Go comes to its end.

A policy learned from people knows when people pass, but not what the rules make of it: here two passes end
the game, and every stone on the board counts as alive.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.networks import Prediction

_EMPTY, _EDGE = -1, -2


def apply_passing_rules(state: GoState, prediction: Prediction) -> NDArray[np.float64]:
    """[moves]: the probabilities by which to play. The last of the moves is the pass.

    - Own eyes are not filled; where nothing else is left it passes, and so it does in a game that is twice
      as long as the board has points: every game ends.
    - It does not pass while more than half of the board is empty, nor later unless the score already wins, or
      a pass is what the policy expects most and it does not hope to win: stones that people would agree are
      dead count until they are taken. If so, it answers a pass by a pass.
    """
    shares: NDArray[np.float64] = prediction.probabilities.astype(np.float64)
    shares[np.isin(prediction.moves, own_eyes(state))] = 0
    content = _is_content(state, prediction)
    if not shares[:-1].any() or state.ply >= 2 * state.size**2 or (state.passes and content):
        shares[:-1], shares[-1] = 0, 1
    elif not content:
        shares[-1] = 0
    shares /= shares.sum()
    return shares


def _is_content(state: GoState, prediction: Prediction) -> bool:
    """Whether the game might as well end here."""
    if 2 * sum(map(len, state.stones)) < state.size**2:
        return False
    points, me = state.score(), state.to_move
    if points[me] > points[1 - me]:
        return True
    hopeful = prediction.value is not None and prediction.value > 0
    return not hopeful and int(np.argmax(prediction.probabilities)) == len(prediction.moves) - 1


def own_eyes(state: GoState) -> list[int]:
    """The empty points that the player to move had better keep: own stones on all sides, and no more than one
    corner, none at the edge, with the opponent."""
    size, me = state.size, state.to_move
    board = np.full((size + 2, size + 2), _EDGE)
    board[1:-1, 1:-1] = _EMPTY
    for owner, stones in enumerate(state.stones):
        board[np.array(stones, int) // size + 1, np.array(stones, int) % size + 1] = owner
    sides = _around(board, ((-1, 0), (1, 0), (0, -1), (0, 1)))
    corners = _around(board, ((-1, -1), (-1, 1), (1, -1), (1, 1)))
    walled = ((sides == me) | (sides == _EDGE)).all(axis=0)
    at_edge = (corners == _EDGE).any(axis=0)
    real = (corners == 1 - me).sum(axis=0) <= np.where(at_edge, 0, 1)
    return [int(p) for p in np.flatnonzero((board[1:-1, 1:-1] == _EMPTY) & walled & real)]


def _around(board: NDArray[np.int64], steps: Sequence[tuple[int, int]]) -> NDArray[np.int64]:
    """[steps, rows, columns]: what stands a step away from each point."""
    size = len(board) - 2
    return np.stack([board[1 + y : 1 + y + size, 1 + x : 1 + x + size] for y, x in steps])
