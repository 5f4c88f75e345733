"""Signals: Ctrl-C, at which long jobs stop at their next checkpoint, and termination."""

from __future__ import annotations

import functools
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from sparring.cli.errors import UserError

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def reporting_interrupts(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which ends with a line and the exit code 130 at Ctrl-C. typer itself says nothing."""

    @functools.wraps(command)
    def reporting(**given: Any) -> None:
        try:
            command(**given)
        except KeyboardInterrupt:
            raise UserError("interrupted", code=INTERRUPTED) from None

    return reporting


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


_NATIVE = "native"


def start_native(work: Callable[[], object]) -> threading.Thread:
    """Starts native code, which does not answer Ctrl-C, in a thread, so that the caller can wait for both."""
    thread = threading.Thread(target=work, name=_NATIVE, daemon=True)
    thread.start()
    return thread


def exit_now(code: int) -> NoReturn:
    """Ends the process. Native code that still runs in a thread would crash while the interpreter ends: the
    interpreter is then left out."""
    if any(thread.name == _NATIVE for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)
    sys.exit(code)


_TERMINATIONS = [getattr(signal, name) for name in ("SIGTERM", "SIGHUP") if hasattr(signal, name)]


@contextmanager
def exiting_on_termination() -> Iterator[None]:
    """While the context is open, SIGTERM and SIGHUP (a closed terminal) raise SystemExit, so that `finally`
    blocks run; Ctrl-C leaves the context as SystemExit. The exit code is the usual one, 128 and the signal's
    number."""

    def handle(number: int, _: object) -> None:
        for each in before:
            signal.signal(each, signal.SIG_IGN)  # a second signal does not interrupt what `finally` does
        raise SystemExit(128 + number)

    before = {each: signal.signal(each, handle) for each in _TERMINATIONS}
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    finally:
        for each, handler in before.items():
            signal.signal(each, handler)
