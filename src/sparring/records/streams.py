"""Files as streams of bytes: plain, gzip, bzip2 or Zstandard, told apart by their first bytes."""

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
    """A compressed file ends in the middle, or is broken there."""


class UnreadableFile(OSError):
    """A file cannot be opened or read; the message says why. Another time it may be."""


def reason(error: OSError) -> str:
    """What the system says of an error, such as: No space left on device."""
    return os.strerror(error.errno) if error.errno else str(error)


def source_size(path: Path) -> int:
    """Bytes of the file as it lies on the disk; 0 where that cannot be told."""
    try:
        return path.stat().st_size
    except OSError:
        return 0


def open_chunks(path: Path, progress: Callable[[int], None] = lambda _: None) -> Iterator[bytes]:
    """The decompressed content in pieces. `progress` hears how many bytes of the file were read.

    Raises Unreadable, or TruncatedFile after the last good piece.
    """
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
    """Frame after frame, as Lichess and parallel compressors write them."""
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
