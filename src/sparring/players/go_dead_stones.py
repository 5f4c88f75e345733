"""Dead stones in Go: which stones people would take off the board at the end of the game."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.networks import Prediction

Chain: TypeAlias = tuple[int, list[int]]
"""The owner and the points of a chain."""
_PLAYOUTS = 400


def dead_stones(
    state: GoState, ownership: NDArray[np.float32] | None = None, playouts: int = _PLAYOUTS
) -> list[int]:
    """The points of all stones that are dead, ascending: those that the opponent will rather own.

    `ownership` is that of a network ([points], 1 for the player to move); without it random playouts
    estimate it. Stones in seki are alive. The same state gives the same stones.
    """
    if ownership is None:
        black = np.array(state.playout_ownership(playouts, state.key), np.float32)
    else:
        black = ownership if state.to_move == 0 else -ownership
    alive: list[Chain] = []
    dead: list[Chain] = []
    for owner, chain in chains(state):
        own = float(black[chain].mean()) * (1 if owner == 0 else -1)
        (dead if own < 0 else alive).append((owner, chain))
    if ownership is None:  # playouts fill the shared liberties, and one side captures the other
        dead = [each for each in dead if not _in_seki(state, each, alive)]
    return sorted(point for _, chain in dead for point in chain)


def _in_seki(state: GoState, own: Chain, alive: list[Chain]) -> bool:
    """Whether a chain and one of the opponent share liberties that neither can fill.

    This is Müller's simplest case of a capturing race (1999, "Race to capture"): both have no eye and at
    least two shared liberties, or one eye of a point each and at least one; neither has other liberties. The
    opponent's chain must touch a living chain, or it could be the inside of a dead shape.
    """
    for enemy in alive:
        if enemy[0] == own[0] or not any(_touch(state, enemy, each) for each in alive if each[0] == own[0]):
            continue
        ours, theirs = _liberties(state, own), _liberties(state, enemy)
        shared = ours & theirs
        eyes = [
            _are_eyes(state, liberties - shared, chain)
            for liberties, chain in ((ours, own[1]), (theirs, enemy[1]))
        ]
        if None not in eyes and eyes[0] == eyes[1] and len(shared) >= 2 - (eyes[0] or 0) > 0:
            return True
    return False


def _are_eyes(state: GoState, points: set[int], chain: list[int]) -> int | None:
    """The number of points if each is an eye of one point inside the chain; None if not."""
    inside = all(set(_neighbours(point, state.size)) <= set(chain) for point in points)
    return len(points) if inside else None


def _touch(state: GoState, one: Chain, other: Chain) -> bool:
    return not _adjacent(state, one).isdisjoint(other[1])


def _liberties(state: GoState, chain: Chain) -> set[int]:
    return _adjacent(state, chain) - {point for stones in state.stones for point in stones}


def _adjacent(state: GoState, chain: Chain) -> set[int]:
    return {near for point in chain[1] for near in _neighbours(point, state.size)} - set(chain[1])


def _neighbours(point: int, size: int) -> list[int]:
    x, y = point % size, point // size
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return [v * size + u for u, v in near if 0 <= u < size and 0 <= v < size]


def ownership_of(state: GoState, prediction: Prediction | None) -> NDArray[np.float32] | None:
    """The ownership of a prediction for the player to move, if it was made with the same stones."""
    if prediction is None or prediction.ownership is None or prediction.state.stones != state.stones:
        return None
    same_side = prediction.state.to_move == state.to_move
    return prediction.ownership if same_side else -prediction.ownership


def chains(state: GoState) -> list[Chain]:
    """Every chain."""
    owners = {point: owner for owner, stones in enumerate(state.stones) for point in stones}
    found: list[Chain] = []
    seen: set[int] = set()
    for first, owner in owners.items():
        if first in seen:
            continue
        chain = [first]
        seen.add(first)
        for point in chain:  # grows
            for near in _neighbours(point, state.size):
                if near not in seen and owners.get(near) == owner:
                    seen.add(near)
                    chain.append(near)
        found.append((owner, chain))
    return found


def wins_without_dead_stones(state: GoState, player: int, playouts: int = _PLAYOUTS) -> bool:
    """Whether a player's score is the higher one after dead stones are taken off."""
    points = state.score(dead_stones(state, playouts=playouts))
    return points[player] > points[1 - player]
