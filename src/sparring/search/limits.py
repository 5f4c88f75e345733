"""Limits of one search: nodes, depth, seconds, a clock, or a subset of the moves."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.base.clock import Clock
from sparring.games import Move


@dataclass(frozen=True)
class SearchLimits:
    """The limits of one search. The first limit that is reached ends it; None is no limit.

    The same type bounds a PUCT search, an alpha-beta search, a player's turn and another program's `go`. A
    search ignores the fields that it does not support.
    """

    nodes: int | None = None
    """Positions to search: visits of the root in PUCT."""
    depth: int | None = None
    """Plies to look ahead, in alpha-beta and in other programs."""
    seconds: float | None = None
    """Time for this move."""
    clock: Clock | None = None
    """Clock of the player to move; `sparring.players.time_management` turns it into seconds."""
    opponent_clock: Clock | None = None
    infinite: bool = False
    """Searches until the stop event is set; the other limits have no effect."""
    searchmoves: tuple[Move, ...] = ()
    """Moves of the root to search; empty for all."""

    @property
    def bounded(self) -> bool:
        """Whether nodes, depth or seconds are limited."""
        return (self.nodes, self.depth, self.seconds) != (None, None, None)
