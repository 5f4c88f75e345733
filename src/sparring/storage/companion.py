"""Files beside a journal: the texts of games beside their results, appended before the journal's line.

A line of the journal holds the file's size and checksum after its content was appended. The last line says
which content counts: bytes after it are of an interrupted task and are cut away.
"""

from __future__ import annotations

import zlib
from pathlib import Path

from sparring.storage.atomic import append_or_rollback
from sparring.storage.journal import BadJournal

_CHUNK = 1 << 20


class CompanionFile:
    """A file that grows with a journal. `size` and `checksum` are those of its content so far."""

    def __init__(self, path: Path, size: int, checksum: int | None) -> None:
        """Opens a file, which is made if `size` is 0, and cuts away what is behind `size` bytes.

        `checksum` is the CRC-32 of the content, None if it is not known. Raises BadJournal if the content is
        shorter or another one, and OSError. The file then stays as it is.
        """
        self._path, self.size = path, size
        found = path.stat().st_size if path.exists() else 0
        self.checksum = _crc32(path, size) if found >= size > 0 else 0
        if found < size or (checksum is not None and checksum != self.checksum):
            problem = (
                f"{found:,} bytes instead of {size:,}" if found < size else "its checksum is another one"
            )
            raise BadJournal(
                f"{path} is damaged ({problem}): restore it, or move the folder away to begin anew"
            )
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
