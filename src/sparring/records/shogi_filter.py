"""Which games of shogi a preset keeps."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.records.record import GameRecord, Termination


@dataclass(frozen=True)
class ShogiFilter:
    """A preset's [games]; the comments in data/presets/shogi-groups.toml explain each key."""

    lost_on_time: bool = True
    rating_difference: int = 0
    equal_groups: int = 0
    handicap: bool = True
    need_result: bool = False
    shortest: int = 1

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why the game is left out; empty when it is kept."""
        if record.ending == Termination.TIME and not self.lost_on_time:
            return "lost on time"
        if record.start is not None and not self.handicap:
            return "another first position"
        if record.result is None and self.need_result:
            return "no result"
        if plies < self.shortest:
            return "too short"
        if not self.rating_difference:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        apart = abs(record.first_rating - record.second_rating)
        return "" if apart < self.rating_difference else "ratings apart"
