"""NativeGame: the base of games whose rules are implemented in the native core."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring.games.game import IllegalMove, Move, Outcome, ParseError


class NativeState(Protocol):
    """The members that all state classes of `sparring._core` have. States are immutable."""

    @property
    def to_move(self) -> int:
        """The player to move: 0 or 1."""

    @property
    def ply(self) -> int:
        """Number of moves since the first state of the line."""

    @property
    def key(self) -> int:
        """A 64-bit hash key. Positions that the repetition rule treats as equal have equal keys."""

    @property
    def outcome(self) -> Outcome | None:
        """The result; None if the game is not over."""

    @property
    def previous(self) -> Self | None:
        """The state before the last move; None for the first state of the line."""

    @property
    def last_move(self) -> Move | None:
        """The move that led here; None for the first state of the line."""

    def legal_moves(self) -> list[Move]:
        """The legal moves in ascending order; empty exactly when the game is over."""

    def play(self, move: Move) -> Self:
        """The state after a move. Raises IllegalMove."""

    def text(self) -> str:
        """The position as one line of text, such as FEN."""

    def move_text(self, move: Move) -> str:
        """A move as text, such as UCI; `parse_move` reads it."""

    def parse_move(self, text: str) -> Move:
        """The move of a text. It need not be legal. Raises ParseError."""

    def perft(self, depth: int) -> int:
        """Number of move sequences of `depth` plies; draws by repetition or move count do not end one."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """Plays uniformly random moves to the end of the game, or `limit` plies. Returns the outcome (None
        if the limit was reached) and the number of plies. The same seed gives the same moves."""


N = TypeVar("N", bound=NativeState)


class NativeGame(Generic[N]):
    """Implements `Game` by the methods of the native state."""

    state_type: type[N]

    @classmethod
    def of(cls, state: N) -> Self:
        """The game of a state, with the rule options that the state carries."""
        return cls()

    def to_move(self, state: N) -> int:
        """The player to move: 0 or 1."""
        return state.to_move

    def legal_moves(self, state: N) -> list[Move]:
        """The legal moves in ascending order; empty exactly when the game is over."""
        return state.legal_moves()

    def play(self, state: N, move: Move) -> N:
        """The state after a move. Raises IllegalMove."""
        return state.play(move)

    def outcome(self, state: N) -> Outcome | None:
        """The result of a finished game; None if the game is not over."""
        return state.outcome

    def text(self, state: N) -> str:
        """The state as one line of text."""
        return state.text()

    def parse(self, text: str) -> N:
        """Parses the text of a state. Raises ParseError."""
        parsed: N = self.state_type.parse(to_valid_utf8(text))  # type: ignore[attr-defined]  # a static method, which Protocols cannot promise of type[N]
        return parsed

    def move_text(self, state: N, move: Move) -> str:
        """A move as text."""
        return state.move_text(move)

    def parse_move(self, state: N, text: str) -> Move:
        """Parses a legal move. Raises ParseError or IllegalMove."""
        move = state.parse_move(to_valid_utf8(text))
        if move not in state.legal_moves():
            raise IllegalMove(f"{to_valid_utf8(text)[:80]} is not legal here")
        return move

    def encode(self, states: Sequence[N]) -> NDArray[np.float32]:
        """Input planes: [states, planes, rows, columns] in [0, 1]."""
        encoded: NDArray[np.float32] = self.state_type.encode(states)  # type: ignore[attr-defined]  # as in parse
        return encoded


def to_valid_utf8(text: str) -> str:
    """Replaces lone surrogates, which the core does not accept, by question marks. Raises ParseError if
    `text` is not a string."""
    if not isinstance(text, str):
        raise ParseError(f"text expected, got {type(text).__name__}")
    return text.encode(errors="replace").decode()
