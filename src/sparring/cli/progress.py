"""Progress of long work, on the terminal's error output."""

from __future__ import annotations

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn


class ProgressBar:
    """A bar for what is being done; an earlier one disappears when the next begins."""

    def __init__(self) -> None:
        console = Console(stderr=True)
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=console,
            transient=True,
            disable=not console.is_terminal,  # a file needs no bar, and errors stay one line
        )
        self._task = self._progress.add_task("reading the games", total=None)

    def __enter__(self) -> ProgressBar:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def on_progress(self, what: str, done: int, total: int) -> None:
        """What is being done, and how far it is."""
        self._progress.update(self._task, description=what, completed=done, total=total)


def metrics_progress(console: Console) -> Progress:
    """A bar of steps or games with the newest numbers behind it, for work that prints lines above."""
    return Progress(
        MofNCompleteColumn(),
        BarColumn(),
        TimeRemainingColumn(),
        TextColumn("{task.description}"),
        console=console,
        transient=True,
        disable=not console.is_terminal,  # a file needs no bar
    )
