"""Games whose rules are in the native core: every one is a few lines over this."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring.games.game import IllegalMove, Move, Outcome, ParseError


class NativeState(Protocol):
    """What every state class of `sparring._core` offers."""

    @property
    def to_move(self) -> int: ...  # noqa: D102
    @property
    def ply(self) -> int: ...  # noqa: D102
    @property
    def key(self) -> int: ...  # noqa: D102
    @property
    def outcome(self) -> Outcome | None: ...  # noqa: D102
    @property
    def previous(self) -> Self | None: ...  # noqa: D102
    @property
    def last_move(self) -> Move | None: ...  # noqa: D102
    def legal_moves(self) -> list[Move]: ...  # noqa: D102
    def play(self, move: Move) -> Self: ...  # noqa: D102
    def text(self) -> str: ...  # noqa: D102
    def move_text(self, move: Move) -> str: ...  # noqa: D102
    def parse_move(self, text: str) -> Move: ...  # noqa: D102
    def perft(self, depth: int) -> int: ...  # noqa: D102
    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]: ...  # noqa: D102


N = TypeVar("N", bound=NativeState)


class NativeGame(Generic[N]):
    """The part of the Game seam that the native states answer by themselves."""

    state_type: type[N]

    @classmethod
    def of(cls, state: N) -> Self:
        """The game of a state; where states carry rules, with those."""
        return cls()

    def to_move(self, state: N) -> int:
        """Whose turn it is: 0 for the player who began, or 1."""
        return state.to_move

    def legal_moves(self, state: N) -> list[Move]:
        """The legal moves in ascending order; none exactly when the game is over."""
        return state.legal_moves()

    def play(self, state: N, move: Move) -> N:
        """The state after a move. Raises IllegalMove."""
        return state.play(move)

    def outcome(self, state: N) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        return state.outcome

    def text(self, state: N) -> str:
        """The state as one line of text."""
        return state.text()

    def parse(self, text: str) -> N:
        """The state that a text describes. Raises ParseError."""
        parsed: N = self.state_type.parse(to_valid_utf8(text))  # type: ignore[attr-defined]  # a static method, which Protocols cannot promise of type[N]
        return parsed

    def move_text(self, state: N, move: Move) -> str:
        """A move as text."""
        return state.move_text(move)

    def parse_move(self, state: N, text: str) -> Move:
        """The legal move that a text describes. Raises ParseError or IllegalMove."""
        move = state.parse_move(to_valid_utf8(text))
        if move not in state.legal_moves():
            raise IllegalMove(f"{to_valid_utf8(text)} is not legal here: {state.text()}")
        return move

    def encode(self, states: Sequence[N]) -> NDArray[np.float32]:
        """Planes for a network: [states, planes, rows, columns] in [0, 1]."""
        encoded: NDArray[np.float32] = self.state_type.encode(states)  # type: ignore[attr-defined]  # as in parse
        return encoded


def to_valid_utf8(text: str) -> str:
    """The text as the core takes it: UTF-8, so lone surrogates become question marks."""
    if not isinstance(text, str):
        raise ParseError(f"text expected, got {type(text).__name__}")
    return text.encode(errors="replace").decode()
