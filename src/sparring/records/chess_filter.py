"""Which games of chess a preset keeps."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.records.record import GameRecord


@dataclass(frozen=True)
class ChessFilter:
    """A preset's [games]; the comments in data/presets/maia.toml explain each key."""

    speeds: tuple[str, ...] = ()
    group_width: int = 0
    lowest_group: int = 0
    highest_group: int = 9999
    shortest: int = 1

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why the game is left out; empty when it is kept."""
        if self.speeds and (record.speed or "unknown") not in self.speeds:
            return "speed"
        if record.result is None:
            return "no result"
        if plies < self.shortest:
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
