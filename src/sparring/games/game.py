"""The Game seam: the small surface that everything above the rules is written against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol, TypeAlias, TypeVar

import numpy as np
from numpy.typing import NDArray

from sparring._core import IllegalMove, Outcome, ParseError
from sparring.games.diagrams import Diagram

__all__ = ["Game", "HiddenGame", "IllegalMove", "Move", "Outcome", "ParseError", "Spec"]

Move: TypeAlias = int
"""A move's code, from 0 to below `Spec.moves`. Only its game knows what it means."""


@dataclass(frozen=True)
class Spec:
    """What does not change from state to state."""

    name: str
    """The word for it on the command line."""
    title: str
    players: tuple[str, str]
    """The first player to move, and the other."""
    moves: int
    """Every move code is below this."""
    planes: tuple[str, ...]
    """What each plane of the encoding means."""
    board: tuple[int, int]
    """Rows and columns of the board and of each plane."""
    hidden: bool = False
    """Whether players see only what `HiddenGame.observe` tells them."""


S = TypeVar("S")
O_co = TypeVar("O_co", covariant=True)


class Game(Protocol[S]):
    """The rules of a game. States are immutable, hashable values.

    States are equal when their texts are equal. A state also remembers the line that led to it,
    which only rules about the past (repetition, superko) look at.
    """

    @property
    def spec(self) -> Spec:
        """What does not change from state to state."""
        ...

    def initial(self) -> S:
        """The state in which a game begins."""
        ...

    def to_move(self, state: S) -> int:
        """Whose turn it is: 0 for the player who began, or 1."""
        ...

    def legal_moves(self, state: S) -> Sequence[Move]:
        """The legal moves in ascending order; none exactly when the game is over."""
        ...

    def play(self, state: S, move: Move) -> S:
        """The state after a move. Raises IllegalMove."""
        ...

    def outcome(self, state: S) -> Outcome | None:
        """How the game ended, or None while it goes on."""
        ...

    def text(self, state: S) -> str:
        """The state as one line of text, in the field's own notation where there is one."""
        ...

    def parse(self, text: str) -> S:
        """The state that a text describes. Raises ParseError."""
        ...

    def move_text(self, state: S, move: Move) -> str:
        """A move as text, in the field's own notation."""
        ...

    def parse_move(self, state: S, text: str) -> Move:
        """The legal move that a text describes. Raises ParseError or IllegalMove."""
        ...

    def encode(self, states: Sequence[S]) -> NDArray[np.float32]:
        """Planes for a network, seen by the side to move: [states, planes, rows, columns] in [0, 1]."""
        ...

    def diagram(self, state: S) -> Diagram:
        """The board as a picture: `str()` and `_repr_svg_()` of a diagram draw it."""
        ...


class HiddenGame(Game[S], Protocol[S, O_co]):
    """A game whose players do not see the state."""

    def observe(self, state: S, player: int, move: Move) -> O_co:
        """What `player` learns when `move` is played in `state`."""
        ...
