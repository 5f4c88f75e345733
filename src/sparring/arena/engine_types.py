"""What engines are asked and what they answer, whatever the protocol."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass
class PositionHistory:
    """A game so far."""

    start: Any
    """The state before the first move."""
    moves: list[str]
    """The moves since, as the game writes them."""
    state: Any
    """The state after them."""


@dataclass(frozen=True)
class PlayResult:
    """What an engine said."""

    move: str | None
    """As it wrote it; None where it resigns."""
    score: int | None
    """In centipawns for itself, the last that it told."""
    spent: float
    """Seconds from the question to the answer."""


class TimeForfeit(Exception):
    """An engine's flag fell."""
