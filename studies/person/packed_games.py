"""A small file of games for a machine without tables: what people's moves depend on, and nothing else."""

from __future__ import annotations

import datetime
import lzma
from collections.abc import Iterable
from pathlib import Path
from typing import TypeAlias

import msgspec

from sparring.base.storage import atomic_write
from sparring.records import GameRecord, open_records

Text: TypeAlias = str | None
Number: TypeAlias = int | None
Row: TypeAlias = tuple[bytes, float | None, Text, Text, Text, Number, Number, Text, Text, Text, Text]


def pack_games(records: Iterable[GameRecord], path: Path) -> None:
    """Writes games: moves, start, players, ratings, date and site. Their identities, and so their splits,
    stay."""
    rows: list[Row] = [
        (
            record.moves, record.result, record.start, record.first, record.second, record.first_rating,
            record.second_rating, record.first_rank, record.second_rank,
            None if record.date is None else record.date.isoformat(), record.site,
        )
        for record in records
    ]  # fmt: skip
    columns = [list(column) for column in zip(*rows, strict=True)]
    atomic_write(path, lzma.compress(msgspec.msgpack.encode(columns), preset=9))


def unpack_games(path: Path) -> list[GameRecord]:
    """The games of a file of `pack_games`."""
    columns = msgspec.msgpack.decode(lzma.decompress(path.read_bytes()))
    found = []
    for row in zip(*columns, strict=True):
        moves, result, start, first, second, rating, other, rank, other_rank, date, site = row
        found.append(
            GameRecord(
                moves, result, start, first=first, second=second, first_rating=rating, second_rating=other,
                first_rank=rank, second_rank=other_rank,
                date=None if date is None else datetime.date.fromisoformat(date), site=site,
            )
        )  # fmt: skip
    return found


def read_games(path: Path, game: str) -> list[GameRecord]:
    """The games of a packed file, or of anything that `open_records` opens."""
    if path.suffix == ".games":
        return unpack_games(path)
    return [record.record for record in open_records(path, game)]
