"""The seam of reconnaissance blind chess: what senses and moves knowing only what it is told."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from sparring.games import Move
from sparring.games.rbc import Observation
from sparring.players.player import Decision


class Bot(Protocol):
    """Plays one game of reconnaissance blind chess: a HiddenPlayer that also minds a clock."""

    def observe(self, observation: Observation) -> None:
        """Takes in what it is told, in the order in which it happens."""
        ...

    def choose(self, legal_moves: Sequence[Move], seconds: float | None = None) -> Decision:
        """A sense or a request, whichever is due; `seconds` are left on its clock, None without one."""
        ...

    def ponder(self) -> None:
        """Prepares, on the opponent's time, for its next turn. Nothing else is asked of it meanwhile."""
        ...

    def close(self) -> None:
        """The game is over."""
        ...


class NoPonder:
    """What bots do that have nothing to prepare and nothing to put away."""

    def ponder(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Nothing."""
