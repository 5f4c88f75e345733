"""Reads network files, plain or gzipped, with a limit on their decompressed size."""

from __future__ import annotations

import gzip
import stat
import zlib
from pathlib import Path

from sparring.base.errors import BadFile

_GZIP = b"\x1f\x8b"
_ALWAYS_FINE = 64 << 20
_RATIO = 20
"""Largest compression ratio. Trained weights hardly compress: a file with a larger ratio is not a
network."""
_LARGEST = 4 << 30


def read_file(path: Path) -> bytes:
    """The content of a file, decompressed if gzipped. Raises BadFile or OSError."""
    status = path.stat()
    if not stat.S_ISREG(status.st_mode):
        raise BadFile("it is not a regular file")  # a pipe or a device may never end
    size = status.st_size
    limit = min(_LARGEST, max(_ALWAYS_FINE, _RATIO * size))
    with path.open("rb") as file:
        compressed = file.read(2) == _GZIP
    if not compressed:
        if size > _LARGEST:
            raise BadFile(f"it has {size:,} bytes, more than any network")
        return path.read_bytes()
    try:
        with gzip.open(path) as unpacked:
            content = unpacked.read(limit + 1)
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise BadFile(f"the compressed file is cut off or broken ({error})") from None
    if len(content) > limit:
        raise BadFile(f"it unpacks to more than {limit:,} bytes, which no network of its size does")
    return content


def model_name(path: Path) -> str:
    """A network's name from its file: `maia-1500` for `maia-1500.pb.gz`."""
    name = path.name
    while name.endswith((".onnx", ".pb", ".bin", ".gz", ".txt")):
        name = name[: name.rindex(".")]
    return name
