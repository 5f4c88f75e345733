"""What a preset asks of a game, for each game that can be recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sparring.records.record import GameRecord


class Filter(Protocol):
    """Frozen dataclasses whose fields are the entries of a preset's [games]."""

    def why_not(self, record: GameRecord) -> str:
        """Why the game is left out, in a word or two; empty when it is kept."""
        ...


@dataclass(frozen=True)
class ChessFilter:
    """The comments in presets/maia.toml say what each entry means."""

    speeds: tuple[str, ...] = ()
    group_width: int = 0
    lowest_group: int = 0
    highest_group: int = 9999
    shortest: int = 1

    def why_not(self, record: GameRecord) -> str:
        """Why the game is left out; empty when it is kept."""
        if self.speeds and (record.speed or "unknown") not in self.speeds:
            return "speed"
        if record.result is None:
            return "no result"
        if len(record.moves) < self.shortest:
            return "too short"
        return self._rating_trouble(record)

    def _rating_trouble(self, record: GameRecord) -> str:
        if not self.group_width:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        first, second = (rating // self.group_width for rating in (record.first_rating, record.second_rating))
        if first != second:
            return "ratings apart"
        inside = self.lowest_group <= first * self.group_width <= self.highest_group
        return "" if inside else "ratings out of range"


FILTERS: dict[str, type[Filter]] = {"chess": ChessFilter}
"""By game."""
