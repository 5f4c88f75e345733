"""Filter of chess games: `[games]` of a preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sparring.config import Count
from sparring.records.filters import RENAMED
from sparring.records.record import GameRecord


@dataclass(frozen=True)
class ChessFilter:
    """`[games]` of a preset."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

    speeds: tuple[str, ...] = ()
    """Lichess speeds to keep; "unknown" keeps games without a time control. Empty for all."""
    group_width: Count = 0
    """Both ratings must lie in the same group of this width; 0 keeps every pair."""
    lowest_group: Count = 0
    """Lower bound of the lowest group."""
    highest_group: Count = 9999
    """Lower bound of the highest group."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if self.speeds and (record.speed or "unknown") not in self.speeds:
            return "speed"
        if record.result is None:
            return "no result"
        if plies < self.min_plies:
            return "too short"
        return self._rating_problem(record)

    def _rating_problem(self, record: GameRecord) -> str:
        if not self.group_width:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        first, second = (rating // self.group_width for rating in (record.first_rating, record.second_rating))
        if first != second:
            return "ratings apart"
        inside = self.lowest_group <= first * self.group_width <= self.highest_group
        return "" if inside else "ratings out of range"
