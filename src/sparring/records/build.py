"""From files to a table, in a stream: bounded memory, progress, and no game lost or doubled by a kill."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from sparring.records.presets import Preset
from sparring.records.readers import format_of, formats, reader_for
from sparring.records.record import Found
from sparring.records.streams import CutOff, open_chunks
from sparring.records.table import TableWriter

_MOST_EXAMPLES = 20


@dataclass
class Report:
    """What became of the games of the sources."""

    kept: int = 0
    dropped: dict[str, int] = field(default_factory=dict)
    """Left out by the preset, by reason."""
    broken: int = 0
    examples: list[str] = field(default_factory=list)
    """The first broken games: where, and what is wrong."""

    @property
    def seen(self) -> int:
        """All games that were found."""
        return self.kept + self.broken + sum(self.dropped.values())

    def drop(self, reason: str) -> None:
        """One more game left out."""
        self.dropped[reason] = self.dropped.get(reason, 0) + 1

    def note_broken(self, where: str) -> None:
        """One more broken game."""
        self.broken += 1
        self.note(where)

    def note(self, where: str) -> None:
        """Something that the user should see."""
        if len(self.examples) < _MOST_EXAMPLES:
            self.examples.append(where)


Watcher = Callable[[Report, int], None]
"""Hears the report so far and how many bytes of the sources were read."""


def build(
    sources: Sequence[Path],
    preset: Preset,
    out: Path,
    watch: Watcher = lambda *_: None,
    *,
    shard: int = 50_000,
) -> Report:
    """Reads the sources into the table at `out`, going on from where an earlier run stopped.

    Raises BadTable or OSError.
    """
    writer = TableWriter(out, preset.game, preset.facts(), shard=shard)
    progress = writer.manifest["progress"]
    report = Report(**progress.get("report", {}))
    done: dict[str, int] = progress.get("read", {})
    finished: dict[str, None] = dict.fromkeys(progress.get("finished", []))  # folders can have 100,000 files

    def commit() -> None:
        writer.commit({"report": vars(report), "read": done, "finished": list(finished)})

    before = 0
    for source in sources:
        name = str(source)
        if name not in finished:
            read = reader_for(source, preset.game)
            chunks = open_chunks(source, partial(_watch, watch, report, before))
            try:
                file = source.name
                for game in read(chunks, done.get(name, 0)):
                    done[name] = game.end
                    _sort_in(game, file, preset, writer, report)
                    if writer.full:
                        commit()
            except CutOff as error:
                report.note(f"{source.name}: {error}; the games before that are kept")
            finished[name] = None
            done.pop(name, None)
        before += source.stat().st_size
    commit()
    return report


def find_sources(paths: Sequence[Path], game: str) -> list[Path]:
    """The files named, and in folders all files that a reader of this game takes. Raises OSError."""
    sources: list[Path] = []
    for path in paths:
        if path.is_dir():
            sources += sorted(p for p in path.rglob("*") if p.is_file() and format_of(p) in formats(game))
        else:
            sources.append(path)
    return sources


def _sort_in(game: Found, source: str, preset: Preset, writer: TableWriter, report: Report) -> None:
    if game.defect:
        report.drop(game.defect)
    elif game.record is None:
        report.note_broken(f"{source}, {game.where}: {game.error}")
    elif reason := preset.games.why_not(game.record):
        report.drop(reason)
    else:
        report.kept += 1
        writer.add(game.record, source)


def _watch(watch: Watcher, report: Report, before: int, read: int) -> None:
    watch(report, before + read)
