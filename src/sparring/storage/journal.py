"""Append-only journals: one line of JSON for each finished task, so that a resumed run skips it.

A task is finished when its line is complete. The first line may be a header with the options of the run.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

import msgspec

from sparring.storage.atomic import append_or_rollback, atomic_write


class BadJournal(Exception):
    """A journal that cannot be resumed."""


class JournalMismatch(BadJournal):
    """A journal with another header."""


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
        Raises BadJournal or OSError.
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
    is not JSON or not of the kind raises BadJournal; with `lenient` it is left out. Raises OSError.
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
                raise BadJournal(f"{path}, line {number} is not JSON") from None
    return entries


def _checked(entries: list[Any], path: Path, kind: Any, before: int, lenient: bool) -> list[Any]:
    """The entries of a kind, as they were read; `before` is the number of lines before them."""
    if kind is None:
        return entries
    found = []
    for number, entry in enumerate(entries, before + 1):
        try:
            msgspec.convert(entry, kind)
            found.append(entry)
        except (msgspec.ValidationError, ValueError, RecursionError) as error:
            if not lenient:
                raise BadJournal(f"{path}, line {number} is foreign: {error}") from None
    return found


def _agree(known: Any, header: dict[str, Any], mutable_keys: Collection[str]) -> bool:
    """Whether two headers are equal except for the mutable keys."""
    blank = dict.fromkeys(mutable_keys)
    return isinstance(known, dict) and known | blank == header | blank


def _line(entry: Any) -> bytes:
    return json.dumps(entry).encode() + b"\n"
