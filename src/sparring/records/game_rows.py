"""The columns of a table that training needs, in memory."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import chain
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from sparring.records.presets import PositionFilter
from sparring.records.record import GameRecord
from sparring.records.splits import Split, split_of
from sparring.records.table import TableShard, read_shard

_IDENTITY = ["moves", "result", "start", "first", "second", "date", "site"]
_COLUMNS = [
    *_IDENTITY,
    "clocks",
    "first_rating",
    "second_rating",
    "first_rank",
    "second_rank",
]
_UNKNOWN = -1


@dataclass(frozen=True)
class GameRows:
    """Games as columns, one row per game."""

    starts: list[str | None]
    moves: list[bytes]
    clocks: list[bytes | None]
    limits: NDArray[np.int64]
    """[games, 2]: the position filter: plies to skip, and least clock in tenths of a second."""
    identities: NDArray[np.int64]
    results: NDArray[np.float32]
    """[games]: score of the first player; NaN when unknown."""
    ratings: NDArray[np.int16]
    """[games, 2]; -1 when unknown."""
    ranks: NDArray[np.str_]
    """[games, 2]; empty when unknown."""

    def __len__(self) -> int:
        return len(self.moves)

    def take(self, which: NDArray[np.integer[Any]]) -> GameRows:
        """The games at the indices, in their order."""
        at = which.tolist()
        columns: list[Any] = [[column[i] for i in at] for column in self._lists()]
        columns += [column[which] for column in self._arrays()]
        return GameRows(*columns)

    @staticmethod
    def join(parts: list[GameRows]) -> GameRows:
        """The games of all parts, concatenated."""
        columns: list[Any] = [list(chain(*each)) for each in zip(*map(GameRows._lists, parts), strict=True)]
        columns += [np.concatenate(each) for each in zip(*map(GameRows._arrays, parts), strict=True)]
        return GameRows(*columns)

    def _lists(self) -> tuple[list[Any], ...]:
        return self.starts, self.moves, self.clocks

    def _arrays(self) -> tuple[NDArray[Any], ...]:
        return self.limits, self.identities, self.results, self.ratings, self.ranks


def read_rows(
    shard: TableShard, game: str, split: Split | None, trial: int, positions: PositionFilter
) -> GameRows:
    """The games of a shard that belong to the split (None for all). Raises BadTable."""
    rows = read_shard(shard, _COLUMNS)
    columns = {name: rows[name].to_pylist() for name in _IDENTITY}
    facts = zip(*columns.values(), strict=True)
    identities = [GameRecord(**dict(zip(columns, row, strict=True))).identity(game) for row in facts]
    kept = [i for i, each in enumerate(identities) if split is None or split_of(each, trial) is split]
    rows = rows.take(pa.array(kept, pa.int64()))
    limits = [positions.skip_plies, round(positions.min_clock * 10)]
    return GameRows(
        starts=[columns["start"][i] for i in kept],
        moves=[columns["moves"][i] for i in kept],
        clocks=rows["clocks"].to_pylist(),
        limits=np.array([limits] * len(kept), np.int64).reshape(-1, 2),
        identities=np.array([identities[i] for i in kept], np.int64),
        results=np.array(
            [np.nan if (value := columns["result"][i]) is None else value for i in kept], np.float32
        ),
        ratings=_pairs(rows, "rating", _UNKNOWN, np.int16),
        ranks=_pairs(rows, "rank", "", "U8"),
    )


def _pairs(shard: Any, name: str, unknown: int | str, kind: Any) -> NDArray[Any]:
    """The values of both players, [games, 2]."""
    both = [shard[f"{player}_{name}"].to_pylist() for player in ("first", "second")]
    values = [[unknown if value is None else value for value in column] for column in both]
    return np.array(values, kind).reshape(2, -1).T
