"""A GUI's side of a conversation with an engine."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, Any, BinaryIO

from sparring.engines import PROTOCOLS, EngineSettings, serve

TIMEOUT_SECONDS = 30.0
"""Seconds after which a silent engine counts as dead."""


class EngineClient:
    """Sends lines and waits for answers."""

    def __init__(self, to_engine: IO[bytes], from_engine: IO[bytes]) -> None:
        self.received: list[str] = []
        """All lines of the engine that were taken."""
        self._to, self._from = to_engine, from_engine
        self._lines: SimpleQueue[str | None] = SimpleQueue()
        threading.Thread(target=self._read, daemon=True).start()

    def send(self, *lines: str) -> None:
        for line in lines:
            self._to.write(line.encode() + b"\n")
        self._to.flush()

    def send_bytes(self, content: bytes) -> None:
        self._to.write(content)
        self._to.flush()

    def line(self) -> str | None:
        """The next line; None at the end."""
        try:
            line = self._lines.get(timeout=TIMEOUT_SECONDS)
        except Empty:
            raise AssertionError(f"the engine is silent; received {self.received[-5:]}") from None
        if line is None:
            self._lines.put(None)  # the end stays the end
        else:
            self.received.append(line)
        return line

    def until(self, pattern: str) -> list[str]:
        """The lines up to the first that matches as a whole."""
        lines: list[str] = []
        while (line := self.line()) is not None:
            lines.append(line)
            if re.fullmatch(pattern, line):
                return lines
        raise AssertionError(f"the engine ended without {pattern}; received {self.received[-5:]}")

    def ask(self, *lines: str, until: str) -> list[str]:
        self.send(*lines)
        return self.until(until)

    def gtp(self, command: str) -> str:
        """A GTP command's answer with its = or ?, without the blank line at its end."""
        self.send(command)
        return "\n".join(self.until("")[:-1])

    def hang_up(self) -> list[str]:
        """Ends the engine's input; what it still says."""
        self._to.close()
        lines = []
        while (line := self.line()) is not None:
            lines.append(line)
        return lines

    def _read(self) -> None:
        for line in self._from:
            self._lines.put(line.decode().removesuffix("\n"))
        self._lines.put(None)


@contextmanager
def engine(protocol: str, model: Path | str = "human", **changes: Any) -> Iterator[EngineClient]:
    """An engine in a thread of this process. Changes are of its settings, or else of its player."""
    settings = EngineSettings.of(PROTOCOLS[protocol])
    own = {key: changes.pop(key) for key in list(changes) if hasattr(settings, key)}
    player_config = replace(settings.player_config, model=str(model), **changes)
    settings = replace(settings, player_config=player_config, **own)
    (there, to_engine), (from_engine, back) = os.pipe(), os.pipe()
    with os.fdopen(there, "rb") as lines, os.fdopen(from_engine, "rb") as heard:
        session = EngineClient(os.fdopen(to_engine, "wb"), heard)
        thread = threading.Thread(target=_serve, args=(protocol, settings, lines, os.fdopen(back, "wb")))
        thread.start()
        try:
            yield session
        finally:
            if not session._to.closed:
                session.hang_up()
            thread.join(TIMEOUT_SECONDS)
            assert not thread.is_alive()


def _serve(protocol: str, settings: EngineSettings, lines: BinaryIO, answers: BinaryIO) -> None:
    with answers:
        serve(protocol, settings, lines, answers)


def command(protocol: str, *flags: str) -> list[str]:
    """The command line of an engine."""
    return [sys.executable, "-c", "from sparring.cli import main; main()", "engine", protocol, *flags]


@contextmanager
def process(protocol: str, *flags: str) -> Iterator[tuple[EngineClient, subprocess.Popen[bytes]]]:
    """An engine as GUIs start it."""
    with subprocess.Popen(
        command(protocol, *flags), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as running:
        assert running.stdin is not None
        assert running.stdout is not None
        try:
            yield EngineClient(running.stdin, running.stdout), running
        finally:
            if running.poll() is None:
                running.kill()


def replay(session: EngineClient, dialogue: str) -> None:
    """A conversation on paper: `>` is what the GUI says, `<` a pattern of the answer that it waits for."""
    for line in dialogue.splitlines():
        mark, _, rest = line.partition(" ")
        if mark == ">":
            session.send(rest)
        elif mark == "<":
            session.until(rest)
        else:
            assert mark in ("", "#"), line
