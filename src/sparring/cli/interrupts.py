"""Ctrl-C as a wish: long work ends where it can go on from."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def interruptible(stop: Callable[[], None], *, abort_on_second: bool = True) -> Iterator[None]:
    """Ctrl-C calls `stop`; a second one ends everything at once, unless told otherwise."""

    def ask(*_: object) -> None:
        stop()
        if abort_on_second:
            signal.signal(signal.SIGINT, before)

    before = signal.signal(signal.SIGINT, ask)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
