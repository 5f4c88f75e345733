"""Files as streams of decompressed bytes: plain, gzip, bzip2 or Zstandard, detected by their first bytes."""

from __future__ import annotations

import bz2
import gzip
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO, TypeAlias

_CHUNK = 1 << 17
_PIECE, _SMALL_PIECE = 1 << 14, 1 << 6
"""Decompressed bytes that are read at once."""
_SALVAGED = 1 << 26
"""Decompressed bytes before a broken place up to which the last of them are salvaged."""


class TruncatedFile(Exception):
    """A compressed file is truncated or corrupt."""


class UnreadableFile(OSError):
    """A file cannot be opened or read now; the message says why."""


def reason(error: OSError) -> str:
    """The system's text of an error, such as "No space left on device"."""
    return os.strerror(error.errno) if error.errno else str(error)


def source_size(path: Path) -> int:
    """Size of the file on disk in bytes; 0 if unknown."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def check_regular(path: Path) -> None:
    """Refuses pipes and devices, which may have no end. Raises UnreadableFile or OSError."""
    if not stat.S_ISREG(path.stat().st_mode):
        raise UnreadableFile(f"{path}: not a regular file")


def open_chunks(path: Path, progress: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
    """The decompressed content in chunks of at most 128 KiB, however much a file decompresses to.

    `progress` is called with the number of file bytes read. Raises UnreadableFile, or TruncatedFile after the
    last good chunk.
    """
    try:
        check_regular(path)
        with path.open("rb") as file:
            head = file.read(_MAGIC)
            file.seek(0)
            decompress = next((each for magic, each in _READERS if re.match(magic, head, re.DOTALL)), None)
            for chunk in _plain(file) if decompress is None else _decompressed(file, decompress):
                progress(file.tell())
                yield chunk
    except UnreadableFile:
        raise
    except OSError as error:
        raise UnreadableFile(f"{path}: {reason(error)}") from None


def _plain(file: BinaryIO) -> Iterator[bytes]:
    return iter(lambda: file.read(_CHUNK), b"")


def _decompressed(file: BinaryIO, decompress: Callable[[BinaryIO], _ByteReader]) -> Iterator[bytes]:
    """Frames may be concatenated, as Lichess and parallel compressors write them."""
    done, waiting, trouble = 0, bytearray(), None
    try:
        for piece in _pieces(decompress(file), _PIECE):
            done += len(piece)
            waiting += piece
            if len(waiting) + _PIECE > _CHUNK:
                yield bytes(waiting)
                waiting.clear()
    except TruncatedFile as error:
        trouble = error
    if waiting:
        yield bytes(waiting)
    if trouble is not None:
        if done < _SALVAGED:
            yield from _last_pieces(file, decompress, done)
        raise trouble


def _last_pieces(file: BinaryIO, decompress: Callable[[BinaryIO], _ByteReader], done: int) -> Iterator[bytes]:
    """What the piece with the broken place has before it; a reader loses it when it raises."""
    file.seek(0)
    read = 0
    with suppress(TruncatedFile):
        for piece in _pieces(decompress(file), _SMALL_PIECE):
            read += len(piece)
            if read > done:
                yield piece[done - read :]


def _pieces(read: _ByteReader, size: int) -> Iterator[bytes]:
    """The pieces of a compressed file. Raises TruncatedFile, or OSError of the disk."""
    try:
        while piece := read(size):
            yield piece
    except EOFError:
        raise TruncatedFile("the compressed file is cut off") from None
    except (OSError, zlib.error, ValueError) as error:
        if isinstance(error, OSError) and error.errno:
            raise
        if "Truncated" in str(error):
            raise TruncatedFile("the compressed file is cut off") from None
        raise TruncatedFile(f"the compressed data is broken ({error})") from None


def _zstandard(file: BinaryIO) -> _ByteReader:
    import pyarrow as pa  # its reader bounds the output of a call and notices a cut-off frame

    read: _ByteReader = pa.CompressedInputStream(pa.PythonFile(_KeptOpen(file), "r"), "zstd").read
    return read


class _KeptOpen:
    """A file that its reader does not close."""

    closed = False

    def __init__(self, file: BinaryIO) -> None:
        self.read, self.tell, self.seek = file.read, file.tell, file.seek

    def close(self) -> None:
        pass


_ByteReader: TypeAlias = Callable[[int], bytes]
"""Returns at most so many bytes; none at the end."""
_MAGIC = 4
_READERS: tuple[tuple[bytes, Callable[[BinaryIO], _ByteReader]], ...] = (
    (rb"\x1f\x8b", lambda file: gzip.GzipFile(fileobj=file).read1),
    (rb"BZh", lambda file: bz2.BZ2File(file).read1),
    (rb"\x28\xb5\x2f\xfd", _zstandard),
    (rb"[\x50-\x5f]\x2a\x4d\x18", _zstandard),  # a skippable frame
)
"""A pattern of a file's first bytes, and the reader of its compression."""
