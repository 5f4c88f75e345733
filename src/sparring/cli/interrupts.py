"""Signals: Ctrl-C, at which long jobs stop at their next checkpoint, and termination."""

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


_TERMINATIONS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def exiting_on_termination() -> Iterator[None]:
    """While the context is open, SIGTERM and SIGHUP (a closed terminal) raise SystemExit, so that `finally`
    blocks run. The exit code is the usual one, 128 and the signal's number."""

    def handle(number: int, _: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)  # a second signal does not interrupt what `finally` does
        raise SystemExit(128 + number)

    before = {each: signal.signal(each, handle) for each in _TERMINATIONS}
    try:
        yield
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
