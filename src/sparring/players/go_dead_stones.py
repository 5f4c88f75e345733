"""Dead stones in Go: which stones people would take off the board at the end of the game."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.networks import Prediction

_PLAYOUTS = 400


def dead_stones(
    state: GoState, ownership: NDArray[np.float32] | None = None, playouts: int = _PLAYOUTS
) -> list[int]:
    """The points of all stones that are dead, ascending: those that the opponent will rather own.

    `ownership` is that of a network ([points], 1 for the player to move); without it random playouts
    estimate it. The same state gives the same stones.
    """
    if ownership is None:
        black = np.array(state.playout_ownership(playouts, state.key), np.float32)
    else:
        black = ownership if state.to_move == 0 else -ownership
    dead: list[int] = []
    for owner, chain in chains(state):
        own = float(black[chain].mean()) * (1 if owner == 0 else -1)
        if own < 0:
            dead += chain
    return sorted(dead)


def ownership_of(state: GoState, prediction: Prediction | None) -> NDArray[np.float32] | None:
    """The ownership of a prediction for the player to move, if it was made with the same stones."""
    if prediction is None or prediction.ownership is None or prediction.state.stones != state.stones:
        return None
    same_side = prediction.state.to_move == state.to_move
    return prediction.ownership if same_side else -prediction.ownership


def chains(state: GoState) -> list[tuple[int, list[int]]]:
    """The owner and the points of every chain."""
    size = state.size
    owners = {point: owner for owner, stones in enumerate(state.stones) for point in stones}
    found: list[tuple[int, list[int]]] = []
    seen: set[int] = set()
    for first, owner in owners.items():
        if first in seen:
            continue
        chain = [first]
        seen.add(first)
        for point in chain:  # grows
            x, y = point % size, point // size
            for near_x, near_y in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                near = near_y * size + near_x
                inside = 0 <= near_x < size and 0 <= near_y < size
                if inside and near not in seen and owners.get(near) == owner:
                    seen.add(near)
                    chain.append(near)
        found.append((owner, chain))
    return found


def wins_without_dead_stones(state: GoState, player: int, playouts: int = _PLAYOUTS) -> bool:
    """Whether a player's score is the higher one after dead stones are taken off."""
    points = state.score(dead_stones(state, playouts=playouts))
    return points[player] > points[1 - player]
