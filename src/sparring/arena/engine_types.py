"""Requests to engines and their answers, common to all protocols."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class PositionHistory:
    """A position and the game that led to it."""

    start: Any
    """The state before the first move."""
    moves: tuple[str, ...]
    """The moves since, in the game's notation."""
    state: Any
    """The state after them."""

    @classmethod
    def of(cls, state: Any) -> PositionHistory:
        """The history that a state holds."""
        moves: list[str] = []
        at = state
        while (before := at.previous) is not None:
            moves.append(before.move_text(at.last_move))
            at = before
        return cls(at, tuple(moves[::-1]), state)


@dataclass(frozen=True)
class PlayResult:
    """An engine's answer."""

    move: str | None
    """The move as the engine wrote it; None if it resigns."""
    score: int | None
    """The last score that it reported, in centipawns for itself; None if it reported none."""
    spent: float
    """Seconds from the request to the answer."""


class TimeForfeit(Exception):
    """An engine's flag fell."""
