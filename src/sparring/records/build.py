"""Builds a table from files as a stream: bounded memory, and no game lost or duplicated by a kill."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from sparring.base.errors import BadFile, CannotWrite, TruncatedFile
from sparring.base.storage import LOCK, lock_folder
from sparring.records.presets import Preset, presets_of
from sparring.records.readers import format_of, formats, reader_for
from sparring.records.record import GameRecord, ParsedGame, Reader, error_text
from sparring.records.sources import (
    Continuation,
    LastGame,
    SourceFile,
    SourceLog,
    open_chunks,
    reason,
    source_size,
)
from sparring.records.table import MANIFEST, TableWriter

_MOST_EXAMPLES = 20
_MOST_TRIED = 1000
"""Rejected games kept to try other presets on."""


@dataclass
class BuildReport:
    """Counts of games that were kept, left out and broken."""

    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    """Games left out by the preset, by reason."""
    broken: int = 0
    examples: list[str] = field(default_factory=list)
    """Place and error of the first broken games."""
    unread: list[str] = field(default_factory=list)
    """Files and folders that could not be read, and why; the next run tries them again."""
    notes: list[str] = field(default_factory=list)
    """What is remarkable about sources: read before, grown or changed since."""
    alternatives: dict[str, int] = field(default_factory=dict)
    """Other presets, and how many of the first games that were left out each would keep."""

    def manifest_entry(self) -> dict[str, Any]:
        """The part that is stored in the manifest."""
        return {name: getattr(self, name) for name in _STORED}

    @property
    def seen(self) -> int:
        """The number of all games found."""
        return self.kept + self.broken + sum(self.dropped.values())

    def drop(self, reason: str) -> None:
        """Counts a game that is left out."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def note_broken(self, where: str) -> None:
        """Counts a broken game."""
        self.broken += 1
        self.note(where)

    def note(self, where: str) -> None:
        """Adds an example to the report."""
        if len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(where)

    def uncount(self, fate: str) -> None:
        """Takes back the count of a game that is read again. A kept game stays in the table."""
        if fate == _BROKEN:
            self.broken = max(0, self.broken - 1)
        elif self.dropped.get(fate, 0) > 0:
            self.dropped[fate] -= 1


_KEPT, _BROKEN = "kept", "broken"
_STORED = ("kept", "dropped", "broken", "examples")
BuildProgressCallback = Callable[[BuildReport, int], None]
"""Called with the report so far and the number of source bytes read."""


def build_table(
    sources: Sequence[Path],
    preset: Preset,
    out: Path,
    on_progress: BuildProgressCallback = lambda *_: None,
    *,
    shard: int = 50_000,
) -> BuildReport:
    """Reads the sources into the table at `out`; resumes an earlier run.

    A file whose content is in the table is not read again, whatever its path; a file that grew is read on. A
    file that cannot be read is left for the next run. No table is made if no game is kept. Raises BadFile or
    CannotWrite.
    """
    new = not out.exists()
    try:
        lock = lock_folder(out)
    except OSError as error:
        raise CannotWrite(f"{out} cannot be written: {reason(error)}") from None
    with lock:
        try:
            return _Build(preset, out, on_progress, shard).run(sources)
        finally:
            if new and not (out / MANIFEST).exists():
                with suppress(OSError):  # a folder that holds nothing but its lock
                    (out / LOCK).unlink()
                    out.rmdir()


