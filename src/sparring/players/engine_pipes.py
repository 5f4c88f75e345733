"""The pipes of a program that was started, read and written with a limit of time.

Where the system can wait for pipes there is no thread. Windows cannot: there a thread a pipe moves the bytes.
A program that floods its output is blocked by its full pipe in both, so that memory stays bounded.
"""

from __future__ import annotations

import contextlib
import os
import queue
import select
import subprocess
import sys
import threading
import time
from typing import IO, Protocol

OUTPUT, COMPLAINTS = 1, 2
"""Numbers of the pipes that are read."""
_CHUNK = 1 << 16
_CHUNKS = 16
"""Most chunks that a thread reads ahead."""


class Pipes(Protocol):
    """The three pipes of a program."""

    def write(self, data: bytes, deadline: float) -> bytes:
        """Writes to the program; returns what it did not take by then. Raises OSError."""

    def read(self, seconds: float) -> list[tuple[int, bytes]]:
        """Chunks of pipes by number, waiting for the first; an empty chunk is the end of a pipe."""

    def close(self) -> None:
        """Closes the pipes of a program that has ended."""


class PolledPipes:
    """Pipes for which the system can wait."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._pipes = _pipes(process)
        self._stdin, stdout, stderr = (pipe.fileno() for pipe in self._pipes)
        for pipe in (self._stdin, stdout, stderr):
            os.set_blocking(pipe, False)
        self._open = {stdout: OUTPUT, stderr: COMPLAINTS}

    def write(self, data: bytes, deadline: float) -> bytes:
        """Writes to the program; returns what it did not take by then. Raises OSError."""
        while data:
            _, ready, _ = select.select([], [self._stdin], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                break
            with contextlib.suppress(BlockingIOError):
                data = data[os.write(self._stdin, data) :]
        return data

    def read(self, seconds: float) -> list[tuple[int, bytes]]:
        """Chunks of pipes by number, waiting for the first; an empty chunk is the end of a pipe."""
        chunks = []
        ready, _, _ = select.select(list(self._open), [], [], seconds)
        for pipe in ready:
            with contextlib.suppress(BlockingIOError):
                chunks.append((self._open[pipe], os.read(pipe, _CHUNK)))
                if not chunks[-1][1]:
                    del self._open[pipe]
        return chunks

    def close(self) -> None:
        """Closes the pipes of a program that has ended."""
        self._open = {}
        for pipe in self._pipes:
            pipe.close()


class PumpedPipes:
    """Pipes that threads read and write."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        stdin, stdout, stderr = _pipes(process)
        self._chunks: queue.Queue[tuple[int, bytes]] = queue.Queue(_CHUNKS)
        self._lines: queue.SimpleQueue[bytes] = queue.SimpleQueue()
        self._written, self._closed = threading.Event(), threading.Event()
        self._error: OSError | None = None
        for work, arguments in (
            (self._pump, (stdout, OUTPUT)),
            (self._pump, (stderr, COMPLAINTS)),
            (self._feed, (stdin,)),
        ):
            threading.Thread(target=work, args=arguments, name="engine pipe", daemon=True).start()

    def write(self, data: bytes, deadline: float) -> bytes:
        """Writes to the program; returns what it did not take by then. Raises OSError."""
        self._written.clear()
        self._lines.put(data)
        if not self._written.wait(max(0.0, deadline - time.monotonic())):
            return data
        if self._error is not None:
            raise self._error
        return b""

    def read(self, seconds: float) -> list[tuple[int, bytes]]:
        """Chunks of pipes by number, waiting for the first; an empty chunk is the end of a pipe."""
        chunks: list[tuple[int, bytes]] = []
        with contextlib.suppress(queue.Empty):
            chunks.append(self._chunks.get(timeout=max(seconds, 1e-3)))
            while True:
                chunks.append(self._chunks.get_nowait())
        return chunks

    def close(self) -> None:
        """Closes the pipes of a program that has ended: the threads do."""
        self._closed.set()
        self._lines.put(b"")

    def _pump(self, pipe: IO[bytes], number: int) -> None:
        with pipe:
            chunk = b"begin"
            while chunk and not self._closed.is_set():
                try:
                    chunk = os.read(pipe.fileno(), _CHUNK)
                except OSError:
                    chunk = b""
                self._put(number, chunk)

    def _put(self, number: int, chunk: bytes) -> None:
        while not self._closed.is_set():
            with contextlib.suppress(queue.Full):
                self._chunks.put((number, chunk), timeout=0.1)
                return

    def _feed(self, pipe: IO[bytes]) -> None:
        try:
            with pipe:
                while data := self._lines.get():
                    while data:
                        data = data[os.write(pipe.fileno(), data) :]
                    self._written.set()
        except OSError as error:
            self._error = error
            self._written.set()


def _pipes(process: subprocess.Popen[bytes]) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    assert process.stderr is not None
    return process.stdin, process.stdout, process.stderr


def pipes_of(process: subprocess.Popen[bytes]) -> Pipes:
    """The pipes of a program that was started with all three and `bufsize=0`."""
    return PumpedPipes(process) if sys.platform == "win32" else PolledPipes(process)
