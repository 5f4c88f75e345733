"""Expendibots in plain Python, straight from the rules: the native core's peer in tests and benchmarks.

The board is a dictionary from (x, y) to the height of the stack there, below zero for Black's.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

Point = tuple[int, int]
Action = tuple[str, Point] | tuple[str, int, Point, Point]
Board = dict[Point, int]

WHITE, BLACK = 1, -1
DIRECTIONS = ((1, 0), (0, 1), (-1, 0), (0, -1))
NEIGHBOURS = tuple((dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy)
COLUMNS = (0, 1, 3, 4, 6, 7)
START: Board = {
    (x, y): colour for colour, rows in ((WHITE, (0, 1)), (BLACK, (6, 7))) for y in rows for x in COLUMNS
}


def targets(board: Board, colour: int, at: Point, height: int) -> Iterator[Point]:
    """Where tokens of the stack may go: straight, as far as it is high, onto nothing of the other's."""
    x, y = at
    for dx, dy in DIRECTIONS:
        for distance in range(1, height + 1):
            to = x + dx * distance, y + dy * distance
            if not (0 <= to[0] < 8 and 0 <= to[1] < 8):
                break
            if board.get(to, 0) * colour >= 0:
                yield to


def actions(board: Board, colour: int) -> list[Action]:
    """All actions of a side, as the referee's tuples; none once a side has no tokens."""
    if winner_or_draw(board) is not None:
        return []
    result: list[Action] = []
    for at, signed in board.items():
        height = signed * colour
        if height > 0:
            result.append(("BOOM", at))
            for to in targets(board, colour, at, height):
                result.extend(("MOVE", tokens, at, to) for tokens in range(1, height + 1))
    return result


def count(board: Board, colour: int) -> int:
    """How many actions there are, without making them."""
    if winner_or_draw(board) is not None:
        return 0
    total = 0
    for at, signed in board.items():
        height = signed * colour
        if height > 0:
            total += 1 + height * sum(1 for _ in targets(board, colour, at, height))
    return total


def play(board: Board, colour: int, action: Action) -> Board:
    """The board after an action."""
    after = dict(board)
    if len(action) == 2:
        explode(after, action[1])
        return after
    _, tokens, at, to = action
    after[at] -= tokens * colour
    if after[at] == 0:
        del after[at]
    after[to] = after.get(to, 0) + tokens * colour
    return after


def explode(board: Board, at: Point) -> None:
    """Removes the stack and, one after the other, every stack next to one that has gone."""
    del board[at]
    waiting = [at]
    while waiting:
        x, y = waiting.pop()
        for dx, dy in NEIGHBOURS:
            neighbour = x + dx, y + dy
            if neighbour in board:
                del board[neighbour]
                waiting.append(neighbour)


def winner_or_draw(board: Board) -> int | None:
    """The colour that alone has tokens, 0 when nobody has, None when both do."""
    colours = {height > 0 for height in board.values()}
    if len(colours) == 2:
        return None
    return 0 if not colours else WHITE if colours.pop() else BLACK


def perft(board: Board, colour: int, depth: int) -> int:
    """The number of sequences of actions of this length; the last action is counted, not played."""
    if depth == 1:
        return count(board, colour)
    return sum(perft(play(board, colour, action), -colour, depth - 1) for action in actions(board, colour))


class ReferenceGame:
    """A game in progress: what the referee keeps, and its reasons to stop."""

    def __init__(self, board: Board = START, colour: int = WHITE) -> None:
        self.board = dict(board)
        self.colour = colour
        self.taken = 0
        self.seen = Counter([self._configuration()])

    def actions(self) -> list[Action]:
        """What the side to move may do; nothing once the game is over."""
        return [] if self.outcome() else actions(self.board, self.colour)

    def play(self, action: Action) -> None:
        """Take an action for the side to move."""
        self.board = play(self.board, self.colour, action)
        self.colour = -self.colour
        self.taken += 1
        self.seen[self._configuration()] += 1

    def outcome(self) -> tuple[int | None, str] | None:
        """The winner (0 is White, 1 Black, None nobody) and the reason, or None while the game goes on."""
        decided = winner_or_draw(self.board)
        if decided is not None:
            return (None, "all tokens gone") if decided == 0 else ((1 - decided) // 2, "no tokens")
        if self.seen[self._configuration()] >= 4:
            return None, "repetition"
        if self.taken >= 500:
            return None, "move limit"
        return None

    def text(self) -> str:
        """The position as the native core writes it."""
        rows = ["".join(self._letter(x, y) for x in range(8)) for y in reversed(range(8))]
        board = "/".join(rows)
        for run in range(8, 0, -1):
            board = board.replace("." * run, str(run))
        return f"{board} {'w' if self.colour == WHITE else 'b'} {self.taken}"

    def _letter(self, x: int, y: int) -> str:
        height = self.board.get((x, y), 0)
        return "." if not height else " ABCDEFGHIJKL"[height] if height > 0 else " abcdefghijkl"[-height]

    def _configuration(self) -> tuple[frozenset[tuple[Point, int]], int]:
        return frozenset(self.board.items()), self.colour
