"""Time management: time controls, and the share of a clock that one move may take."""

from __future__ import annotations

import time
from dataclasses import dataclass
from threading import Event
from typing import Annotated

from msgspec import Meta

from sparring.search.limits import Clock, SearchLimits

_EXPECTED_MOVES = 30
"""Moves that a game is expected to last, if the clock does not say."""
_MAX_SHARE = 0.3
"""Largest share of the remaining time for one move."""


Seconds = Annotated[float, Meta(ge=0, le=1_000_000)]


@dataclass(frozen=True)
class TimeControl:
    """A chess clock: `[clock]` of a tournament's file."""

    base: Seconds
    """Seconds for the game."""
    increment: Seconds = 0.0
    """Seconds added after each move."""
    byoyomi: Seconds = 0.0
    """Seconds for each move once the base is used up; in shogi and Go."""
    margin: Seconds = 0.05
    """Seconds by which a clock may be overstepped, since operating systems lag too."""

    def __str__(self) -> str:
        return f"{self.base:g}+{self.increment:g}" + (f" {self.byoyomi:g} byo-yomi" if self.byoyomi else "")


def allocate_time(clock: Clock, overhead: float = 0.1) -> float:
    """Seconds for the next move, above 0 and never more than the clock has.

    `overhead` is the time in seconds that is lost between the player and its clock.
    """
    left = max(clock.remaining - overhead, 0.0)
    moves = _EXPECTED_MOVES if clock.moves_to_go is None else max(clock.moves_to_go, 1)
    share = left / moves + 0.8 * clock.increment
    most = left if moves == 1 else _MAX_SHARE * left
    if clock.byoyomi:
        return max(min(share, most), 0.0) + max(clock.byoyomi - overhead, 0.0) * (1.0 if left <= 0 else 0.8)
    return max(min(share, most), 0.001)


def resolve_limits(requested: SearchLimits, own: SearchLimits) -> SearchLimits:
    """Limits of a search: nodes, depth or seconds of the request, else the player's own, else the clock's.

    A player with limits of its own ignores the clock: the same seed then gives the same game.
    """
    if requested.bounded:
        return requested
    if own.bounded or requested.clock is None:
        return own
    return SearchLimits(seconds=allocate_time(requested.clock))


def wait_out(seconds: float | None, started: float, stop: Event | None = None) -> None:
    """Waits until `seconds` have passed since `started` (`time.perf_counter()`), or until `stop` is set.

    Front ends call it with `Decision.seconds`: a player that thinks as long as a person decides earlier.
    """
    left = 0.0 if seconds is None else seconds - (time.perf_counter() - started)
    if left > 0:
        (stop or Event()).wait(left)
