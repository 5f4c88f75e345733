"""Filter of Go games: `[games]` of a preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sparring.config import Count
from sparring.records.filters import RENAMED
from sparring.records.record import GameRecord


@dataclass(frozen=True)
class GoFilter:
    """`[games]` of a preset."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

    sizes: tuple[int, ...] = ()
    """Board sizes to keep; empty for all."""
    same_rank: bool = False
    """Keeps only games between players of the same rank."""
    ranks: tuple[str, ...] = ()
    """Ranks to keep (6k, 3d, 9p); empty for all."""
    handicap: bool = True
    """Keeps games with handicap or set-up stones."""
    white_begins: bool = True
    """Keeps games that White begins without handicap; often the record lacks a pass."""
    need_result: bool = False
    """Leaves out games without a result."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        rows, side, *_ = (record.start or "").split()
        stones = "X" in rows or "O" in rows
        if self.sizes and rows.count("/") + 1 not in self.sizes:
            return "board size"
        if stones and not self.handicap:
            return "handicap"
        if side == "w" and not stones and not self.white_begins:
            return "White began"
        if record.result is None and self.need_result:
            return "no result"
        if plies < self.min_plies:
            return "too short"
        return self._rank_problem(record)

    def _rank_problem(self, record: GameRecord) -> str:
        ranks = (record.first_rank, record.second_rank)
        if (self.same_rank or self.ranks) and None in ranks:
            return "no ranks"
        if self.same_rank and ranks[0] != ranks[1]:
            return "ranks apart"
        return "ranks out of range" if self.ranks and not set(ranks) <= set(self.ranks) else ""
