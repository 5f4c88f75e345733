"""A worker for the tests of pools, in a module that other processes can import."""

from __future__ import annotations

import os
import signal
import sys
import time
from pathlib import Path


class Squarer:
    """Squares numbers, and notes in a folder that it was closed or terminated."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def work(self, task: int, /) -> int:
        if task == 13:
            raise ValueError("thirteen is unlucky")
        if task == 14:
            os.kill(os.getpid(), signal.SIGKILL)
        if task == 15 and not (self._folder / "died").exists():
            (self._folder / "died").touch()
            os.kill(os.getpid(), signal.SIGKILL)
        if task == 16:
            return lambda: None  # type: ignore[return-value]  # cannot be pickled
        if task == 17:
            (self._folder / "working").touch()
            time.sleep(60)
        if task == 18:
            raise ConnectionResetError("the engine hung up")
        if task == 19:
            sys.exit("no licence")
        if task == 20:
            return Unreadable()  # type: ignore[return-value]
        return task * task

    def close(self) -> None:
        (self._folder / "closed").touch()

    def terminate(self) -> None:
        (self._folder / "terminated").touch()


def broken(folder: Path) -> Squarer:
    raise OSError(f"{folder.name} has no network")


class Unreadable:
    """Can be pickled, but not unpickled."""

    def __reduce__(self) -> tuple[object, ...]:
        return int, ("not a number",)


class UnreadableSpawn(Unreadable):
    """A function that cannot be unpickled in the worker."""

    def __call__(self) -> Squarer:
        raise NotImplementedError
