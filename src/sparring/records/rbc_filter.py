"""Which games of RBC a preset keeps."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.records.record import GameRecord


@dataclass(frozen=True)
class RbcFilter:
    """A preset's [games]; the comments in data/presets/rbc.toml explain each key."""

    most_passes: float = 1.0
    endings: tuple[str, ...] = ()
    shortest: int = 1

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """Why the game is left out; empty when it is kept."""
        if record.result is None:
            return "no result"
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        if plies < self.shortest:
            return "too short"
        return "a player stopped playing" if max(pass_rates(record)) > self.most_passes else ""


def pass_rates(record: GameRecord) -> tuple[float, float]:
    """The share of White's and of Black's turns in RBC that passed.

    A turn is a sense and a move, and a pass has the lowest code of all moves, so that its index is 0.
    """
    moves = memoryview(record.moves).cast("H")[1::2].tolist()
    white, black = moves[::2], moves[1::2]
    return white.count(0) / max(len(white), 1), black.count(0) / max(len(black), 1)
