"""Rules for passing in Go.

A policy learned from people passes when people agree on dead stones. By the rules here two passes end the
game and every stone on the board counts as alive, while people and servers take dead stones off. A player
passes where it wins by both counts.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.networks import Prediction
from sparring.players.go_dead_stones import wins_without_dead_stones

_EMPTY, _EDGE = -1, -2
_RARE = 0.001
"""Probability below which a pass is not considered."""
_PLAYOUTS = 100


def apply_passing_rules(state: GoState, prediction: Prediction) -> NDArray[np.float64]:
    """Corrects the probabilities [moves] of a player's choice. The last move is the pass.

    - Own eyes are not filled. If nothing else is left, it passes. It also passes once the game is twice as
      long as the board has points, so that every game ends.
    - It does not pass while more than half of the board is empty. Later it passes only if the score already
      wins, both with all stones and without those that people would call dead, or if the score without dead
      stones loses, the pass is the policy's likeliest move and its value is not positive. In these cases it
      answers a pass with a pass.
    """
    shares: NDArray[np.float64] = prediction.probabilities.astype(np.float64)
    shares[np.isin(prediction.moves, own_eyes(state))] = 0
    # Where a pass is out of the question, dead stones need not be looked for.
    content = bool(state.passes or shares[-1] >= _RARE) and _is_content(state, prediction)
    if not shares[:-1].any() or state.ply >= 2 * state.size**2 or (state.passes and content):
        shares[:-1], shares[-1] = 0, 1
    elif not content:
        shares[-1] = 0
    shares /= shares.sum()
    return shares


def _is_content(state: GoState, prediction: Prediction) -> bool:
    """Whether ending the game here is good enough for the player to move."""
    if 2 * sum(map(len, state.stones)) < state.size**2:
        return False
    points, me = state.score(), state.to_move
    ahead = points[me] > points[1 - me]
    likeliest = int(np.argmax(prediction.probabilities)) == len(prediction.moves) - 1
    gives_up = likeliest and (prediction.value is None or prediction.value <= 0)
    if not ahead and not gives_up:
        return False
    if wins_without_dead_stones(state, me, _PLAYOUTS):
        return ahead  # if not, dead stones of the opponent are still to be captured
    return gives_up


def own_eyes(state: GoState) -> list[int]:
    """Eyes of the player to move: empty points with own stones on all sides, and with at most one opponent's
    stone on the diagonals, none at the edge."""
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
    """[steps, rows, columns]: the content of the point one step away from each point."""
    size = len(board) - 2
    return np.stack([board[1 + y : 1 + y + size, 1 + x : 1 + x + size] for y, x in steps])
