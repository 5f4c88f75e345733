"""Files as streams of decompressed bytes: plain, gzip, bzip2 or Zstandard, detected by their first bytes."""

from __future__ import annotations

import bz2
import os
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import zstandard

_CHUNK = 1 << 17


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


def open_chunks(path: Path, progress: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
    """The decompressed content in chunks. `progress` is called with the number of file bytes read. Raises
    UnreadableFile, or TruncatedFile after the last good chunk."""
    try:
        with path.open("rb") as file:
            head = file.read(4)
            file.seek(0)
            make = next((make for magic, make in _DECOMPRESSORS.items() if head.startswith(magic)), None)
            yield from _plain(file, progress) if make is None else _unpacked(file, make, progress)
    except OSError as error:
        raise UnreadableFile(f"{path}: {reason(error)}") from None


def _plain(file: BinaryIO, progress: Callable[[int], None]) -> Iterator[bytes]:
    while chunk := file.read(_CHUNK):
        progress(file.tell())
        yield chunk


def _unpacked(file: BinaryIO, make: Callable[[], Any], progress: Callable[[int], None]) -> Iterator[bytes]:
    """Decompresses concatenated frames, as Lichess and parallel compressors write them."""
    unpacker = make()
    started = False
    while chunk := file.read(_CHUNK):
        progress(file.tell())
        while chunk:
            if unpacker.eof:
                unpacker = make()
            started = True
            try:
                piece = unpacker.decompress(chunk)
            except (zstandard.ZstdError, zlib.error, OSError, EOFError, ValueError) as error:
                raise TruncatedFile(
                    f"the compressed data is broken at byte {file.tell():,} ({error})"
                ) from None
            if piece:
                yield piece
            chunk = unpacker.unused_data if unpacker.eof else b""
    if started and not unpacker.eof:
        raise TruncatedFile("the compressed file is cut off")


_DECOMPRESSORS: dict[bytes, Callable[[], Any]] = {
    b"\x1f\x8b": lambda: zlib.decompressobj(wbits=31),
    b"BZh": bz2.BZ2Decompressor,
    b"\x28\xb5\x2f\xfd": lambda: zstandard.ZstdDecompressor().decompressobj(),
}
