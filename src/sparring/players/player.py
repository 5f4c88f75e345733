"""The Player seam: what sits at the board and says why it moves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol, TypeVar

from sparring.games import Move

S_contra = TypeVar("S_contra", contravariant=True)
O_contra = TypeVar("O_contra", contravariant=True)


@dataclass(frozen=True)
class Decision:
    """A move and where it came from."""

    move: Move
    distribution: Mapping[Move, float]
    """What the move was drawn from."""
    why: str
    """A few words for whoever sits opposite."""
    resign: bool = False
    """Whether it resigns rather than play the move."""
    offer_draw: bool = False
    """Whether it offers a draw with the move."""


class Player(Protocol[S_contra]):
    """Plays a game in which nothing is hidden."""

    def choose(self, state: S_contra) -> Decision:
        """The move in a state whose game goes on."""
        ...


class HiddenPlayer(Protocol[O_contra]):
    """Plays a game of which it sees only observations."""

    def observe(self, observation: O_contra) -> None:
        """Takes in what it is told, of its own moves and of the opponent's."""
        ...

    def choose(self, legal_moves: Sequence[Move]) -> Decision:
        """One of the moves that it may ask for."""
        ...
