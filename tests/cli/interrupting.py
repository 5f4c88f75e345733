"""Presses Ctrl-C while a command runs in a process of its own."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

_PROGRAM = """
import signal, sys, threading
from pathlib import Path
from sparring.cli import main
begin = threading.Thread.start
def start(thread):
    begin(thread)
    if sys.argv[1]:
        Path(sys.argv[1]).touch()
threading.Thread.start = start
signal.signal(signal.SIGINT, signal.default_int_handler)  # a run in the background ignores it
main(sys.argv[2:])
"""
_SECONDS = 60


def press_ctrl_c(
    arguments: list[str], begun: Path, *, by_first_thread: bool = False
) -> tuple[int, list[str]]:
    """Runs a command of Sparring and presses Ctrl-C half a second after the file `begun` exists.

    With `by_first_thread` the program makes this file when it starts a thread. As in a terminal, all
    processes of the command receive the signal. Returns the exit code, and the lines on the error output.
    Raises TimeoutExpired if the command goes on for a minute.
    """
    command = [sys.executable, "-c", _PROGRAM, str(begun) if by_first_thread else "", *arguments]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as child:
        deadline = time.monotonic() + _SECONDS
        try:
            while not begun.exists() and child.poll() is None and time.monotonic() < deadline:
                time.sleep(0.05)
            time.sleep(0.5)
            os.killpg(child.pid, signal.SIGINT)
            _, errors = child.communicate(timeout=_SECONDS)
        finally:
            child.kill()
    return child.returncode, errors.splitlines()
