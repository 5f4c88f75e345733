"""States that know the rules: their protocol, the base of states in Python, and games made of them."""

from __future__ import annotations

import abc
import hashlib
import random
import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, Generic, Protocol, Self, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring.base.sentences import Sentence
from sparring.games.diagrams import diagram_svg, diagram_text
from sparring.games.game import IllegalMove, Move, Outcome, ParseError


class State(Protocol):
    """The members that all state classes of `sparring._core` and `PythonState` have. States are immutable."""

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

    def pack_moves(self, width: int) -> bytes:
        """The moves since the start of the line, each as its index among the legal moves, little-endian in
        `width` bytes. Raises IllegalMove if an index does not fit."""

    def perft(self, depth: int) -> int:
        """Number of move sequences of `depth` plies; draws by repetition or move count do not end one."""

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """Plays uniformly random moves to the end of the game, or `limit` plies. Returns the outcome (None
        if the limit was reached) and the number of plies. The same seed gives the same moves."""


@dataclass(frozen=True)
class PythonOutcome:
    """The result of a finished game in Python."""

    winner: int | None
    """The winning player, 0 or 1; None for a draw."""
    reason: str
    """The rule that ended the game, in a word or two."""

    def score(self, side: int) -> float:
        """The score of player 0 or 1: 1 for a win, 0.5 for a draw, 0 for a loss."""
        return 0.5 if self.winner is None else float(self.winner == side)


class PythonState(abc.ABC):
    """Base of states in Python. A subclass has the position's fields and implements the abstract methods.

    States with the same text are equal. The base keeps the line that led to a state, and packs its moves.
    """

    previous: Self | None = None
    last_move: Move | None = None
    ply: int = 0

    @property
    @abc.abstractmethod
    def to_move(self) -> int:
        """The player to move: 0 or 1."""

    @property
    @abc.abstractmethod
    def outcome(self) -> Outcome | None:
        """The result; None if the game is not over."""

    @abc.abstractmethod
    def legal_moves(self) -> list[Move]:
        """The legal moves in ascending order; empty exactly when the game is over."""

    @abc.abstractmethod
    def after(self, move: Move) -> Self:
        """A new state after a legal move."""

    @abc.abstractmethod
    def text(self) -> str:
        """The position as one line of text."""

    @classmethod
    @abc.abstractmethod
    def parse(cls, text: str) -> Self:
        """The state of a text. Raises ParseError."""

    @abc.abstractmethod
    def move_text(self, move: Move) -> str:
        """A move as text; `parse_move` reads it."""

    @abc.abstractmethod
    def parse_move(self, text: str) -> Move:
        """The move of a text. It need not be legal. Raises ParseError."""

    @classmethod
    @abc.abstractmethod
    def encode(cls, states: Sequence[Self]) -> NDArray[np.float32]:
        """Input planes from the view of the player to move: [states, planes, rows, columns] in [0, 1]."""

    def policy_label(self, move: Move) -> int:
        """The number of a legal move among the outputs of a network's policy, in the order of the game's
        `NetworkLayout`; by default the move itself."""
        return move

    def play(self, move: Move) -> Self:
        """The state after a move. Raises IllegalMove."""
        if move not in self.legal_moves():
            raise IllegalMove(f"move {move} is not legal here")
        state = self.after(move)
        for name, value in (("previous", self), ("last_move", move), ("ply", self.ply + 1)):
            object.__setattr__(state, name, value)  # the states of a game are frozen dataclasses
        return state

    @property
    def key(self) -> int:
        """A 64-bit hash key of the text."""
        return int.from_bytes(hashlib.blake2b(self.text().encode(), digest_size=8).digest(), "little")

    def perft(self, depth: int) -> int:
        """Number of move sequences of `depth` plies."""
        moves = self.legal_moves() if depth else []
        return 1 if not depth else sum(self.play(move).perft(depth - 1) for move in moves)

    def playout(self, seed: int, limit: int) -> tuple[Outcome | None, int]:
        """Plays uniformly random moves to the end of the game, or `limit` plies. Returns the outcome (None
        if the limit was reached) and the number of plies. The same seed gives the same moves."""
        rng, state = random.Random(seed), self
        for plies in range(limit):
            if not (moves := state.legal_moves()):
                return state.outcome, plies
            state = state.play(rng.choice(moves))
        return state.outcome, limit

    def pack_moves(self, width: int) -> bytes:
        """The moves since the start of the line, each as its index among the legal moves, little-endian in
        `width` bytes (1 or 2). Raises IllegalMove if an index does not fit."""
        try:
            return b"".join(
                bisect_left(before.legal_moves(), state.last_move or 0).to_bytes(width, "little")
                for before, state in pairwise(states_to(self))
            )
        except OverflowError as error:
            raise IllegalMove(f"a move's index does not fit in {width} bytes") from error

    def unpack_moves(self, packed: bytes, width: int) -> Self:
        """The state after moves that `pack_moves` packed with the same `width`. Raises ParseError or
        IllegalMove."""
        if len(packed) % width:
            raise ParseError(f"{len(packed)} bytes of moves, but a move has {width}")
        state = self
        for start in range(0, len(packed), width):
            index, moves = int.from_bytes(packed[start : start + width], "little"), state.legal_moves()
            if index >= len(moves):
                raise IllegalMove(f"move number {index} of {len(moves)}")
            state = state.play(moves[index])
        return state

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and other.text() == self.text()

    def __hash__(self) -> int:
        return hash(self.text())

    def __reduce__(self) -> tuple[Any, ...]:
        first, *later = states_to(self)
        return _replayed, (type(self), first.text(), [state.last_move for state in later])

    def __str__(self) -> str:
        return diagram_text(self)

    def _repr_svg_(self) -> str:
        return diagram_svg(self)


