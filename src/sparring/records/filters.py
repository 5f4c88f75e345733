"""What a preset asks of a game, for each game that can be recorded."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sparring.records.record import GameRecord, Termination


class GameFilter(Protocol):
    """Frozen dataclasses whose fields are the entries of a preset's [games]."""

    def rejection_reason(self, record: GameRecord) -> str:
        """Why the game is left out, in a word or two; empty when it is kept."""
        ...


@dataclass(frozen=True)
class ChessFilter:
    """The comments in data/presets/maia.toml say what each entry means."""

    speeds: tuple[str, ...] = ()
    group_width: int = 0
    lowest_group: int = 0
    highest_group: int = 9999
    shortest: int = 1

    def rejection_reason(self, record: GameRecord) -> str:
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


@dataclass(frozen=True)
class GoFilter:
    """The comments in data/presets/go-ranks.toml say what each entry means."""

    sizes: tuple[int, ...] = ()
    same_rank: bool = False
    ranks: tuple[str, ...] = ()
    handicap: bool = True
    white_begins: bool = True
    need_result: bool = False
    shortest: int = 1

    def rejection_reason(self, record: GameRecord) -> str:
        """Why the game is left out; empty when it is kept."""
        rows, side, *_ = (record.start or "").split()
        stones = "X" in rows or "O" in rows
        if self.sizes and rows.count("/") + 1 not in self.sizes:
            return "board size"
        if stones and not self.handicap:
            return "handicap"
        if side == "w" and not stones and not self.white_begins:
            return "White began"
        if record.result is None and self.need_result:
            return "no result"
        if record.plies("go") < self.shortest:
            return "too short"
        return self._rank_trouble(record)

    def _rank_trouble(self, record: GameRecord) -> str:
        ranks = (record.first_rank, record.second_rank)
        if (self.same_rank or self.ranks) and None in ranks:
            return "no ranks"
        if self.same_rank and ranks[0] != ranks[1]:
            return "ranks apart"
        return "ranks out of range" if self.ranks and not set(ranks) <= set(self.ranks) else ""


@dataclass(frozen=True)
class ShogiFilter:
    """The comments in data/presets/shogi-groups.toml say what each entry means."""

    lost_on_time: bool = True
    rating_difference: int = 0
    equal_groups: int = 0
    handicap: bool = True
    need_result: bool = False
    shortest: int = 1

    def rejection_reason(self, record: GameRecord) -> str:
        """Why the game is left out; empty when it is kept."""
        if record.ending == Termination.TIME and not self.lost_on_time:
            return "lost on time"
        if record.start is not None and not self.handicap:
            return "another first position"
        if record.result is None and self.need_result:
            return "no result"
        if record.plies("shogi") < self.shortest:
            return "too short"
        if not self.rating_difference:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        apart = abs(record.first_rating - record.second_rating)
        return "" if apart < self.rating_difference else "ratings apart"


@dataclass(frozen=True)
class RbcFilter:
    """The comments in data/presets/rbc.toml say what each entry means."""

    most_passes: float = 1.0
    endings: tuple[str, ...] = ()
    shortest: int = 1

    def rejection_reason(self, record: GameRecord) -> str:
        """Why the game is left out; empty when it is kept."""
        if record.result is None:
            return "no result"
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        if record.plies("rbc") < self.shortest:
            return "too short"
        return "a player stopped playing" if max(pass_rates(record)) > self.most_passes else ""


def pass_rates(record: GameRecord) -> tuple[float, float]:
    """The share of White's and of Black's turns in RBC that passed.

    A turn is a sense and a move, and a pass has the lowest code of all moves, so that its index is 0.
    """
    moves = memoryview(record.moves).cast("H")[1::2].tolist()
    white, black = moves[::2], moves[1::2]
    return white.count(0) / max(len(white), 1), black.count(0) / max(len(black), 1)


@dataclass(frozen=True)
class ExpendibotsFilter:
    """The comments in data/presets/expendibots.toml say what each entry means."""

    endings: tuple[str, ...] = ()
    shortest: int = 1

    def rejection_reason(self, record: GameRecord) -> str:
        """Why the game is left out; empty when it is kept."""
        if self.endings and record.ending not in self.endings:
            return f"ending: {record.ending}"
        return "too short" if record.plies("expendibots") < self.shortest else ""


FILTERS: dict[str, type[GameFilter]] = {
    "chess": ChessFilter,
    "rbc": RbcFilter,
    "shogi": ShogiFilter,
    "go": GoFilter,
    "expendibots": ExpendibotsFilter,
}
"""By game."""
