"""The console of commands: errors, signals, escaped text, progress bars, and bounds of numbers."""

from __future__ import annotations

import functools
import io
import math
import os
import re
import signal
import sys
import threading
import time
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NoReturn

import typer
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    ProgressColumn,
    TextColumn,
    TimeRemainingColumn,
)

from sparring.base.errors import SparringError, UserError

INTERRUPTED = 130
"""The exit code after Ctrl-C."""


def run_app(app: Callable[..., Any], program: str, arguments: Sequence[str] | None = None) -> None:
    """Runs `app`, a typer application or command, with `arguments` (default: `sys.argv[1:]`).

    A user's error prints `program: message` on the error output and exits with code 2, or with the code that
    typer gives; Ctrl-C exits with 130. Other exceptions pass.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")  # not every terminal has every character
    if os.environ.get("NO_COLOR"):
        from typer import rich_utils  # the pages of --help

        rich_utils.COLOR_SYSTEM = None
    try:
        code = app(args=None if arguments is None else list(arguments), standalone_mode=False)
    except typer.TyperException as error:
        _fail(program, error.format_message(), error.exit_code)
    except (typer.Abort, KeyboardInterrupt):
        _fail(program, "interrupted", INTERRUPTED)
    except ModuleNotFoundError as error:
        module = (error.name or "").partition(".")[0]
        if (extra := _extra_of(module)) is None:
            raise
        _fail(program, f"this needs {module}: pip install 'sparring[{extra}]'", 2)
    except (SparringError, OSError) as error:
        _fail(program, str(error), getattr(error, "code", 2))
    if code:  # the code of a `typer.Exit`
        sys.exit(code)


def _extra_of(module: str) -> str | None:
    """The extra of this package that installs a module, such as "train" for torch."""
    from importlib.metadata import PackageNotFoundError, requires

    try:
        lines = requires("sparring")
    except PackageNotFoundError:  # sources that were not installed
        return None
    for line in lines or ():
        match = re.match(r"([\w.-]+).*extra == ['\"](\w+)['\"]", line)
        if match and match[1] == module and match[2] != "dev":
            return match[2]
    return None


def _fail(program: str, message: str, code: int) -> NoReturn:
    if message:
        # An OSError's text begins with an error number.
        words = re.sub(r"^\[Errno \d+\] ", "", " ".join(message.split()))
        print(f"{program}: {visible(words)}", file=sys.stderr)
    exit_now(code)


# Signals: Ctrl-C, at which long jobs stop at their next checkpoint, and termination.


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
        else character.encode("unicode_escape").decode("ascii")
        for character in str(text)
    )


# Progress bars on standard error.


class ProgressBar:
    """A bar for the current step of a job. Use it as a context.

    With `lines`, standard error that is no terminal gets a line for each step done.
    """

    def __init__(self, what: str = "reading the games", *, lines: bool = False) -> None:
        self._console = console = make_console(stderr=True)
        self._lines = lines and not console.is_terminal
        self._began, self._done = time.perf_counter(), 0
        columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
        self._progress = _progress(console, *columns)
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
    columns = (MofNCompleteColumn(), BarColumn(), TimeRemainingColumn(), TextColumn("{task.description}"))
    return _progress(console, *columns)


def _progress(console: Console, *columns: ProgressColumn) -> Progress:
    # no bar in log files
    return Progress(*columns, console=console, transient=True, disable=not console.is_terminal)


# Bounds of all numbers on the command line, beyond the range that an option states itself.


_LARGEST = 10**9
_LARGEST_SEED = (1 << 63) - 1
"""Native generators take 64 bits."""
_SEEDS = ("seed", "trial")
_PARALLEL = ("threads", "workers", "processes", "concurrency")
_MOST_PARALLEL = 1024
_RATINGS = ("rating", "my_rating", "opponent_rating")
"""The policy has their range (`arguments.check_rating_range`)."""


def checked_command(command: Callable[..., None]) -> Callable[..., None]:
    """Wraps a command: refuses numbers out of range and turns Ctrl-C into UserError (typer itself prints
    nothing then)."""

    @functools.wraps(command)
    def checked(**given: Any) -> None:
        try:
            for name, value in given.items():
                check_number(f"--{name.replace('_', '-')}", name, value)
            command(**given)
        except KeyboardInterrupt:
            raise UserError("interrupted", code=INTERRUPTED) from None

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
        digits = str(value) if abs(value) < 10**30 else "with so many digits"
        raise UserError(f"{shown} {digits}: expected a whole number from {low} to {high}")
