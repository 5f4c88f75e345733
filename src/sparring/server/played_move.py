"""`PlayedMove`: a move of a game on the server."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.games import Move


@dataclass(frozen=True)
class PlayedMove:
    """A move of the game."""

    move: Move
    text: str
    name: str
    player: int
    left: float | None = None
    """Seconds left on the mover's clock afterwards; None without a clock."""
    offers_draw: bool = False
