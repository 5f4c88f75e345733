"""Locks of folders: one process at a time writes the files of a folder.

The operating system holds a lock, so that it ends with its process, however that ends.
"""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from filelock import FileLock, Timeout

LOCK = ".lock"
"""Name of a lock's file."""


class FolderLocked(Exception):
    """Another process is writing the folder."""


class FolderLock:
    """A lock that is held until `release`, the end of a `with` block or the end of the process."""

    def __init__(self, lock: FileLock) -> None:
        self._lock = lock

    def release(self) -> None:
        """Releases the lock; a second call does nothing."""
        self._lock.release()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()


def lock_folder(folder: Path, name: str = LOCK, *, wait: bool = False) -> FolderLock:
    """Locks a folder for writing. A missing folder is made.

    `name` is the lock's file in the folder; another name locks another part of the folder. With `wait` the
    call returns when the lock is free.

    Raises FolderLocked if the lock is held, by another process or by this one, and OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FileLock(folder / name, timeout=-1 if wait else 0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise FolderLocked(f"another process is writing {folder}: wait for it or choose another") from None
    return FolderLock(lock)


def lock_file(path: Path) -> FolderLock:
    """Locks a file for writing, by `.name.lock` beside it. Raises FolderLocked or OSError."""
    try:
        return lock_folder(path.parent, f".{path.name}.lock")
    except FolderLocked:
        raise FolderLocked(f"another process is writing {path}: wait for it or choose another") from None
