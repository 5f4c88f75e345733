"""Expendibots in plain Python, from the rules: the reference of the native core in tests and benchmarks.

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
    """The targets of a move from a stack: in a straight line, at most its height away, not on an enemy."""
    x, y = at
    for dx, dy in DIRECTIONS:
        for distance in range(1, height + 1):
            to = x + dx * distance, y + dy * distance
            if not (0 <= to[0] < 8 and 0 <= to[1] < 8):
                break
            if board.get(to, 0) * colour >= 0:
                yield to


def actions(board: Board, colour: int) -> list[Action]:
    """All legal actions of a side, as the referee's tuples; none if a side has no tokens."""
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
    """The number of legal actions."""
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
    """Removes the stack and, in a chain reaction, every stack next to a removed one."""
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
    """The only colour with tokens; 0 if neither has any, None if both have."""
    colours = {height > 0 for height in board.values()}
    if len(colours) == 2:
        return None
    return 0 if not colours else WHITE if colours.pop() else BLACK


def perft(board: Board, colour: int, depth: int) -> int:
    """The number of action sequences of a length, with bulk counting."""
    if depth == 1:
        return count(board, colour)
    return sum(perft(play(board, colour, action), -colour, depth - 1) for action in actions(board, colour))


class ReferenceGame:
    """A game in progress, with the referee's state and end conditions."""

    def __init__(self, board: Board = START, colour: int = WHITE) -> None:
        self.board = dict(board)
        self.colour = colour
        self.taken = 0
        self.seen = Counter([self._configuration()])

    def actions(self) -> list[Action]:
        """The legal actions of the side to move; none if the game is over."""
        return [] if self.outcome() else actions(self.board, self.colour)

    def play(self, action: Action) -> None:
        """Plays an action of the side to move."""
        self.board = play(self.board, self.colour, action)
        self.colour = -self.colour
        self.taken += 1
        self.seen[self._configuration()] += 1

    def outcome(self) -> tuple[int | None, str] | None:
        """(winner, reason), the winner 0 for White, 1 for Black or None for a draw; None if the game is not
        over."""
        decided = winner_or_draw(self.board)
        if decided is not None:
            return (None, "all tokens gone") if decided == 0 else ((1 - decided) // 2, "no tokens")
        if self.seen[self._configuration()] >= 4:
            return None, "repetition"
        if self.taken >= 500:
            return None, "move limit"
        return None

    def text(self) -> str:
        """The position in the native core's text format."""
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
