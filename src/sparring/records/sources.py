"""The sources of a table: which files were read, how far, and which of them a new file continues.

A file is known by its content: its size, and hashes of its head and its tail. Its name does not matter, so
that a file that was moved is not read twice, and another file of the same name is read.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from dataclasses import asdict, dataclass, field
from enum import Enum
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from sparring.records.streams import UnreadableFile, check_regular, reason

_SPAN = 1 << 18
"""Bytes of the head and of the tail that are hashed."""
_MOST_CANDIDATES = 16
"""Files of the same name that are compared."""


@dataclass(frozen=True)
class Fingerprint:
    """The content of a file on disk; equal fingerprints are taken for equal files."""

    size: int
    head: str
    tail: str


class LastGame(msgspec.Struct, frozen=True):
    """The last game that was read from a file: if the file grows, it may turn out to be longer."""

    begin: int
    """Uncompressed bytes before the game."""
    fate: str
    """`kept`, `broken`, or the reason why it was left out."""
    identity: int = 0
    """`GameRecord.identity` of a kept game."""


class SourceFile(msgspec.Struct):
    """A file of games and how far it was read."""

    path: str
    """As it was typed."""
    size: int
    head: str
    tail: str
    read: int = 0
    """Uncompressed bytes up to the end of the last game in the table."""
    finished: bool = False
    last: LastGame | None = None


class Continuation(Enum):
    """How a file relates to those that were read before."""

    NEW = "new"
    RESUMED = "resumed"
    """Its reading was interrupted."""
    READ = "read"
    """All of it is in the table."""
    GREW = "grew"
    """It begins with all of a file that was read."""
    CHANGED = "changed"
    """Another content is in the table under the same path."""


@dataclass
class SourceLog:
    """The files that a table was built from, as its manifest lists them."""

    sources: list[SourceFile]
    finished: list[str] = field(default_factory=list)
    """Paths of finished files in manifests of older versions, which had no fingerprints."""
    read: dict[str, int] = field(default_factory=dict)
    """Paths of unfinished files in such manifests, and how far they were read."""

    def __post_init__(self) -> None:
        self._by_content: dict[tuple[int, str, str], SourceFile] = {}
        self._by_head: dict[str, list[SourceFile]] = defaultdict(list)
        self._by_name: dict[str, list[SourceFile]] = defaultdict(list)
        self._finished = set(self.finished)
        for source in self.sources:
            self._index(source)

    @classmethod
    def from_manifest(cls, progress: dict[str, Any]) -> SourceLog:
        """Reads the manifest's `progress`. Raises msgspec.ValidationError."""
        return cls(
            msgspec.convert(progress.get("sources", []), list[SourceFile]),
            msgspec.convert(progress.get("finished", []), list[str]),
            msgspec.convert(progress.get("read", {}), dict[str, int]),
        )

    def manifest_entry(self) -> dict[str, Any]:
        """The part of the manifest's `progress`, as plain values."""
        entry = {"sources": self.sources, "finished": self.finished, "read": self.read}
        return {name: msgspec.to_builtins(value) for name, value in entry.items() if value}

    def open(self, path: Path) -> tuple[SourceFile, Continuation]:
        """The entry of a file, a new one if its content is not known. Raises UnreadableFile."""
        found = fingerprint(path)
        known = self._by_content.get((found.size, found.head, found.tail))
        if known is not None:
            return known, Continuation.READ if known.finished else Continuation.RESUMED
        if (name := str(path)) in self._finished:
            return self._add(path, found, finished=True), Continuation.READ
        if name in self.read:
            return self._add(path, found, read=self.read.pop(name)), Continuation.RESUMED
        if (known := self._shorter(path, found)) is not None:
            how = Continuation.GREW if known.finished else Continuation.RESUMED
            self._update(known, path, found)
            return known, how
        changed = any(each.path == str(path) for each in self._by_name[path.name])
        return self._add(path, found), Continuation.CHANGED if changed else Continuation.NEW

    def _shorter(self, path: Path, found: Fingerprint) -> SourceFile | None:
        """The longest known file that this one begins with."""
        candidates = [*self._by_head[found.head], *self._by_name[path.name][-_MOST_CANDIDATES:]]
        shorter = [each for each in candidates if 0 < each.size < found.size]
        for each in sorted(shorter, key=lambda each: -each.size):
            if fingerprint(path, each.size) == Fingerprint(each.size, each.head, each.tail):
                return each
        return None

    def _add(self, path: Path, found: Fingerprint, read: int = 0, *, finished: bool = False) -> SourceFile:
        source = SourceFile(str(path), **asdict(found), read=read, finished=finished)
        self.sources.append(source)
        self._index(source)
        return source

    def _index(self, source: SourceFile) -> None:
        self._by_content[source.size, source.head, source.tail] = source
        self._by_head[source.head].append(source)
        self._by_name[Path(source.path).name].append(source)

    def _update(self, source: SourceFile, path: Path, found: Fingerprint) -> None:
        source.path, source.finished = str(path), False
        source.size, source.head, source.tail = found.size, found.head, found.tail
        self._index(source)


def fingerprint(path: Path, size: int | None = None) -> Fingerprint:
    """The fingerprint of a file, or of its first `size` bytes. Raises UnreadableFile."""
    try:
        check_regular(path)
        with path.open("rb") as file:
            size = path.stat().st_size if size is None else size
            tail = max(0, size - _SPAN)
            return Fingerprint(size, _digest(file, 0, min(size, _SPAN)), _digest(file, tail, size))
    except UnreadableFile:
        raise
    except OSError as error:
        raise UnreadableFile(f"{path}: {reason(error)}") from None


def _digest(file: BinaryIO, begin: int, end: int) -> str:
    file.seek(begin)
    return hashlib.blake2b(file.read(end - begin), digest_size=8).hexdigest()
