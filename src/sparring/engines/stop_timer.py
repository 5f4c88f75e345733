"""An end to thinking that comes even while a slow network is being waited for."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, Timer


@contextmanager
def stop_timer(seconds: float | None, stop: Event) -> Iterator[None]:
    """Sets `stop` after so many seconds, unless the block is left before; None is never."""
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
