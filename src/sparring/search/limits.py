"""Limits of one search: nodes, depth, seconds, a clock, or a subset of the moves; and the share of a clock
that one move may take."""

from __future__ import annotations

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from threading import TIMEOUT_MAX, Event, Timer

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
    """Clock of the player to move; `allocate_time` turns it into seconds."""
    opponent_clock: Clock | None = None
    infinite: bool = False
    """Searches until the stop event is set; the other limits have no effect."""
    searchmoves: tuple[Move, ...] = ()
    """Moves of the root to search; empty for all."""

    @property
    def bounded(self) -> bool:
        """Whether nodes, depth or seconds are limited."""
        return (self.nodes, self.depth, self.seconds) != (None, None, None)


# Time management.

_EXPECTED_MOVES = 30
"""Moves that a game is expected to last, if the clock does not say."""
_MAX_SHARE = 0.3
"""Largest share of the remaining time for one move."""


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


# A timer that stops a search, also during a slow evaluation.


_LONGEST = min(TIMEOUT_MAX, 1e9)
"""Seconds. The clock of a timer overflows beyond: the thread would end and the limit would not hold."""


@contextmanager
def stop_timer(seconds: float | None, stop: Event | None) -> Iterator[None]:
    """Sets `stop` after some seconds, unless the block ends before; None for no timer."""
    if seconds is None or stop is None:
        yield
        return
    timer = Timer(min(seconds, _LONGEST), stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
