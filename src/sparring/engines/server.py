"""Serving a protocol over standard input and output."""

from __future__ import annotations

import os
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from queue import SimpleQueue
from typing import BinaryIO, TypeAlias

from sparring.engines.options import PROTOCOLS, EngineSettings
from sparring.games import describe

# Standard input and output of an engine. Neither a GUI that does not read nor a closed stream blocks it.


SendLine: TypeAlias = Callable[[str], None]
"""Sends a line to the GUI; from any thread."""

_MAX_WAITING = 1000
"""Lines that wait for a slow GUI. Beyond it, lines of information are dropped; answers never are."""
_PATIENCE = 1.0
"""Seconds without progress after which an engine that ends gives up its last lines."""


class StdoutWriter:
    """Writes whole lines in a thread of its own: senders never wait. Ignores a closed or full output."""

    def __init__(self, pipe: BinaryIO) -> None:
        self._file = pipe.fileno()
        self._lines: deque[bytes] = deque()
        self._changed = threading.Condition()
        self._closing = self._broken = False
        self._written = 0
        self._thread = threading.Thread(target=self._write, name="stdout", daemon=True)
        self._thread.start()

    @property
    def broken(self) -> bool:
        """Whether a line could not be written: nobody reads any more."""
        return self._broken

    def __call__(self, line: str) -> None:
        """Queues a line."""
        with self._changed:
            if len(self._lines) < _MAX_WAITING or not line.startswith("info "):
                self._lines.append(line.encode(errors="replace") + b"\n")
                self._changed.notify()

    def close(self, patience: float | None = _PATIENCE) -> None:
        """Waits until all lines are written, or until the GUI has read nothing for `patience` seconds; None
        waits as long as the GUI keeps the output open."""
        with self._changed:
            self._closing = True
            self._changed.notify()
        before = -1
        while self._thread.is_alive() and before != self._written:
            before = self._written
            self._thread.join(patience)

    def _write(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._lines or self._closing)
                if not self._lines:
                    return
                rest = b"".join(self._lines)
                self._lines.clear()
            while rest and not self._broken:
                try:
                    count = os.write(self._file, rest)
                except OSError:  # the GUI is gone, or the disk is full: what follows is dropped
                    self._broken = True
                    break
                self._written += count
                rest = rest[count:]


class StdinReader:
    """Reads lines in a thread of its own."""

    def __init__(self, pipe: BinaryIO) -> None:
        self.waiting = threading.Event()
        """Set while an unread line or the end of the input waits."""
        self.at_end: Callable[[], None] = lambda: None
        """Called in the reader's thread when the input has ended, before the last lines are taken."""
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        self._pipe = pipe

    def __iter__(self) -> Iterator[str]:
        threading.Thread(target=self._read, name="stdin", daemon=True).start()
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
        try:
            for line in self._pipe:
                self._put(line.decode(errors="replace").strip("\r\n"))
        except (OSError, ValueError):  # a stream that cannot be read has ended
            pass
        self.at_end()
        self._put(None)

    def _put(self, line: str | None) -> None:
        self._lines.put(line)
        self.waiting.set()


def take_stdio() -> tuple[BinaryIO, BinaryIO]:
    """Takes standard input and output for the engine. Everything else that is printed goes to standard error.

    A closed stream becomes the null device: input has ended, output is dropped. Otherwise the next file that
    is opened would get its number.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            null = os.open(os.devnull, os.O_RDWR)
            if null != number:
                os.dup2(null, number)
                os.close(null)
    if sys.stdout is not None:
        sys.stdout.flush()
    own = os.fdopen(os.dup(1), "wb", buffering=0)
    os.dup2(2, 1)
    return os.fdopen(0, "rb", closefd=False), own


def serve(protocol: str, settings: EngineSettings, lines: BinaryIO, answers: BinaryIO) -> None:
    """Serves a GUI until it sends `quit` or closes the pipe."""
    reader, send_line = StdinReader(lines), StdoutWriter(answers)
    try:
        support = describe(PROTOCOLS[protocol]).engine
        if support is not None and support.serve is not None:
            support.serve(settings, send_line, reader)
        else:
            from sparring.engines.protocols import protocol_spec
            from sparring.engines.uci import UciServer

            UciServer(protocol_spec(protocol), settings, send_line).run(reader)
    finally:
        send_line.close()
