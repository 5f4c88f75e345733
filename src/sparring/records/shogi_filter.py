"""Filter of shogi games: `[games]` of a preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sparring.config import Count
from sparring.records.filters import RENAMED
from sparring.records.record import GameRecord, Termination


@dataclass(frozen=True)
class ShogiFilter:
    """`[games]` of a preset."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

    lost_on_time: bool = True
    """Keeps games lost on time."""
    rating_difference: Count = 0
    """Ratings must differ by less than this; 0 keeps every pair, also without ratings."""
    equal_groups: Count = 0
    """Number of rating groups of equal size; 0 makes groups of 100 points."""
    handicap: bool = True
    """Keeps games from another initial position."""
    need_result: bool = False
    """Leaves out games without a result."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if record.ending == Termination.TIME and not self.lost_on_time:
            return "lost on time"
        if record.start is not None and not self.handicap:
            return "another first position"
        if record.result is None and self.need_result:
            return "no result"
        if plies < self.min_plies:
            return "too short"
        if not self.rating_difference:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        apart = abs(record.first_rating - record.second_rating)
        return "" if apart < self.rating_difference else "ratings apart"
