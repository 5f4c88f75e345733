"""The console of commands: signals, escaped text, progress bars, and bounds of numbers."""

from __future__ import annotations

import functools
import math
import os
import signal
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NoReturn

from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sparring.base.errors import UserError

# Signals: Ctrl-C, at which long jobs stop at their next checkpoint, and termination.


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
    """Ends the process. Calls os._exit where a native thread still runs, which would crash during interpreter
    shutdown."""
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
        for signum in before:
            signal.signal(signum, signal.SIG_IGN)  # a second signal does not interrupt what `finally` does
        raise SystemExit(128 + number)

    before = {signum: signal.signal(signum, handle) for signum in _TERMINATIONS}
    try:
        yield
    except KeyboardInterrupt:
        raise SystemExit(INTERRUPTED) from None
    finally:
        for signum, handler in before.items():
            signal.signal(signum, handler)


# Printing text that is not ours: names, paths, model cards, messages of other programs.
#
# rich takes `[...]` for markup and `:name:` for emoji, and terminals obey escape sequences. Every command
# prints through `make_console` and puts text of others through `foreign`, or `visible` where is no markup.


def make_console(**options: Any) -> Console:
    """A console for markup of our own, without rich's emoji codes and highlighting.

    With NO_COLOR it has no styles: rich alone would still send bold and dim.
    """
    if os.environ.get("NO_COLOR"):
        options["color_system"] = None
    return Console(**{"highlight": False, "emoji": False, **options})


def foreign(text: object) -> str:
    """Text of others for rich's markup: it is shown as it is, and control characters are visible."""
    shown = visible(text)
    # A backslash before the next tag would escape that tag. The zero-width space separates them.
    return escape(f"{shown}\u200b" if shown.endswith("\\") else shown)


def visible(text: object) -> str:
    """Text of others without control characters: ESC becomes \\x1b, a line feed \\n."""
    return "".join(
        character
        if character.isprintable() or unicodedata.category(character) == "Zs"
        else _escaped(character)
        for character in str(text)
    )


def _escaped(character: str) -> str:
    return character.encode("unicode_escape").decode("ascii")


# Progress bars on standard error.


class ProgressBar:
    """A bar for the current step of a job. Use it as a context.

    With `lines`, standard error that is no terminal gets a line for each step done.
    """

    def __init__(self, what: str = "reading the games", *, lines: bool = False) -> None:
        self._console = console = make_console(stderr=True)
        self._lines = lines and not console.is_terminal
        self._began, self._done = time.perf_counter(), 0
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,  # no bar in log files
        )
        self._task = self._progress.add_task(what, total=None)

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def on_progress(self, what: str, done: int, total: int) -> None:
        """Shows the current step and its progress."""
        self._progress.update(self._task, description=foreign(what), completed=done, total=total)
        if self._lines and done > self._done:
            seconds = time.perf_counter() - self._began
            self._console.print(f"{foreign(what)}: {done} of {total} in {seconds:.0f} s")
        self._done = done


def metrics_progress(console: Console) -> Progress:
    """A bar of steps or games with the newest metrics as its description; lines are printed above it."""
    return Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # no bar in log files
    )


# Bounds of all numbers on the command line, beyond the range that an option states itself.


_LARGEST = 10**9
_LARGEST_SEED = (1 << 63) - 1
"""Native generators take 64 bits."""
_SEEDS = ("seed", "trial")
_PARALLEL = ("threads", "workers", "processes", "concurrency")
_MOST_PARALLEL = 1024
_RATINGS = ("rating", "my_rating", "opponent_rating")
"""The policy has their range (`ratings.check_rating_range`)."""


def with_checked_numbers(command: Callable[..., None]) -> Callable[..., None]:
    """The command, which raises UserError for a number that nothing can work with."""

    @functools.wraps(command)
    def checked(**given: Any) -> None:
        for name, value in given.items():
            check_number(f"--{name.replace('_', '-')}", name, value)
        command(**given)

    return checked


def check_number(shown: str, name: str, value: object) -> None:
    """Raises UserError unless the value of an option is finite and within its bounds; other types pass."""
    if isinstance(value, float) and not math.isfinite(value):
        raise UserError(f"{shown} {value}: expected a finite number")
    if isinstance(value, bool) or not isinstance(value, int) or name in _RATINGS:
        return
    low, high = -_LARGEST, _LARGEST
    if name in _SEEDS:
        low, high = 0, _LARGEST_SEED
    elif name in _PARALLEL:
        low, high = 0, _MOST_PARALLEL
    if not low <= value <= high:
        raise UserError(f"{shown} {_short(value)}: expected a whole number from {low} to {high}")


def _short(value: int) -> str:
    return str(value) if abs(value) < 10**30 else "with so many digits"
