"""A game as a row: the same few facts whatever the game and wherever it was recorded."""

from __future__ import annotations

import datetime
import hashlib
from enum import StrEnum
from typing import NamedTuple

MOVE_BYTES = {"chess": 1, "rbc": 2, "shogi": 2, "go": 2, "expendibots": 1, "breakthrough": 1}
"""Bytes of a packed move: two where a position can have more than 256 moves."""


class UnsupportedFormat(Exception):
    """A file that no reader takes; the message says which there are, or what they need."""


class ParsedGame(NamedTuple):
    """What a reader found: a game, or what was wrong with it, and where reading can go on after it."""

    record: GameRecord | None
    error: str
    where: str
    """Such as "line 12", for a person who wants to look."""
    end: int
    """Bytes of the unpacked source up to the end of the game."""
    defect: str = ""
    """Why a whole record is no game that a table can hold, in a few words: such are counted, not broken."""


class Termination(StrEnum):
    """How a recorded game ended, as far as its source says."""

    NORMAL = "normal"
    RESIGNATION = "resignation"
    TIME = "time"
    ABANDONED = "abandoned"
    RULES = "rules infraction"
    REPETITION = "repetition"
    DECLARATION = "declaration"
    IMPASSE = "impasse"
    UNKNOWN = "unknown"


class GameRecord(NamedTuple):
    """One recorded game. Players are first (who moves first by the rules) and second.

    A named tuple because millions are made: a frozen dataclass of so many fields takes five times as long.
    """

    moves: bytes
    """A byte a move: its index among the legal moves in ascending order (two bytes in wide games)."""
    result: float | None
    """For the first player: 1, 0.5 or 0; None when unknown."""
    start: str | None = None
    """The text of the first position, where it is not the game's usual one."""
    ending: Termination = Termination.UNKNOWN
    margin: float | None = None
    """By how many points it was won, where points were counted."""
    first: str | None = None
    second: str | None = None
    first_rating: int | None = None
    second_rating: int | None = None
    first_rank: str | None = None
    second_rank: str | None = None
    speed: str | None = None
    """Such as blitz or rapid."""
    time_control: str | None = None
    """As the source writes it, such as 600+5."""
    clocks: bytes | None = None
    """Tenths of a second left after each move as int32, -1 where unknown."""
    spent: bytes | None = None
    """Tenths of a second that each move took as int32, -1 where unknown."""
    evals: bytes | None = None
    """Centipawns for the first player after each move as int16, -32768 where unknown."""
    date: datetime.date | None = None
    event: str | None = None
    site: str | None = None

    def plies(self, game: str) -> int:
        """How many moves were played."""
        return len(self.moves) // MOVE_BYTES[game]

    def identity(self, game: str) -> int:
        """A 63-bit hash of what makes it this game: splits and duplicates go by it."""
        facts = (game, self.start, self.result, self.first, self.second, self.date, self.site)
        digest = hashlib.blake2b(self.moves, digest_size=8)
        digest.update(repr(facts).encode())
        return int.from_bytes(digest.digest(), "little") >> 1
