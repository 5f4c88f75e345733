"""A timer that stops a search, also during a slow evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import TIMEOUT_MAX, Event, Timer

_LONGEST = min(TIMEOUT_MAX, 1e9)
"""Seconds. The clock of a timer overflows beyond: the thread would end and the limit would not hold."""


@contextmanager
def stop_timer(seconds: float | None, stop: Event) -> Iterator[None]:
    """Sets `stop` after some seconds, unless the block ends before; None for no timer."""
    if seconds is None:
        yield
        return
    timer = Timer(min(seconds, _LONGEST), stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