class _Build:
    """One run over the sources."""

    def __init__(self, preset: Preset, out: Path, on_progress: BuildProgressCallback, shard: int) -> None:
        self._preset, self._out, self._on_progress = preset, out, on_progress
        self._writer = TableWriter(out, preset.game, preset.manifest_entry(), shard=shard)
        self._existed = (out / MANIFEST).exists()
        progress = self._writer.manifest["progress"]
        try:
            self._report = msgspec.convert(progress.get("report", {}), BuildReport)
            self._log = SourceLog.from_manifest(progress)
        except (msgspec.ValidationError, ValueError) as error:
            raise BadFile(f"{out}: the manifest's progress is broken ({error})") from None
        self._safe = self._report.kept
        self._others = [other for other in presets_of(preset.game) if other.name != preset.name]
        self._tried = 0

    def run(self, sources: Sequence[Path]) -> BuildReport:
        before = 0
        readers = [reader_for(source, self._preset.game) for source in sources]
        for path, read in zip(sources, readers, strict=True):
            try:
                self._read(path, read, before)
            except BadFile as error:
                self._report.unread.append(str(error))
            before += source_size(path)
        self._commit()
        return self._report

    def _read(self, path: Path, read: Reader, before: int) -> None:
        source, how = self._log.open(path)
        self._note(path, source, how)
        if how is Continuation.READ:
            return
        begin, last_game = source.read, source.last
        if how is Continuation.GREW and last_game is not None:
            begin = source.read = last_game.begin  # its last game may have been cut off
            self._report.uncount(last_game.fate)
            examples = self._report.examples  # without the one that says that the file was cut off
            self._report.examples = [text for text in examples if not text.startswith(f"{path.name}: ")]
        else:
            last_game = None
        latest: tuple[int, str, ParsedGame] | None = None
        chunks = open_chunks(path, lambda count: self._on_progress(self._report, before + count))
        try:
            for game in read(chunks, begin):
                fate = self._count_and_add(game, path.name, last_game)
                latest, last_game, source.read = (source.read, fate, game), None, game.end
                if self._writer.full:
                    self._remember(source, latest)
                    self._commit()
        except TruncatedFile as error:
            self._report.note(f"{path.name}: {error}; the games before that are kept")
        except (BadFile, CannotWrite):
            raise
        except Exception as error:  # of a reader: the other files are read
            raise BadFile(f"{path}: reading failed after byte {source.read:,}: {error!r}") from error
        finally:
            self._remember(source, latest)
        source.finished = True

    def _remember(self, source: SourceFile, latest: tuple[int, str, ParsedGame] | None) -> None:
        """Notes the last game of a source: its begin, its fate and itself."""
        if latest is not None:
            begin, fate, game = latest
            record = game.record if fate == _KEPT else None
            identity = 0 if record is None else record.identity(self._preset.game)
            source.last = LastGame(begin, fate, identity)

    def _count_and_add(self, game: ParsedGame, source: str, last_game: LastGame | None) -> str:
        """Counts a game and adds it to the table if it is kept; returns its fate.

        `last_game` is the game that an earlier run read at this place.
        """
        report, record = self._report, game.record
        try:
            dropped = game.defect or (self._preset.rejection_reason(record) if record is not None else "")
        except Exception as error:
            record, dropped = None, ""
            game = game._replace(error=error_text(error))
        if dropped:
            report.drop(dropped)
            self._try_others(game.record)
            return dropped
        if record is None:
            report.note_broken(f"{source}, {game.where}: {game.error}")
            return _BROKEN
        kept = _KEPT, record.identity(self._preset.game)
        if last_game is None or (last_game.fate, last_game.identity) != kept:
            report.kept += 1
            self._writer.add(record, source)
        return _KEPT

    def _try_others(self, record: GameRecord | None) -> None:
        """Counts which other presets would keep a game that was left out."""
        if record is None or self._tried >= _MOST_TRIED:
            return
        self._tried += 1
        for other in self._others:
            with suppress(Exception):
                kept = not other.rejection_reason(record)
                self._report.alternatives[other.name] = self._report.alternatives.get(other.name, 0) + kept

    def _commit(self) -> None:
        for source, error in self._writer.pack():
            self._report.kept -= 1
            self._report.note_broken(f"{source}: {error}")
        if not (self._report.kept or self._existed):
            return
        progress = {"report": self._report.manifest_entry(), **self._log.manifest_entry()}
        try:
            self._writer.commit(progress)
        except OSError as error:
            trouble = f"{self._out} cannot be written: {reason(error)}"
            raise CannotWrite(
                f"{trouble}; {self._safe:,} games are safe; the same command resumes after them"
            ) from None
        self._safe, self._existed = self._report.kept, True

    def _note(self, path: Path, source: SourceFile, how: Continuation) -> None:
        notes = {
            Continuation.READ: "not read again, it is in the table already",
            Continuation.GREW: "grew since it was read; only its new games are read",
            Continuation.CHANGED: "another file than the one that was read under this name; it is read as a "
            "new one",
        }
        if how is Continuation.READ and source.path != str(path):
            notes[how] = f"not read, its content is in the table already (from {source.path})"
        if how in notes:
            self._report.notes.append(f"{path}: {notes[how]}")


def find_sources(paths: Sequence[Path], game: str, unread: Callable[[str], None]) -> list[Path]:
    """The files among `paths`, and all files in folders that have a format of the game.

    `unread` is called with a message for each folder that cannot be read.
    """

    def complain(error: OSError) -> None:
        unread(f"{error.filename}: {reason(error)}")

    wanted = formats(game)
    sources: list[Path] = []
    for path in paths:
        if path.is_dir():
            files = [Path(at, name) for at, _, names in os.walk(path, onerror=complain) for name in names]
            sources += sorted(file for file in files if format_of(file) in wanted and _may_be_file(file))
        else:
            sources.append(path)
    return sources


def _may_be_file(path: Path) -> bool:
    """Whether it is a file, or its type is unknown; opening it then gives the reason."""
    try:
        return path.is_file()
    except OSError:
        return True
