"""Cache of teacher outputs by position.

Outputs stay on the device. The teachers evaluate each position only in the first epoch.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.games import describe
from sparring.records import PositionFilter, Split
from sparring.records.game_rows import read_rows
from sparring.records.table import table_shards

CACHED_MOVES = 32
"""Most probable moves that are stored per position."""
_CHUNKS = 8
"""Parts of a batch: teachers evaluate only the parts that have uncached positions."""


class TeacherCache:
    """Outputs for all positions of the training games, 134 bytes per position."""

    def __init__(self, games: NDArray[np.int64], plies: NDArray[np.int64], device: torch.device) -> None:
        """`games` are ascending game identities; `plies` are their numbers of moves."""
        self._games, self._begins = games, np.cumsum(plies) - plies
        size = int(plies.sum())
        self._known = np.zeros(size, bool)
        self._moves = torch.zeros((size, CACHED_MOVES), dtype=torch.int16, device=device)
        self._probabilities = torch.zeros((size, CACHED_MOVES), dtype=torch.float16, device=device)
        self._results = torch.zeros((size, 3), dtype=torch.float16, device=device)

    def indices(self, games: NDArray[np.int64], plies: NDArray[np.int32]) -> NDArray[np.int64]:
        """Returns the cache indices of positions, given by game identity and ply."""
        indices: NDArray[np.int64] = self._begins[np.searchsorted(self._games, games)] + plies
        return indices

    def reserve(self, indices: NDArray[np.int64], wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Returns a mask of the wanted indices without an entry, and marks them: the caller must `store`
        them."""
        new: NDArray[np.bool_] = wanted & ~self._known[indices]
        self._known[indices[new]] = True
        return new

    def store(self, indices: Tensor, probabilities: Tensor, results: Tensor) -> None:
        """Stores move probabilities [n, moves] and result probabilities [n, 3 or 0]."""
        top = probabilities.topk(min(CACHED_MOVES, probabilities.shape[1]), dim=1)
        # Renormalise over the moves that are kept.
        share = probabilities.sum(dim=1, keepdim=True) / top.values.sum(dim=1, keepdim=True)
        width = top.indices.shape[1]
        self._moves[indices, :width] = top.indices.to(torch.int16)
        self._probabilities[indices, :width] = (top.values * share).to(torch.float16)
        self._results[indices, : results.shape[1]] = results.to(torch.float16)

    def lookup(self, indices: Tensor, moves: int, results: int) -> tuple[Tensor, Tensor]:
        """Returns move probabilities [n, moves] and result probabilities [n, results]."""
        probabilities = torch.zeros((len(indices), moves), device=indices.device)
        probabilities.scatter_add_(1, self._moves[indices].long(), self._probabilities[indices].float())
        return probabilities, self._results[indices, :results].float()


def make_teacher_cache(tables: Sequence[Path], game: str, trial: int, device: torch.device) -> TeacherCache:
    """Returns an empty cache for the training games of tables. Raises BadTable."""
    games: dict[int, int] = {}
    for shard in (shard for table in tables for shard in table_shards(table)):
        rows = read_rows(shard, game, Split.TRAIN, trial, PositionFilter())
        lengths = [len(moves) // describe(game).packed_move_bytes for moves in rows.moves]
        games.update(zip(rows.identities.tolist(), lengths, strict=True))
    identities = np.array(sorted(games), np.int64)
    return TeacherCache(identities, np.array([games[each] for each in identities.tolist()], np.int64), device)


def chunks(queried: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Returns the rows to evaluate as [chunks, rows]; the last chunk is filled up with repeated rows."""
    size = max(1, len(queried) // _CHUNKS)
    rows = np.flatnonzero(queried)
    return np.resize(rows, (-(-len(rows) // size), size)).astype(np.int64)
