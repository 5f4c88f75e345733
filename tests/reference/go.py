"""Go in plain Python with sets and flood fill: the reference of the native rules."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cache

Point = tuple[int, int]
Stones = dict[Point, int]
Board = frozenset[tuple[Point, int]]


@cache
def neighbours(point: Point, size: int) -> list[Point]:
    x, y = point
    around = [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
    return [(a, b) for a, b in around if 0 <= a < size and 0 <= b < size]


def chain(stones: Stones, start: Point, size: int) -> set[Point]:
    """The stones connected with `start`, or the empty points if it is empty."""
    kind, found, frontier = stones.get(start), {start}, [start]
    while frontier:
        for n in neighbours(frontier.pop(), size):
            if n not in found and stones.get(n) == kind:
                found.add(n)
                frontier.append(n)
    return found


def has_liberty(stones: Stones, group: set[Point], size: int) -> bool:
    return any(n not in stones for point in group for n in neighbours(point, size))


@dataclass
class ReferenceGoGame:
    """A game in progress. A move is a point, or None for a pass."""

    size: int
    ko: str = "positional"
    suicide: bool = False
    scoring: str = "area"
    komi: float = 7.5
    stones: Stones = field(default_factory=dict)
    to_move: int = 0
    passes: int = 0
    prisoners: list[int] = field(default_factory=lambda: [0, 0])
    line: list[tuple[Board, int]] = field(default_factory=list)
    """Earlier boards with the side to move."""

    def after(self, point: Point) -> tuple[Stones, list[int]]:
        """The stones after a stone on the point, and the prisoners that both players gain by it."""
        stones, gained = {**self.stones, point: self.to_move}, [0, 0]
        for n in neighbours(point, self.size):
            if stones.get(n) == 1 - self.to_move:
                group = chain(stones, n, self.size)
                if not has_liberty(stones, group, self.size):
                    gained[self.to_move] += len(group)
                    stones = {p: c for p, c in stones.items() if p not in group}
        own = chain(stones, point, self.size)
        if not has_liberty(stones, own, self.size):
            gained[1 - self.to_move] += len(own)
            stones = {p: c for p, c in stones.items() if p not in own}
        return stones, gained

    def is_legal(self, point: Point, with_past: bool = True) -> bool:
        if point in self.stones:
            return False
        stones, gained = self.after(point)
        if gained[1 - self.to_move] and (not self.suicide or stones == self.stones):
            return False
        board = frozenset(stones.items())
        if self.line and board == self.line[-1][0]:  # at once: every ko rule forbids it
            return False
        if self.ko == "simple" or not with_past:
            return True
        past = [*self.line, (frozenset(self.stones.items()), self.to_move)]
        if self.ko == "situational":
            return (board, 1 - self.to_move) not in past
        return all(board != earlier for earlier, _ in past)

    def legal_points(self, with_past: bool = True) -> set[Point]:
        if self.passes >= 2:
            return set()
        points = [(x, y) for x in range(self.size) for y in range(self.size)]
        return {point for point in points if self.is_legal(point, with_past)}

    def play(self, point: Point | None) -> ReferenceGoGame:
        stones, gained = (self.stones, [0, 0]) if point is None else self.after(point)
        return ReferenceGoGame(
            self.size,
            self.ko,
            self.suicide,
            self.scoring,
            self.komi,
            stones,
            1 - self.to_move,
            self.passes + 1 if point is None else 0,
            [a + b for a, b in zip(self.prisoners, gained, strict=True)],
            [*self.line, (frozenset(self.stones.items()), self.to_move)],
        )

    def score(self, dead: Iterable[Point] = ()) -> tuple[float, float]:
        stones, prisoners = dict(self.stones), list(self.prisoners)
        for point in dead:
            for stone in chain(self.stones, point, self.size):
                if stone in stones:
                    prisoners[1 - stones.pop(stone)] += 1
        points = [0, 0]
        if self.scoring == "territory":
            points = prisoners
        else:
            for color in stones.values():
                points[color] += 1
        empty = {(x, y) for x in range(self.size) for y in range(self.size)} - stones.keys()
        while empty:
            region = chain(stones, next(iter(empty)), self.size)
            empty -= region
            owners = {stones[n] for p in region for n in neighbours(p, self.size) if n in stones}
            if len(owners) == 1:
                points[owners.pop()] += len(region)
        return points[0], points[1] + self.komi

    def perft(self, depth: int) -> int:
        """The number of move sequences; only simple ko is applied, as in the native perft."""
        if depth == 0:
            return 1
        if self.passes >= 2:
            return 0
        moves: list[Point | None] = [*self.legal_points(with_past=False), None]
        return sum(self.play(move).perft(depth - 1) for move in moves)
