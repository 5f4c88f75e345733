"""What teachers have said already: a position comes back with every pass over the records.

Answers lie on the device, so that teachers take time in the first pass alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from sparring.records import PositionFilter, Split
from sparring.records.game_rows import read_rows, shard_paths
from sparring.records.record import MOVE_BYTES

KEPT = 32
"""Moves of each answer: the likeliest."""
_CHUNKS = 8
"""Teachers are asked about a batch in so many parts, and only about those that are needed."""


class Memory:
    """Answers about the positions of games, 134 bytes each."""

    def __init__(self, games: NDArray[np.int64], plies: NDArray[np.int64], device: torch.device) -> None:
        """`games` are identities, ascending; `plies` how many moves each has."""
        self._games, self._begins = games, np.cumsum(plies) - plies
        size = int(plies.sum())
        self._known = np.zeros(size, bool)
        self._moves = torch.zeros((size, KEPT), dtype=torch.int16, device=device)
        self._chances = torch.zeros((size, KEPT), dtype=torch.float16, device=device)
        self._results = torch.zeros((size, 3), dtype=torch.float16, device=device)

    def places(self, games: NDArray[np.int64], plies: NDArray[np.int32]) -> NDArray[np.int64]:
        """Where the answers about these positions lie."""
        places: NDArray[np.int64] = self._begins[np.searchsorted(self._games, games)] + plies
        return places

    def claim(self, places: NDArray[np.int64], wanted: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """Which of the wanted places have no answer; the caller is to `keep` one for each of them."""
        new: NDArray[np.bool_] = wanted & ~self._known[places]
        self._known[places[new]] = True
        return new

    def keep(self, places: Tensor, chances: Tensor, results: Tensor) -> None:
        """Answers for places: chances of moves [n, moves], and of results [n, 3 or 0]."""
        top = chances.topk(min(KEPT, chances.shape[1]), dim=1)
        # What is cut off goes to the moves that are kept.
        share = chances.sum(dim=1, keepdim=True) / top.values.sum(dim=1, keepdim=True)
        width = top.indices.shape[1]
        self._moves[places, :width] = top.indices.to(torch.int16)
        self._chances[places, :width] = (top.values * share).to(torch.float16)
        self._results[places, : results.shape[1]] = results.to(torch.float16)

    def recall(self, places: Tensor, moves: int, results: int) -> tuple[Tensor, Tensor]:
        """The answers of places: chances [n, moves], and results [n, results]."""
        chances = torch.zeros((len(places), moves), device=places.device)
        chances.scatter_add_(1, self._moves[places].long(), self._chances[places].float())
        return chances, self._results[places, :results].float()


def memory_of(tables: Sequence[Path], game: str, trial: int, device: torch.device) -> Memory:
    """An empty memory for the training games of tables. Raises BadTable."""
    games: dict[int, int] = {}
    for path in (path for table in tables for path in shard_paths(table)):
        rows = read_rows(path, game, Split.TRAIN, trial, PositionFilter())
        lengths = [len(moves) // MOVE_BYTES[game] for moves in rows.moves]
        games.update(zip(rows.identities.tolist(), lengths, strict=True))
    identities = np.array(sorted(games), np.int64)
    return Memory(identities, np.array([games[each] for each in identities.tolist()], np.int64), device)


def chunks(asked: NDArray[np.bool_]) -> NDArray[np.int64]:
    """The rows of a batch that are asked about, [chunks, rows]: all of one size, the last filled up."""
    size = max(1, len(asked) // _CHUNKS)
    rows = np.flatnonzero(asked)
    return np.resize(rows, (-(-len(rows) // size), size)).astype(np.int64)
