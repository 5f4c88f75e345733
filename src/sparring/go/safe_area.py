"""Stones and points that are safe even if their owner always passes (Benson 1976, "Life in the game of Go").

A region is a maximal connected set of points without stones of a player. It is vital to a chain if all its
empty points are liberties of the chain. A set of chains is unconditionally alive if each has two vital
regions whose neighbouring chains are all in the set.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from sparring._core import GoState


def safe_area(state: GoState, player: int) -> set[int]:
    """The points of a player's unconditionally alive chains, and of the regions that are vital to them and
    that they alone enclose. The opponent cannot live there."""
    size, own = state.size, set(state.stones[player])
    empty = set(range(size * size)) - own - set(state.stones[1 - player])
    neighbours = neighbours_on(size)
    chains = _parts(own, neighbours)
    regions = _parts(set(range(size * size)) - own, neighbours)
    chain_of = {point: number for number, chain in enumerate(chains) for point in chain}
    around = [
        {chain_of[near] for point in region for near in neighbours[point] if near in own}
        for region in regions
    ]
    vital_to = [_vital_to(region & empty, chain_of, neighbours) for region in regions]
    alive, healthy = set(range(len(chains))), set(range(len(regions)))
    while True:
        healthy = {number for number in healthy if around[number] <= alive}
        kept = {chain for chain in alive if sum(chain in vital_to[number] for number in healthy) >= 2}
        if kept == alive:
            break
        alive = kept
    safe = {point for chain in alive for point in chains[chain]}
    for number in healthy:
        if vital_to[number] & alive:
            safe |= regions[number]
    return safe


def _vital_to(empty: set[int], chain_of: dict[int, int], neighbours: Sequence[Sequence[int]]) -> set[int]:
    """The chains of which all empty points of a region are liberties."""
    touching = [{chain_of[near] for near in neighbours[point] if near in chain_of} for point in empty]
    return set.intersection(*touching) if touching else set()


def _parts(points: set[int], neighbours: Sequence[Sequence[int]]) -> list[set[int]]:
    """The connected parts of a set of points."""
    parts, left = [], set(points)
    while left:
        part, border = set[int](), [left.pop()]
        while border:
            point = border.pop()
            part.add(point)
            for near in neighbours[point]:
                if near in left:
                    left.remove(near)
                    border.append(near)
        parts.append(part)
    return parts


@cache
def neighbours_on(size: int) -> tuple[tuple[int, ...], ...]:
    """The points next to each point of a board."""
    return tuple(_neighbours(point, size) for point in range(size * size))


def _neighbours(point: int, size: int) -> tuple[int, ...]:
    x, y = point % size, point // size
    near = ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1))
    return tuple(v * size + u for u, v in near if 0 <= u < size and 0 <= v < size)
