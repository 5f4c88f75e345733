"""Journals: a line of JSON for each piece of work that is done, so that no run does it again.

A piece counts once its line is whole. The first line may say what the journal is about.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Any

from sparring.storage.atomic import append_or_rollback, atomic_write


class BadJournal(Exception):
    """A journal that cannot be gone on with; the message says why."""


class JournalMismatch(BadJournal):
    """A journal about something else."""


class Journal:
    """A journal that is gone on with; `entries` is what it had when it was opened.

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
    ) -> None:
        """Reads what there is, and cuts off the line that a kill left half written. A new journal is made at
        once, so that no work is done for a folder that cannot be written.

        `header` is the first line; the keys in `mutable_keys` may change from run to run. A journal with
        another header is replaced if `overwrite`, else it stays as it is and JournalMismatch is raised.
        `lenient` is as in `read_journal`. With `sync` a line stays even where the machine stops.
        Raises BadJournal or OSError.
        """
        self._path, self._sync = path, sync
        self._head = [] if header is None else [json.loads(json.dumps(header))]  # as it will be read
        content = _content(path)
        known = _parsed(content, path, lenient)
        if self._head and known and not _agree(known[0], self._head[0], mutable_keys):
            if not overwrite:
                raise JournalMismatch(f"{path} is about {json.dumps(known[0])}, not {json.dumps(header)}")
            known = []
        self.entries = known[len(self._head) :]
        if known[: len(self._head)] != self._head or not path.exists():
            self._rewrite()
        elif (end := content.rfind(b"\n") + 1) < len(content):
            os.truncate(path, end)

    def add(self, entry: Any) -> None:
        """One more line; it counts once this returns. Raises OSError."""
        append_or_rollback(self._path, _line(entry), sync=self._sync)

    def keep(self, wanted: Callable[[Any], bool]) -> None:
        """Drops those of `entries` that are not wanted, here and in the file."""
        kept = [entry for entry in self.entries if wanted(entry)]
        if len(kept) < len(self.entries):
            self.entries = kept
            self._rewrite()

    def _rewrite(self) -> None:
        atomic_write(self._path, b"".join(map(_line, [*self._head, *self.entries])))


def read_journal(path: Path, *, lenient: bool = False) -> list[Any]:
    """The whole lines of a journal, if there is one; it is left as it is, since somebody may be writing it.

    A whole line that is no JSON raises BadJournal, or is left out where one is `lenient`.
    """
    return _parsed(_content(path), path, lenient)


def _content(path: Path) -> bytes:
    return path.read_bytes() if path.exists() else b""


def _parsed(content: bytes, path: Path, lenient: bool) -> list[Any]:
    entries = []
    for number, line in enumerate(content.split(b"\n")[:-1], 1):
        try:
            entries.append(json.loads(line))
        except (ValueError, RecursionError):
            if not lenient:
                raise BadJournal(f"{path}, line {number} is no JSON") from None
    return entries


def _agree(known: Any, header: dict[str, Any], mutable_keys: Collection[str]) -> bool:
    """Whether a journal is about the same, but for the keys that may change."""
    blank = dict.fromkeys(mutable_keys)
    return isinstance(known, dict) and known | blank == header | blank


def _line(entry: Any) -> bytes:
    return json.dumps(entry).encode() + b"\n"
