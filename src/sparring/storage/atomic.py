"""Atomic writes: a file has its old or its new content, never a part of it.

Missing folders are made. A file has one writer at a time (see `locks`).
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def atomic_writer(path: Path) -> Iterator[Path]:
    """Yields the path of a temporary file, `name.part`, which replaces `path` at the end of the block.

    An exception in the block removes the temporary file and leaves `path` as it was. One that a kill left is
    overwritten. The content is synced before the rename. Raises OSError.
    """
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_name(f"{path.name}.part")
    try:
        yield part
        with part.open("rb") as file:
            os.fsync(file.fileno())  # else a power failure may keep the rename and lose the content
        part.replace(path)
    except BaseException:
        with suppress(OSError):
            part.unlink()  # frees the space on a full disk
        raise


def atomic_write(path: Path, content: str | bytes) -> None:
    """Replaces the content of a file; text is encoded as UTF-8. Raises OSError."""
    with atomic_writer(path) as part:
        part.write_bytes(content.encode() if isinstance(content, str) else content)


def append_or_rollback(path: Path, content: bytes, *, sync: bool = False) -> int:
    """Appends to a file and returns its new size in bytes. An error truncates the file to its old size.

    A kill may leave a part of the content. With `sync` the content survives a power failure. Raises
    OSError.
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
