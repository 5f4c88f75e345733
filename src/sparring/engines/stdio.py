"""Standard input and output of an engine."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import BinaryIO, TypeAlias

SendLine: TypeAlias = Callable[[str], None]
"""Sends a line to the GUI; from any thread."""


class StdoutWriter:
    """Writes whole lines, from any thread. Ignores a closed pipe."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._pipe = pipe
        self._lock = threading.Lock()

    def __call__(self, line: str) -> None:
        """Writes a line."""
        with self._lock:
            try:
                self._pipe.write(line.encode(errors="replace") + b"\n")
                self._pipe.flush()
            except (BrokenPipeError, ValueError):  # the GUI is gone; the end of the input follows
                pass


class StdinReader:
    """Reads lines in a thread of its own."""

    def __init__(self, pipe: BinaryIO) -> None:
        self.waiting = threading.Event()
        """Set while an unread line or the end of the input waits."""
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._pipe = pipe
        threading.Thread(target=self._read, name="stdin", daemon=True).start()

    def __iter__(self) -> Iterator[str]:
        while (line := self._take()) is not None:
            yield line

    def _take(self) -> str | None:
        line = self._lines.get()
        if self._lines.empty():
            self.waiting.clear()
            if not self._lines.empty():  # a line arrived in between
                self.waiting.set()
        return line

    def _read(self) -> None:
        for line in self._pipe:
            self._put(line.decode(errors="replace").strip("\r\n"))
        self._put(None)

    def _put(self, line: str | None) -> None:
        self._lines.put(line)
        self.waiting.set()


def take_stdout() -> BinaryIO:
    """Takes standard output for the engine. Everything else that is printed goes to standard error."""
    sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return own
