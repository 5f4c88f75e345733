"""Which games of Go a preset keeps."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.records.record import GameRecord


@dataclass(frozen=True)
class GoFilter:
    """A preset's [games]; the comments in data/presets/go-ranks.toml explain each key."""

    sizes: tuple[int, ...] = ()
    same_rank: bool = False
    ranks: tuple[str, ...] = ()
    handicap: bool = True
    white_begins: bool = True
    need_result: bool = False
    shortest: int = 1

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why the game is left out; empty when it is kept."""
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
        if plies < self.shortest:
            return "too short"
        return self._rank_problem(record)

    def _rank_problem(self, record: GameRecord) -> str:
        ranks = (record.first_rank, record.second_rank)
        if (self.same_rank or self.ranks) and None in ranks:
            return "no ranks"
        if self.same_rank and ranks[0] != ranks[1]:
            return "ranks apart"
        return "ranks out of range" if self.ranks and not set(ranks) <= set(self.ranks) else ""
