"""Filter of RBC games: `[games]` of a preset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from sparring.config import Count, Fraction
from sparring.records.filters import RENAMED
from sparring.records.record import GameRecord


@dataclass(frozen=True)
class RbcFilter:
    """`[games]` of a preset."""

    RENAMED: ClassVar[Mapping[str, str]] = RENAMED

    max_pass_share: Fraction = 1.0
    """Games in which a player passed in a larger fraction of its turns are left out."""
    endings: tuple[str, ...] = ()
    """Terminations to keep: "normal" (king captured, resignation, move limit) or "time"; empty for all."""
    min_plies: Count = 1
    """Games with fewer actions are left out; a turn has two, a sense and a move."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if record.result is None:
            return "no result"
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        if plies < self.min_plies:
            return "too short"
        return "a player stopped playing" if max(pass_rates(record)) > self.max_pass_share else ""


def pass_rates(record: GameRecord) -> tuple[float, float]:
    """The share of White's and of Black's turns in RBC that passed.

    A turn is a sense and a move, and a pass has the lowest code of all moves, so that its index is 0.
    """
    moves = memoryview(record.moves).cast("H")[1::2].tolist()
    white, black = moves[::2], moves[1::2]
    return white.count(0) / max(len(white), 1), black.count(0) / max(len(black), 1)
