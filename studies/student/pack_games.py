"""Packs a table of chess games into one small file for the GPU machine.

    python -m studies.student.pack_games TABLE OUT.xz [--test]

TABLE is built by `sparring records build *.pgn.zst --preset everything`. The file has the training and
validation split, or with `--test` the test split alone (for `evaluate`). Training games with the moves of a
validation or test game are left out.
"""

from __future__ import annotations

import io
import lzma
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from sparring.records import PositionFilter, Split
from sparring.records.game_rows import GameRows, read_rows
from sparring.records.table import table_shards

_LONGEST_CLOCK = 7200.0
_MIN_PLIES = 20
"""Shorter games may be equal by chance."""


def pack(table: Path, out: Path, splits: Sequence[Split] = (Split.TRAIN, Split.VALIDATION)) -> int:
    """Writes the games of some splits of a table and returns their number."""
    shards = {
        split: [read_rows(shard, "chess", split, 0, PositionFilter()) for shard in table_shards(table)]
        for split in Split
    }
    held_out = {
        moves
        for split in (Split.VALIDATION, Split.TEST)
        for rows in shards[split]
        for moves in rows.moves
        if len(moves) >= _MIN_PLIES
    }
    chosen = [
        (number, rows, i)
        for number, split in enumerate(Split)
        if split in splits
        for rows in shards[split]
        for i in range(len(rows))
        if rows.starts[i] is None
        and len(rows.moves[i]) >= 2
        and (split is not Split.TRAIN or rows.moves[i] not in held_out)
    ]
    file = io.BytesIO()
    np.savez(file, **_arrays(chosen))  # type: ignore[arg-type]
    out.write_bytes(lzma.compress(file.getvalue(), preset=6))
    return len(chosen)


def _arrays(chosen: list[tuple[int, GameRows, int]]) -> dict[str, NDArray[np.generic]]:
    results = np.array([rows.results[i] for _, rows, i in chosen], np.float32)
    clocks = [rows.clocks[i] for _, rows, i in chosen]
    known = [np.frombuffer(each, np.int32) for each in clocks if each is not None]
    return {
        "moves": np.frombuffer(b"".join(rows.moves[i] for _, rows, i in chosen), np.uint8),
        "lengths": np.array([len(rows.moves[i]) for _, rows, i in chosen], np.uint16),
        "ratings": np.array([rows.ratings[i] for _, rows, i in chosen], np.int16),
        "results": (np.nan_to_num(results, nan=-1) * 2).astype(np.int8),
        "splits": np.array([split for split, _, _ in chosen], np.uint8),
        "has_clocks": np.array([each is not None for each in clocks]),
        "clocks": _scaled(np.concatenate([*known, np.zeros(0, np.int32)])),
    }


def _scaled(tenths: NDArray[np.int32]) -> NDArray[np.uint8]:
    """Clocks in tenths of a second on a logarithmic scale from 1 to 255; 0 if unknown."""
    scale = np.log1p(np.maximum(tenths, 0) / 10) / np.log1p(_LONGEST_CLOCK)
    return np.where(tenths < 0, 0, np.clip(1 + np.round(254 * scale), 1, 255)).astype(np.uint8)


if __name__ == "__main__":
    table, out, *rest = sys.argv[1:]
    splits = (Split.TEST,) if rest == ["--test"] else (Split.TRAIN, Split.VALIDATION)
    print(f"{pack(Path(table), Path(out), splits):,} games")
