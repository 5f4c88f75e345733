"""Filters of recorded games: `[games]` of a preset. Some games have a filter of their own."""

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
        """Why a game of so many plies is left out, in a word or two; empty when it is kept."""
        ...


@dataclass(frozen=True)
class BasicFilter:
    """The filter of games that have no other: by termination and length."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

    endings: tuple[str, ...] = ()
    """Terminations to keep, such as "normal", "time" or "rules infraction"; empty for all."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why the game is left out; empty when it is kept."""
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        return "too short" if plies < self.min_plies else ""
