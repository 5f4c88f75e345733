"""Handles Ctrl-C: long jobs stop at their next checkpoint."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interruptible(stop: Callable[[], None], *, abort_on_second: bool = True) -> Iterator[None]:
    """While the context is open, Ctrl-C calls `stop`.

    With `abort_on_second` a second Ctrl-C raises KeyboardInterrupt as usual.
    """

    def handle(*_: object) -> None:
        stop()
        if abort_on_second:
            signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, handle)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
