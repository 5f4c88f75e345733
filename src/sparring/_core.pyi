"""Sparring's native core: rules, encoders and trees."""

from collections.abc import Sequence
from typing import Self

import numpy
import numpy.typing


class BadText(ValueError):
    pass

class IllegalMove(ValueError):
    pass

class Outcome:
    """How a game ended: a draw when nobody won."""

    @property
    def winner(self) -> int | None:
        """0 or 1, or None for a draw."""

    @property
    def reason(self) -> str: ...

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

class ChessState:
    """A chess position and the line that led to it."""

    @staticmethod
    def parse(text: str) -> ChessState:
        """The state that a text describes; raises BadText."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> ChessState:
        """The state after a move; raises IllegalMove."""

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises BadText."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[Self]) -> numpy.typing.NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> ChessState:
        """The state after the moves from a start."""

    @staticmethod
    def initial() -> ChessState: ...

    @property
    def in_check(self) -> bool: ...

    @property
    def halfmove_clock(self) -> int:
        """Plies since the last capture or pawn move."""

    @property
    def repetitions(self) -> int:
        """How often this position has come up in its line, now included."""

    @property
    def claimable_draw(self) -> Outcome | None:
        """
        The draw that the player to move may claim: 50 moves or the third repetition.
        """

class GoState:
    """A Go position with its rules and the line that led to it."""

    @staticmethod
    def parse(text: str) -> GoState:
        """The state that a text describes; raises BadText."""

    def text(self) -> str:
        """The state as text; parse reads it back."""

    @property
    def to_move(self) -> int:
        """0 for the first player, 1 for the second."""

    @property
    def ply(self) -> int:
        """Moves played since the start of the line."""

    @property
    def key(self) -> int:
        """A 64-bit key of what the repetition rule compares."""

    @property
    def outcome(self) -> Outcome | None:
        """How the game ended, or None while it goes on."""

    def legal_moves(self) -> list[int]:
        """The legal moves in ascending order; none when the game is over."""

    def play(self, move: int) -> GoState:
        """The state after a move; raises IllegalMove."""

    def move_text(self, move: int) -> str:
        """A move as text."""

    def parse_move(self, text: str) -> int:
        """The move that a text describes, legal or not; raises BadText."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move."""

    @property
    def last_move(self) -> int | None:
        """The move that led here."""

    def perft(self, depth: int) -> int:
        """The number of move sequences of this length, the past ignored."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """
        Random moves to the end or for `limit` plies: the outcome and the plies played.
        """

    @staticmethod
    def encode(states: Sequence[Self]) -> numpy.typing.NDArray[numpy.float32]:
        """
        Planes for a network, seen by the side to move: [states, planes, rows, columns], values in [0, 1].
        """

    def __eq__(self, other: object, /) -> bool: ...

    def __hash__(self) -> int: ...

    def __repr__(self) -> str: ...

    def __str__(self) -> str: ...

    def __getstate__(self) -> tuple[str, list[int]]: ...

    def __setstate__(self, arg: tuple[str, Sequence[int]], /) -> None: ...

    @staticmethod
    def replay(start: str, moves: Sequence[int]) -> GoState:
        """The state after the moves from a start."""

    @staticmethod
    def initial(size: int = 19, komi: float = 7.5, ko: str = 'positional', suicide: bool = False, scoring: str = 'area', handicap: int = 0) -> GoState:
        """The start of a game by these rules; raises BadText."""

    @property
    def size(self) -> int: ...

    @property
    def komi(self) -> float: ...

    @property
    def ko(self) -> str: ...

    @property
    def suicide(self) -> bool: ...

    @property
    def scoring(self) -> str: ...

    @property
    def stones(self) -> tuple[list[int], list[int]]:
        """The points of Black's and of White's stones."""

    @property
    def ko_point(self) -> int | None:
        """Where the player to move may not take a stone back at once."""

    @property
    def prisoners(self) -> tuple[int, int]:
        """
        The stones that Black and that White took, or that the other lost by suicide.
        """

    @property
    def passes(self) -> int:
        """Passes in a row; two end the game."""

    def score(self, dead: Sequence[int] = ()) -> tuple[float, float]:
        """
        Black's and White's points, komi included, if play stopped here. Chains with a stone on a dead point are taken off as prisoners; all others count as alive.
        """
