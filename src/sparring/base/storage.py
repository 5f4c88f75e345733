"""Atomic writes: a file has its old or its new content, never a part of it.

Missing folders are made. A file has one writer at a time (see `locks`).
"""

from __future__ import annotations

import io
import json
import math
import os
import zipfile
import zlib
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec
from filelock import FileLock, Timeout

from sparring.base.errors import BadFile, CannotWrite, JournalMismatch

if TYPE_CHECKING:
    from numpy.typing import NDArray


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
        with part.open("r+b") as file:  # Windows syncs only files that may be written
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


# Arrays in NumPy's npz format, from files that anybody may have made.


def read_npz(path: Path, largest: int = 1 << 28) -> dict[str, NDArray[Any]]:
    """The arrays of a file. A header that promises more than its entry holds is refused before memory is
    taken.

    `largest` is the limit of the file and of its unpacked content in bytes. Raises BadFile, whatever is wrong
    with the content, and OSError if the file cannot be read.
    """
    import numpy as np  # commands that read no arrays do not wait for it

    if path.stat().st_size > largest:
        raise BadFile(f"{path} is larger than {largest:,} bytes")
    content = io.BytesIO(path.read_bytes())
    try:
        with zipfile.ZipFile(content) as archive:
            entries = archive.infolist()
            if len({entry.filename for entry in entries}) < len(entries):
                raise ValueError("an array has two entries")
            if sum(entry.file_size for entry in entries) > largest:
                raise ValueError(f"it unpacks to more than {largest:,} bytes")
            for entry in entries:
                with archive.open(entry) as file:
                    read_header = _NPY_HEADERS[np.lib.format.read_magic(file)]
                    shape, _, dtype = getattr(np.lib.format, read_header)(file)
                    if math.prod(shape) * dtype.itemsize != entry.file_size - file.tell():
                        raise ValueError("an array has another size than its header says")
        content.seek(0)
        with np.load(content, allow_pickle=False) as arrays:
            return {name: arrays[name] for name in arrays.files}
    except Exception as error:  # zlib, zipfile and NumPy raise errors of many kinds
        reason = " ".join(f"{error}".split())[:200] or type(error).__name__
        raise BadFile(f"{path} is damaged, or no file of arrays ({reason})") from None


_NPY_HEADERS = {(1, 0): "read_array_header_1_0", (2, 0): "read_array_header_2_0"}
"""Functions of `numpy.lib.format` that read a header, by the version of the format."""


# Locks of folders: one process at a time writes the files of a folder.
#
# The operating system holds a lock, so that it ends with its process, however that ends.


LOCK = ".lock"
"""Name of a lock's file."""


class FolderLock(FileLock):
    """A lock that is held until `release`, the end of a `with` block or the end of the process."""

    def __enter__(self) -> Self:
        return self  # `lock_folder` has acquired it


def lock_folder(folder: Path, name: str = LOCK, *, wait: bool = False) -> FolderLock:
    """Locks a folder for writing. A missing folder is made.

    `name` is the lock's file in the folder; another name locks another part of the folder. With `wait` the
    call returns when the lock is free.

    Raises CannotWrite if the lock is held, by another process or by this one, and OSError.
    """
    folder.mkdir(parents=True, exist_ok=True)
    lock = FolderLock(folder / name, timeout=-1 if wait else 0, thread_local=False)
    try:
        lock.acquire()
    except Timeout:
        raise CannotWrite(f"another process is writing {folder}: wait for it or choose another") from None
    return lock


def lock_file(path: Path) -> FolderLock:
    """Locks a file for writing, by `.name.lock` beside it. Raises CannotWrite or OSError."""
    try:
        return lock_folder(path.parent, f".{path.name}.lock")
    except CannotWrite:
        raise CannotWrite(f"another process is writing {path}: wait for it or choose another") from None


# Append-only journals: one line of JSON for each finished task, so that a resumed run skips it.
#
# A task is finished when its line is complete. The first line may be a header with the options of the run.


