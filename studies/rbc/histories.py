"""Recorded games of reconnaissance blind chess: files of reconchess histories."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from sparring.base.errors import UserError
from sparring.records.readers import reader_for
from sparring.records.record import ParsedGame
from sparring.records.sources import open_chunks


def find_histories(records: Path) -> list[Path]:
    """The history files of a folder and its subfolders, sorted, or the file itself. Raises UserError."""
    paths = sorted(p for p in records.rglob("*.json*") if p.is_file()) if records.is_dir() else [records]
    if not paths or not paths[0].exists():
        raise UserError(f"there are no histories (.json, .jsonl, .jsonl.zst) in {records}")
    return paths


def read_games(paths: Iterable[Path]) -> Iterator[ParsedGame]:
    """The games of history files, plain or compressed: one a file (.json) or one a line (.jsonl)."""
    for path in paths:
        yield from reader_for(path, "rbc")(open_chunks(path), 0)
