"""Ladders, pass-alive groups and independent life by their definitions, with sets of points."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

Point = tuple[int, int]
Stones = dict[Point, int]


class ReferencePosition:
    """An immutable position: stones by point, 0 for Black and 1 for White."""

    def __init__(self, size: int, stones: Stones) -> None:
        self.size = size
        self.stones = stones

    @property
    def points(self) -> set[Point]:
        return {(x, y) for x in range(self.size) for y in range(self.size)}

    def around(self, point: Point) -> Iterator[Point]:
        x, y = point
        for x2, y2 in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
            if 0 <= x2 < self.size and 0 <= y2 < self.size:
                yield x2, y2

    def region(self, start: Point, inside: Callable[[Point], bool]) -> frozenset[Point]:
        found, waiting = {start}, [start]
        while waiting:
            for n in self.around(waiting.pop()):
                if n not in found and inside(n):
                    found.add(n)
                    waiting.append(n)
        return frozenset(found)

    def regions(self, inside: Callable[[Point], bool]) -> set[frozenset[Point]]:
        return {self.region(p, inside) for p in self.points if inside(p)}

    def chain(self, stone: Point) -> frozenset[Point]:
        return self.region(stone, lambda p: self.stones.get(p) == self.stones[stone])

    def beside(self, points: Iterable[Point]) -> set[Point]:
        inside = set(points)
        return {n for p in inside for n in self.around(p)} - inside

    def liberties(self, stone: Point) -> set[Point]:
        return {p for p in self.beside(self.chain(stone)) if p not in self.stones}

    def play(self, color: int, point: Point) -> tuple[ReferencePosition, Point | None] | None:
        """The position after a move and the ko point; None for suicide."""
        after = ReferencePosition(self.size, {**self.stones, point: color})
        taken: set[Point] = set()
        for n in self.around(point):
            if after.stones.get(n) == 1 - color and not after.liberties(n):
                taken |= after.chain(n)
        after = ReferencePosition(self.size, {p: c for p, c in after.stones.items() if p not in taken})
        if not after.liberties(point):
            return None
        alone = len(taken) == 1 and len(after.chain(point)) == 1 and len(after.liberties(point)) == 1
        return after, next(iter(taken)) if alone else None


def defender_loses(position: ReferencePosition, stone: Point, ko: Point | None) -> bool:
    own = position.liberties(stone)
    if len(own) >= 2 or ko is not None:
        return False
    enemies = {
        p
        for p in position.beside(position.chain(stone))
        if position.stones.get(p) == 1 - position.stones[stone]
    }
    captures = {
        p for enemy in enemies for p in position.liberties(enemy) if len(position.liberties(enemy)) == 1
    }
    for move in captures | own:
        after = position.play(position.stones[stone], move)
        if after is not None and not attacker_wins(after[0], stone, after[1]):
            return False
    return True


def attacker_wins(position: ReferencePosition, stone: Point, ko: Point | None) -> bool:
    own = position.liberties(stone)
    if len(own) != 2:
        return len(own) < 2
    if between_two_kos(position, stone):
        return True
    for move in own - {ko}:
        after = position.play(1 - position.stones[stone], move)
        if after is not None and defender_loses(after[0], stone, after[1]):
            return True
    return False


def between_two_kos(position: ReferencePosition, stone: Point) -> bool:
    """Whether both liberties are kos for the attacker, joining gains no liberty, and nothing can be
    captured."""
    color = position.stones[stone]
    for point in position.liberties(stone):
        if any(position.stones.get(n) != color for n in position.around(point)):
            return False
        in_atari = {position.chain(n) for n in position.around(point) if len(position.liberties(n)) == 1}
        if len(in_atari) != 1 or len(next(iter(in_atari))) != 1:
            return False
        joined = position.play(color, point)
        if joined is None or len(joined[0].liberties(point)) > 2:
            return False
    enemies = (p for p in position.beside(position.chain(stone)) if position.stones.get(p) == 1 - color)
    return all(len(position.liberties(p)) > 1 for p in enemies)


def ladders(position: ReferencePosition, ko: Point | None) -> tuple[set[Point], dict[Point, set[Point]]]:
    """Stones captured in ladders, and for chains with two liberties the capturing moves."""
    lost: set[Point] = set()
    working: dict[Point, set[Point]] = {}
    for stone, color in position.stones.items():
        own = position.liberties(stone)
        if len(own) == 1 and defender_loses(position, stone, None):
            lost.add(stone)
        if len(own) == 2:
            for move in own - {ko}:
                after = position.play(1 - color, move)
                if after is not None and defender_loses(after[0], stone, None):
                    working.setdefault(stone, set()).add(move)
                    lost.add(stone)
    return lost, working


def pass_alive(position: ReferencePosition, color: int, suicide: bool) -> tuple[set[Point], set[Point]]:
    """Pass-alive chains and their territory by Benson's algorithm."""
    stones = position.stones
    chains = {position.chain(p) for p, c in stones.items() if c == color}
    everything = position.regions(lambda p: stones.get(p) != color)
    regions = everything

    def vital(region: frozenset[Point], chain: frozenset[Point]) -> bool:
        counted = [p for p in region if suicide or p not in stones]
        return all(any(n in chain for n in position.around(p)) for p in counted)

    while True:
        living = {c for c in chains if sum(vital(r, c) for r in regions if r & position.beside(c)) >= 2}
        alive = set().union(*living)
        kept = {r for r in regions if all(p in alive for p in position.beside(r) if stones.get(p) == color)}
        if (living, kept) == (chains, regions):
            break
        chains, regions = living, kept
    alive = set().union(*chains)
    territory: set[Point] = set()
    for region in regions:
        internal = [p for p in region if not any(stones.get(n) == color for n in position.around(p))]
        if alive and (len(internal) <= 1 or not any(p in stones for p in region)):
            territory |= region
    return alive, territory


def area(position: ReferencePosition, suicide: bool) -> Stones:
    """KataGo's area: pass-alive areas, then empty regions with one bordering colour, then stones."""
    stones, owner = position.stones, Stones()
    for region in position.regions(lambda p: p not in stones):
        touched = {stones[p] for p in position.beside(region)}
        if len(touched) == 1:
            owner |= dict.fromkeys(region, touched.pop())
    owner |= stones
    for color in (0, 1):
        alive, territory = pass_alive(position, color, suicide)
        owner |= dict.fromkeys(alive | territory, color)
    return owner


def independent(position: ReferencePosition, owner: Stones) -> Stones:
    """The area of groups that touch no neutral point and have no stone in atari."""
    neutral = {p for p in position.points if p not in owner and p not in position.stones}
    result = Stones()
    for color in (0, 1):
        for group in position.regions(lambda p, color=color: owner.get(p) == color):  # type: ignore[misc]
            own_stones = {p for p in group if position.stones.get(p) == color}
            if not position.beside(group) & neutral and all(
                len(position.liberties(p)) > 1 for p in own_stones
            ):
                result |= dict.fromkeys(group, color)
    return result
