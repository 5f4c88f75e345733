"""Files that are written whole or not at all.

Folders that are missing are made. A file has one writer at a time.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_writer(path: Path) -> Iterator[Path]:
    """Where to write a file that takes its place, and an older one's, when the block has ended well.

    That is beside its place, in `name.part`. An error removes the part; one that a kill left is written over.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())  # or a machine that stops may have moved a file without its content
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()  # on a full disk every byte counts
        raise


def atomic_write(path: Path, content: str | bytes) -> None:
    """Writes a file, as UTF-8 where it is text. Raises OSError."""
    with atomic_writer(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def append_or_rollback(path: Path, content: bytes, *, sync: bool = False) -> int:
    """Adds to a file and says how long it is then; an error takes away what was added. Raises OSError.

    A kill in the middle may leave a part of the content. With `sync` it stays even where the machine stops.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("ab", buffering=0) as file:
        before, rest = file.tell(), memoryview(content)
        try:
            while rest:
                rest = rest[file.write(rest) :]
            if sync:
                os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(before)
            raise
    return before + len(content)