def _replayed(kind: type[PythonState], start: str, moves: Sequence[Move]) -> PythonState:
    state = kind.parse(start)
    for move in moves:
        state = state.play(move)
    return state


N = TypeVar("N", bound=State)


class StateGame(Generic[N]):
    """Implements `Game` by the methods of its states, in C++ or in Python (`PythonState`)."""

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
            raise not_legal(to_valid_utf8(text)[:80])
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


# The states that led to a state.


_N = TypeVar("_N", bound=State)


def states_to(state: _N) -> list[_N]:
    """The states of a game from its first one to this one, along `previous`."""
    states = [state]
    while (before := states[-1].previous) is not None:
        states.append(before)
    return states[::-1]


# Moves as people type them: move numbers, annotations and dashes that every game's parser removes.


_NUMBER = re.compile(r"^\d{1,3}\s*(?:\.(?:\s*\.\.)?|…)\s*(?=\S)")
_NUMBER_ALONE = re.compile(r"(?:\d{1,3})?(?:\.{1,3}|…)")
_RESULT = re.compile(r"1-0|0-1|1/2-1/2|½-½|\*")
_REMARK = re.compile(r"\s*[!?#†‡]+$")
_SIGNS = str.maketrans(dict.fromkeys("‐‑‒–—−", "-") | dict.fromkeys("×✕", "x"))


def strip_annotations(text: str) -> str:
    """A move without its number (`5. h3`, `5... h6`) and comment (`h3?!`), with plain dashes."""
    words = _NUMBER.sub("", text[:80].translate(_SIGNS).strip(), count=1)
    return _REMARK.sub("", words).strip()


def split_moves(text: str) -> list[str]:
    """The moves of a list, without move numbers that stand alone and without the result at the end."""
    words = [word for word in text.split() if not _NUMBER_ALONE.fullmatch(word)]
    return words[:-1] if words and _RESULT.fullmatch(words[-1].translate(_SIGNS)) else words


def ambiguous(text: str, names: Sequence[str]) -> IllegalMove:
    """The error for a text that several moves fit; the message lists them."""
    first, last = ", ".join(names[:-1]), names[-1]
    return IllegalMove(Sentence("{move} is ambiguous: {first} or {last}", move=text, first=first, last=last))


def not_legal(move: str, reason: str = "") -> IllegalMove:
    """The error for a move that is not legal, with the reason where it is known."""
    if not reason:
        return IllegalMove(Sentence("{move} is not legal here", move=move))
    return IllegalMove(Sentence("{move} is not legal here: {reason}", move=move, reason=reason))


def nothing_to_capture(square: str, move: str) -> IllegalMove:
    """The error for a capture on an empty square; `move` is the move without it."""
    return IllegalMove(
        Sentence("there is nothing to capture on {square}: write {move}", square=square, move=move)
    )
