"""Hexapawn: pawns on a small board. Who reaches the far row wins; who cannot move loses.

A position is the rows from the top, W and B for pawns and dots for empty squares, and the player to move:
`BBB/.../WWW w`. A move is two squares, `b1b2`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Self

import numpy as np
from numpy.typing import NDArray

from sparring.games import GameDescription, Move, NetworkLayout, ParseError, Spec
from sparring.games.diagrams import Diagram, Piece
from sparring.games.states import PythonOutcome, PythonState, StateGame

PAWNS = "WB"
LARGEST = 8


@dataclass(frozen=True, eq=False)
class HexapawnState(PythonState):
    """A position. Squares are numbered by rows from White's side; a move is from * 64 + to."""

    size: int
    squares: str
    """The pawns, [size * size]: W, B or a dot."""
    to_move: int = 0

    @classmethod
    def initial(cls, size: int) -> Self:
        """The state with a row of pawns on each side."""
        return cls(size, "W" * size + "." * size * (size - 2) + "B" * size)

    @property
    def outcome(self) -> PythonOutcome | None:
        """A pawn on the far row, or no move left."""
        last = 1 - self.to_move
        far = self.squares[-self.size :] if last == 0 else self.squares[: self.size]
        if PAWNS[last] in far:
            return PythonOutcome(last, "far row")
        return None if next(self._moves(), None) is not None else PythonOutcome(last, "no move left")

    def legal_moves(self) -> list[Move]:
        """The legal moves in ascending order."""
        return sorted(self._moves()) if self.outcome is None else []

    def after(self, move: Move) -> Self:
        """The state after a legal move."""
        squares = list(self.squares)
        squares[move % 64], squares[move // 64] = squares[move // 64], "."
        return type(self)(self.size, "".join(squares), 1 - self.to_move)

    def text(self) -> str:
        """The position as text."""
        rows = [self.squares[row * self.size :][: self.size] for row in reversed(range(self.size))]
        return f"{'/'.join(rows)} {'wb'[self.to_move]}"

    @classmethod
    def parse(cls, text: str) -> Self:
        """The state of a text. Raises ParseError."""
        board, _, side = text.partition(" ")
        rows = board.split("/")
        size = len(rows)
        if side not in ("w", "b") or not 3 <= size <= LARGEST or any(len(row) != size for row in rows):
            raise ParseError(f"Hexapawn: a square board and w or b expected, got '{text[:80]}'")
        if not set(board) <= {"W", "B", ".", "/"}:
            raise ParseError(f"Hexapawn: W, B or . expected, got '{text[:80]}'")
        return cls(size, "".join(reversed(rows)), "wb".index(side))

    def move_text(self, move: Move) -> str:
        """The two squares."""
        return "".join(
            f"{chr(97 + square % self.size)}{square // self.size + 1}" for square in divmod(move, 64)
        )

    def parse_move(self, text: str) -> Move:
        """The move of two squares. Raises ParseError."""
        match = re.fullmatch(r"([a-h])([1-8])[x-]?([a-h])([1-8])", text.strip().lower())
        if match is None:
            raise ParseError(f"'{text[:80]}' is not two squares, such as b1b2")
        columns, rows = [ord(match[i]) - 97 for i in (1, 3)], [int(match[i]) - 1 for i in (2, 4)]
        if max(*columns, *rows) >= self.size:
            raise ParseError(f"'{text[:80]}' is not on the board")
        start, end = (row * self.size + column for row, column in zip(rows, columns, strict=True))
        return start * 64 + end

    @classmethod
    def encode(cls, states: Sequence[Self]) -> NDArray[np.float32]:
        """Own pawns and the other's, from the view of the player to move."""
        planes = [
            [[cell == PAWNS[player] for cell in state._seen()] for player in state._order()]
            for state in states
        ]
        size = states[0].size
        return np.array(planes, np.float32).reshape(len(states), 2, size, size)

    def policy_label(self, move: Move) -> int:
        """A plane of from-squares, as the player to move sees them, for a capture to the left, a step and a
        capture to the right."""
        start, end = divmod(move, 64)
        if self.to_move == 1:
            start, end = (self.size**2 - 1 - square for square in (start, end))
        return (end - start - self.size + 1) * self.size**2 + start

    def _seen(self) -> str:
        return self.squares if self.to_move == 0 else self.squares[::-1]

    def _order(self) -> tuple[int, int]:
        return self.to_move, 1 - self.to_move

    def _moves(self) -> Iterator[Move]:
        """Steps straight forward to an empty square, and diagonally onto a pawn of the other."""
        step = self.size if self.to_move == 0 else -self.size
        own, other = PAWNS[self.to_move], PAWNS[1 - self.to_move]
        for square, pawn in enumerate(self.squares):
            if pawn != own or not 0 <= square + step < len(self.squares):
                continue
            for side, wanted in ((-1, other), (0, "."), (1, other)):
                on_board = 0 <= square % self.size + side < self.size
                if on_board and self.squares[square + step + side] == wanted:
                    yield square * 64 + square + step + side


@dataclass(frozen=True)
class Hexapawn(StateGame[HexapawnState]):
    """Hexapawn. White is player 0."""

    size: int = 3
    """Rows and columns of the board, from 3 to 8."""

    state_type = HexapawnState

    def __post_init__(self) -> None:
        if not 3 <= self.size <= LARGEST:
            raise ParseError(f"Hexapawn is played on boards from 3 to {LARGEST}, not {self.size}")

    @classmethod
    def of(cls, state: HexapawnState) -> Self:
        """The game on the state's board."""
        return cls(state.size)

    @property
    def spec(self) -> Spec:
        """Constants of the game."""
        planes = ("own pawns", "other's pawns")
        return Spec("hexapawn", "Hexapawn", ("White", "Black"), 64 * 64, planes, (self.size, self.size))

    def initial(self) -> HexapawnState:
        """The initial state."""
        return HexapawnState.initial(self.size)

    def diagram(self, state: HexapawnState) -> Diagram:
        """The board, with the last move highlighted."""
        size, last = state.size, state.last_move
        moved = [] if last is None else [divmod(square, size) for square in divmod(last, 64)]
        return Diagram(
            cells=tuple(
                tuple(_piece(state.squares[row * size + column]) for column in range(size))
                for row in reversed(range(size))
            ),
            columns=tuple("abcdefgh"[:size]),
            rows=tuple(str(row + 1) for row in reversed(range(size))),
            style="checkered",
            highlights=frozenset((size - 1 - row, column) for row, column in moved),
        )


def _piece(pawn: str) -> Piece | None:
    return None if pawn == "." else Piece(pawn, PAWNS.index(pawn), shape="token", label="", glyph="♟")


def _layout(history: int) -> NetworkLayout:
    """The planes of `encode` and the labels of `policy_label`, on boards of any size."""
    return NetworkLayout(
        "planes", 2, LARGEST, LARGEST, "planes", 3 * LARGEST**2, history=(2, 2), any_board_size=True
    )


DESCRIPTION = GameDescription(
    name="hexapawn",
    load_rules=lambda: Hexapawn,
    how_to_move="Moves: the two squares, b1b2.",
    rules_summary=(
        "Each side has a row of pawns. A pawn moves one square straight forward to an empty square, or "
        "captures one square diagonally forward. Who reaches the far row wins; who cannot move loses."
    ),
    layout=_layout,
)
