"""Filters of recorded games: `[games]` of a preset. Some games have their own filter class."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar, Protocol

from sparring.config import Count
from sparring.records.record import GameRecord

RENAMED: Mapping[str, str] = {
    "shortest": "min_plies",
    "most_passes": "max_pass_share",
    "least_seconds": "min_clock",
}
"""Old keys of presets, also in the manifests of tables."""


class GameFilter(Protocol):
    """A frozen dataclass whose fields are the keys of a preset's [games]."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving out a game of `plies` plies, in a word or two; empty if it is kept."""
        ...


@dataclass(frozen=True)
class BasicFilter:
    """The default filter: by termination and length."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

    endings: tuple[str, ...] = ()
    """Terminations to keep, such as "normal", "time" or "rules infraction"; empty for all."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        return "too short" if plies < self.min_plies else ""
