"""A timer that stops a search, also during a slow evaluation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer


@contextmanager
def stop_timer(seconds: float | None, stop: Event) -> Iterator[None]:
    """Sets `stop` after some seconds, unless the block ends before; None for no timer."""
    if seconds is None:
        yield
        return
    timer = Timer(seconds, stop.set)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
