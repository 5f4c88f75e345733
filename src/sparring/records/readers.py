"""Which reader a file needs: by its name, without the endings of compression."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import TypeAlias

from sparring.records.csa import read_csa
from sparring.records.expendibots_log import read_logs
from sparring.records.hcpe import read_hcpe
from sparring.records.kif import read_ki2, read_kif
from sparring.records.pgn import read_pgn
from sparring.records.reconchess_history import read_histories, read_history
from sparring.records.record import ParsedGame, UnsupportedFormat
from sparring.records.sgf import read_sgf

Reader: TypeAlias = Callable[[Iterable[bytes], int], Iterator[ParsedGame]]
"""Takes the unpacked content in pieces and the byte from which to read; gives the games in order."""

READERS: dict[str, tuple[str, Reader]] = {
    "pgn": ("chess", read_pgn),
    "sgf": ("go", read_sgf),
    "kif": ("shogi", read_kif),
    "kifu": ("shogi", read_kif),
    "ki2": ("shogi", read_ki2),
    "csa": ("shogi", read_csa),
    "hcpe": ("shogi", read_hcpe),
    "json": ("rbc", read_history),
    "jsonl": ("rbc", read_histories),
    "log": ("expendibots", read_logs),
}
"""By the ending of a file's name: the game and its reader."""

_COMPRESSED = (".gz", ".bz2", ".zst")


def format_of(path: Path) -> str:
    """The ending that says what is in a file: pgn of games.pgn.zst."""
    name = path.name.lower()
    for ending in _COMPRESSED:
        name = name.removesuffix(ending)
    return name.rpartition(".")[2]


def stem_of(path: Path) -> str:
    """A file's name without the endings of its format and compression: games of games.pgn.zst."""
    name = path.name
    for ending in _COMPRESSED:
        name = name[: -len(ending)] if name.lower().endswith(ending) else name
    return name.rpartition(".")[0] or name


def formats(game: str) -> list[str]:
    """The endings of the files that hold this game."""
    return [ending for ending, (played, _) in READERS.items() if played == game]


def reader_for(path: Path, game: str) -> Reader:
    """The reader of a file. Raises UnsupportedFormat."""
    ending = format_of(path)
    if ending not in READERS:
        raise UnsupportedFormat(
            f"{path}: files of {game} end in {', '.join(formats(game))} (and .gz, .bz2 or .zst)"
        )
    played, reader = READERS[ending]
    if played != game:
        raise UnsupportedFormat(f"{path} holds {played}, but the preset is for {game}")
    return reader
