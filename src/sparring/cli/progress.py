"""Progress bars on standard error."""

from __future__ import annotations

import time

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from sparring.cli.printing import foreign, make_console


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
