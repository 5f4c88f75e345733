"""A person at a terminal: runs a command in a pseudo-terminal of 80 columns, types, and reads the screen."""

from __future__ import annotations

import os
import re
import signal
import sys
from pathlib import Path
from typing import Any

import pexpect

_ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]|\x07")
_SECONDS = 60
_KEPT = ("PATH", "HOME", "LD_PRELOAD", "ASAN_OPTIONS", "PYTHONMALLOC")
"""Environment variables that the program gets: the last three are those of `make sanitize`."""


def _with_ctrl_c() -> None:
    """Tests that run in the background ignore Ctrl-C, and so would the command."""
    signal.signal(signal.SIGINT, signal.SIG_DFL)


class Person:
    """Plays in a pseudo-terminal. `home` is the current folder, and where Sparring keeps its files."""

    def __init__(self, home: Path, *arguments: str, **environment: str) -> None:
        plain = {name: os.environ[name] for name in _KEPT if name in os.environ}
        self._run: Any = pexpect.spawn(
            sys.executable,
            ["-c", "from sparring.cli import main; main()", "play", *arguments],
            env={
                **plain,
                "SPARRING_HOME": str(home),
                "LANG": "C.UTF-8",
                "TERM": "xterm-256color",
                **environment,
            },
            cwd=str(home),
            dimensions=(40, 80),
            encoding="utf-8",
            timeout=_SECONDS,
            preexec_fn=_with_ctrl_c,
        )
        self._rest: str | None = None
        self.raw = ""
        """All that was printed so far, with the escape sequences of colours."""

    def sees(self, text: str) -> str:
        """Waits for a text and returns what was printed up to it, without escape sequences."""
        self._run.expect_exact(text)
        shown = self._run.before + self._run.after
        self.raw += shown
        return without_escapes(shown)

    def types(self, line: str) -> None:
        """Types a line and Enter."""
        self._run.send(line + "\r")

    def presses(self, keys: str) -> None:
        """Presses keys without Enter."""
        self._run.send(keys)

    def sends(self, signal: int) -> None:
        """Sends the program a signal until it saves the game or ends: between printing a prompt and waiting
        for keys, readline does not notice one."""
        for _ in range(_SECONDS):
            self._run.kill(signal)
            noticed = self._run.expect([pexpect.EOF, "Saved: ", pexpect.TIMEOUT], timeout=1)
            if noticed == 1:  # another signal would end the program before its exit code is set
                shown = self._run.before + self._run.after
                self._run.expect(pexpect.EOF)
                self._rest = shown + self._run.before
            elif noticed == 0:
                self._rest = self._run.before
            if self._rest is not None:
                return

    def leaves(self) -> tuple[str, int]:
        """Waits for the end of the program; returns the rest of its output, and its exit status."""
        if self._rest is None:
            self._run.expect(pexpect.EOF)
            self._rest = self._run.before
        self.raw += self._rest
        self._run.close()
        status = self._run.exitstatus
        return without_escapes(self._rest), -int(self._run.signalstatus) if status is None else int(status)


def without_escapes(text: str) -> str:
    """The text without colours and cursor movements."""
    return _ESCAPES.sub("", text).replace("\r\n", "\n")