class Journal:
    """An append-only journal that can be resumed. `entries` has the entries at the time of opening.

    It needs no closing: the file is open only while a line is written.
    """

    def __init__(
        self,
        path: Path,
        *,
        header: Mapping[str, Any] | None = None,
        mutable_keys: Collection[str] = (),
        overwrite: bool = False,
        lenient: bool = False,
        sync: bool = False,
        kind: Any = None,
    ) -> None:
        """Reads a journal and truncates an incomplete last line. A new journal is written at once, so that a
        folder that cannot be written is noticed before any work.

        `header` is the first line; the keys in `mutable_keys` may differ between runs. A journal with another
        header is replaced if `overwrite`, else JournalMismatch is raised and the file stays as it is.
        `lenient` and `kind` are as in `read_journal`. With `sync` each line survives a power failure.
        Raises BadFile or OSError.
        """
        self._path, self._sync = path, sync
        self._head = [] if header is None else [json.loads(json.dumps(header))]  # as it will be read
        content = _content(path)
        known = _parsed(content, path, lenient)
        if self._head and known and not _agree(known[0], self._head[0], mutable_keys):
            if not overwrite:
                raise JournalMismatch(
                    f"{path} has the header {json.dumps(known[0])}, not {json.dumps(header)}"
                )
            known = []
        self.entries = _checked(known[len(self._head) :], path, kind, len(self._head), lenient)
        if known[: len(self._head)] != self._head or not path.exists():
            self._rewrite()
        elif (end := content.rfind(b"\n") + 1) < len(content):
            os.truncate(path, end)

    def add(self, entry: Any) -> None:
        """Appends an entry, which must be JSON-serialisable. Raises OSError."""
        append_or_rollback(self._path, _line(entry), sync=self._sync)

    def keep(self, wanted: Callable[[Any], bool]) -> None:
        """Removes the entries for which `wanted` is false, here and in the file. Raises OSError."""
        kept = [entry for entry in self.entries if wanted(entry)]
        if len(kept) < len(self.entries):
            self.entries = kept
            self._rewrite()

    def _rewrite(self) -> None:
        atomic_write(self._path, b"".join(map(_line, [*self._head, *self.entries])))


def read_journal(path: Path, *, lenient: bool = False, kind: Any = None) -> list[Any]:
    """Returns the complete lines of a journal, or an empty list if there is no file. The file is not changed.

    `kind` is a type, such as a dataclass, whose fields and types each entry must have. A complete line that
    is not JSON or not of the kind raises BadFile; with `lenient` it is left out. Raises OSError.
    """
    return _checked(_parsed(_content(path), path, lenient), path, kind, 0, lenient)


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _parsed(content: bytes, path: Path, lenient: bool) -> list[Any]:
    entries = []
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            entries.append(json.loads(line))
        except (ValueError, RecursionError):
            if not lenient:
                raise BadFile(f"{path}, line {number} is not JSON") from None
    return entries


def _checked(entries: list[Any], path: Path, kind: Any, before: int, lenient: bool) -> list[Any]:
    """The entries of a kind, as they were read; `before` is the number of lines before them."""
    if kind is None:
        return entries
    valid = []
    for number, entry in enumerate(entries, before + 1):
        try:
            msgspec.convert(entry, kind)
            valid.append(entry)
        except (msgspec.ValidationError, ValueError, RecursionError) as error:
            if not lenient:
                raise BadFile(f"{path}, line {number} is foreign: {error}") from None
    return valid


def _agree(known: Any, header: dict[str, Any], mutable_keys: Collection[str]) -> bool:
    """Whether two headers are equal except for the mutable keys."""
    blank = dict.fromkeys(mutable_keys)
    return isinstance(known, dict) and known | blank == header | blank


def _line(entry: Any) -> bytes:
    return json.dumps(entry).encode() + b"\n"


# Files beside a journal: the texts of games beside their results, appended before the journal's line.
#
# A line of the journal holds the file's size and checksum after its content was appended. The last line says
# which content counts: bytes after it are of an interrupted task and are cut away.


_CHUNK = 1 << 20


class CompanionFile:
    """A file that grows with a journal. `size` and `checksum` are those of its content so far."""

    def __init__(self, path: Path, size: int, checksum: int) -> None:
        """Opens a file, which is made if `size` is 0, and cuts away what is behind `size` bytes.

        `checksum` is the CRC-32 of the content, 0 for none. Raises BadFile if the content is
        shorter or another one, and OSError. The file then stays as it is.
        """
        self._path, self.size = path, size
        actual = path.stat().st_size if path.exists() else 0
        self.checksum = _crc32(path, size) if actual >= size > 0 else 0
        if actual < size or checksum != self.checksum:
            short = f"{actual:,} bytes instead of {size:,}"
            problem = short if actual < size else "its checksum is another one"
            raise BadFile(f"{path} is damaged ({problem}): restore it, or move the folder away to begin anew")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("ab") as file:
            file.truncate(size)

    def append(self, content: bytes, *, sync: bool = False) -> None:
        """Appends content; an error takes it back. Raises OSError."""
        self.size = append_or_rollback(self._path, content, sync=sync)
        self.checksum = zlib.crc32(content, self.checksum)


def _crc32(path: Path, size: int) -> int:
    checksum, left = 0, size
    with path.open("rb") as file:
        while left and (chunk := file.read(min(left, _CHUNK))):
            checksum = zlib.crc32(chunk, checksum)
            left -= len(chunk)
    return checksum
