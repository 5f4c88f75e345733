"""The Game protocol: rules, notation, encoding and diagram of a game, the same methods for every game."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring._core import IllegalMove, ParseError
from sparring.games.diagrams import Diagram

__all__ = ["Game", "HiddenGame", "IllegalMove", "Move", "Outcome", "ParseError", "Spec"]

Move: TypeAlias = int
"""A move's code: an integer in [0, Spec.moves). Its meaning is private to the game."""


@dataclass(frozen=True)
class Spec:
    """Constants of a game."""

    name: str
    """The name on the command line and in files, such as "go"."""
    title: str
    """The name in texts, such as "Go"."""
    players: tuple[str, str]
    """The names of player 0, who moves first, and player 1."""
    moves: int
    """Number of move codes."""
    planes: tuple[str, ...]
    """A description of each plane of `Game.encode`."""
    board: tuple[int, int]
    """Rows and columns of the board and of each plane."""
    hidden: bool = False
    """Whether players see only the observations of `HiddenGame.observe`."""


class Outcome(Protocol):
    """The result of a finished game: `sparring._core.Outcome`, or `PythonOutcome` of games in Python."""

    @property
    def winner(self) -> int | None:
        """The winning player, 0 or 1; None for a draw."""

    @property
    def reason(self) -> str:
        """The rule that ended the game, such as 'checkmate'."""

    def score(self, side: int) -> float:
        """The score of player 0 or 1: 1 for a win, 0.5 for a draw, 0 for a loss."""


S = TypeVar("S")
O_co = TypeVar("O_co", covariant=True)


class Game(Protocol[S]):
    """The rules of a game. States are immutable, hashable values.

    States are equal when their texts are equal. A state also holds its history, which only the rules of
    repetition and superko use.
    """

    @property
    def spec(self) -> Spec:
        """Constants of the game."""

    def initial(self) -> S:
        """The initial state."""

    def to_move(self, state: S) -> int:
        """The player to move: 0 or 1."""

    def legal_moves(self, state: S) -> Sequence[Move]:
        """The legal moves in ascending order; empty exactly when the game is over."""

    def play(self, state: S, move: Move) -> S:
        """The state after a move. Raises IllegalMove."""

    def outcome(self, state: S) -> Outcome | None:
        """The result of a finished game; None if the game is not over."""

    def text(self, state: S) -> str:
        """The state as one line of text in the standard notation of the game, such as FEN."""

    def parse(self, text: str) -> S:
        """Parses the text of a state. Raises ParseError."""

    def move_text(self, state: S, move: Move) -> str:
        """A move as text in the standard notation of the game, such as UCI."""

    def parse_move(self, state: S, text: str) -> Move:
        """Parses a legal move. Raises ParseError or IllegalMove."""

    def encode(self, states: Sequence[S]) -> NDArray[np.float32]:
        """Input planes from the view of the player to move: [states, planes, rows, columns] in [0, 1]."""

    def diagram(self, state: S) -> Diagram:
        """The board to draw: as text by `str()`, as SVG by `_repr_svg_()`."""


class HiddenGame(Game[S], Protocol[S, O_co]):
    """A game of imperfect information: players see observations, not states."""

    def observe(self, state: S, player: int, move: Move) -> O_co:
        """The observation of `player` when `move` is played in `state`. Raises IllegalMove."""


# A position with its context: the state, the ratings of both players and the clock.


@dataclass(frozen=True)
class Position:
    """A state and the context in which a person moves. Policies and networks predict moves for it."""

    state: Any
    """A state of the game. Earlier states are found along its `previous`."""
    rating: int | None = None
    """Rating of the player to move, or None if unknown. In Go a rank as a number: 1 is 1d, -1 is 1k."""
    opponent_rating: int | None = None
    """Rating of the opponent, or None if unknown."""
    clock: float | None = None
    """Seconds that the player to move has left; None if unknown or untimed."""
    server: str | None = None
    """Name of the server whose ratings are meant, such as "kgs"; None for the network's own scale."""
