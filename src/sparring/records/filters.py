"""Which recorded games a preset keeps. Games whose records have more to ask have a filter of their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sparring.records.record import GameRecord


class GameFilter(Protocol):
    """A frozen dataclass whose fields are the keys of a preset's [games]."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why a game of so many plies is left out, in a word or two; empty when it is kept."""
        ...


@dataclass(frozen=True)
class BasicFilter:
    """The filter of games that have no other: by termination and length."""

    endings: tuple[str, ...] = ()
    """Terminations to keep; empty for all."""
    shortest: int = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why the game is left out; empty when it is kept."""
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        return "too short" if plies < self.shortest else ""
