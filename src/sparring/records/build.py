"""Builds a table from files as a stream: bounded memory, and no game lost or duplicated by a kill."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from sparring.records.presets import Preset
from sparring.records.readers import format_of, formats, reader_for
from sparring.records.record import ParsedGame
from sparring.records.streams import TruncatedFile, UnreadableFile, open_chunks, reason, source_size
from sparring.records.table import TableWriter
from sparring.storage import lock_folder

_MOST_EXAMPLES = 20


class TableWriteError(Exception):
    """The table cannot be written; the message says why, and how many games are safe."""


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

    def manifest_entry(self) -> dict[str, Any]:
        """The part that is stored in the manifest."""
        return {name: value for name, value in asdict(self).items() if name != "unread"}

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

    A file that cannot be read is left for the next run. Raises BadTable, UnsupportedFormat, TableWriteError
    or FolderLocked.
    """
    try:
        lock = lock_folder(out)
    except OSError as error:
        raise TableWriteError(f"{out} cannot be written: {reason(error)}") from None
    with lock:
        return _build(sources, preset, out, on_progress, shard)


def _build(
    sources: Sequence[Path], preset: Preset, out: Path, on_progress: BuildProgressCallback, shard: int
) -> BuildReport:
    writer = TableWriter(out, preset.game, preset.manifest_entry(), shard=shard)
    progress = writer.manifest["progress"]
    report = BuildReport(**progress.get("report", {}))
    done: dict[str, int] = progress.get("read", {})
    finished: dict[str, None] = dict.fromkeys(progress.get("finished", []))  # folders can have 100,000 files

    safe = report.kept

    def commit() -> None:
        nonlocal safe
        try:
            writer.commit({"report": report.manifest_entry(), "read": done, "finished": list(finished)})
        except OSError as error:
            trouble = f"{out} cannot be written: {reason(error)}"
            raise TableWriteError(
                f"{trouble}; {safe:,} games are safe; the same command resumes after them"
            ) from None
        safe = report.kept

    before = 0
    for source in sources:
        name = str(source)
        if name not in finished:
            read = reader_for(source, preset.game)
            chunks = open_chunks(source, partial(_watch, on_progress, report, before))
            file = source.name
            try:
                for game in read(chunks, done.get(name, 0)):
                    done[name] = game.end
                    _sort_in(game, file, preset, writer, report)
                    if writer.full:
                        commit()
            except UnreadableFile as error:
                report.unread.append(str(error))
                continue
            except TruncatedFile as error:
                report.note(f"{file}: {error}; the games before that are kept")
            finished[name] = None
            done.pop(name, None)
        before += source_size(source)
    commit()
    return report


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


def _sort_in(game: ParsedGame, source: str, preset: Preset, writer: TableWriter, report: BuildReport) -> None:
    if game.defect:
        report.drop(game.defect)
    elif game.record is None:
        report.note_broken(f"{source}, {game.where}: {game.error}")
    elif reason := preset.rejection_reason(game.record):
        report.drop(reason)
    else:
        report.kept += 1
        writer.add(game.record, source)


def _watch(on_progress: BuildProgressCallback, report: BuildReport, before: int, read: int) -> None:
    on_progress(report, before + read)
