"""Readers and writers of recorded games, by game and file suffix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from sparring.games import DESCRIPTIONS, describe, resolve
from sparring.records.record import GameRecord, ParsedGame, UnsupportedFormat
from sparring.records.variant_pgn import variant_reader, variant_writer

Reader: TypeAlias = Callable[[Iterable[bytes], int], Iterator[ParsedGame]]
"""(chunks, skip): the uncompressed content in pieces, and the byte from which to read; games in order."""
Writer: TypeAlias = Callable[[GameRecord], str]

_COMPRESSED = (".gz", ".bz2", ".zst")


def format_of(path: Path) -> str:
    """The suffix of a file's format in lower case: `pgn` for games.pgn.zst."""
    name = path.name.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name.rpartition(".")[2]


def stem_of(path: Path) -> str:
    """A file's name without the suffixes of its format and compression: `games` for games.pgn.zst."""
    name = path.name
    for ending in _COMPRESSED:
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name.rpartition(".")[0] or name


def formats(game: str) -> list[str]:
    """The suffixes of the files that hold a game. Raises ValueError for an unknown game."""
    records = describe(game).records
    return list(records.readers) or [records.suffix]


def reader_for(path: Path, game: str) -> Reader:
    """The reader of a file. Raises UnsupportedFormat."""
    suffix = format_of(path)
    if suffix in formats(game):
        return reader_of(game, suffix)
    if others := [each.name for each in DESCRIPTIONS if suffix in each.records.readers]:
        raise UnsupportedFormat(f"{path} holds {others[0]}, but the preset is for {game}")
    raise UnsupportedFormat(
        f"{path}: files of {game} end in {', '.join(formats(game))} (and .gz, .bz2 or .zst)"
    )


def reader_of(game: str, suffix: str) -> Reader:
    """The reader of a game's files with this suffix, one of `formats(game)`."""
    readers = describe(game).records.readers
    reader: Reader = resolve(readers[suffix]) if readers else variant_reader(game)
    return reader


def writer_of(game: str, suffix: str | None = None) -> Writer:
    """The function that writes a record in the game's notation, or in that of a suffix.

    Raises ValueError for an unknown game, UnsupportedFormat for a suffix that is not in
    `written_formats(game)`.
    """
    records = describe(game).records
    if suffix is not None and suffix not in written_formats(game):
        raise UnsupportedFormat(f"games of {game} are written as {', '.join(written_formats(game))}")
    reference = records.writers.get(suffix or "", records.writer)
    writer: Writer = resolve(reference) if reference else variant_writer(game)
    return writer


def written_formats(game: str) -> list[str]:
    """The suffixes of the files that a game can be written to; the first is what people use."""
    records = describe(game).records
    return [*records.writers, records.suffix]
