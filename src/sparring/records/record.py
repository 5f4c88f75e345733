"""`GameRecord`: a recorded game as a row of a table, with the same columns for every game."""

from __future__ import annotations

import datetime
import hashlib
from collections.abc import Callable
from enum import StrEnum
from typing import NamedTuple

from sparring.games import RatingSystem, describe

_LONGEST_ERROR = 200


class UnsupportedFormat(Exception):
    """No reader takes the file; the message names the formats that exist."""


class BadTable(Exception):
    """A table, or a game of a table, that cannot be read; the message says why."""


class ParsedGame(NamedTuple):
    """One game from a reader: a record or an error, and where reading can continue."""

    record: GameRecord | None
    error: str
    where: str
    """The place in the source, such as "line 12"."""
    end: int
    """Bytes of the uncompressed source up to the end of the game."""
    defect: str = ""
    """Why a well-formed game cannot be kept in a table; such games are counted, not broken."""


def parse_safely(parse: Callable[[], GameRecord], where: str, end: int) -> ParsedGame:
    """The game that `parse` gives. Any exception is the game's error: no game stops the reading of a file."""
    try:
        return ParsedGame(parse(), "", where, end)
    except Exception as error:
        return ParsedGame(None, error_text(error), where, end)


def error_text(error: Exception) -> str:
    """The message of an exception in one short line; its class if it has none or is none of ours."""
    message = " ".join(str(error).split())[:_LONGEST_ERROR]
    expected = isinstance(error, ValueError) and not isinstance(error, UnicodeError)
    return message if message and expected else f"{type(error).__name__}: {message}"


class Termination(StrEnum):
    """How a recorded game ended, by its source."""

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
    """One recorded game. The first player moves first by the rules.

    A named tuple because millions are made: a frozen dataclass of as many fields takes five times as long.
    """

    moves: bytes
    """Indices among the legal moves in ascending order, `packed_move_bytes` of the game each."""
    result: float | None
    """Score of the first player: 1, 0.5 or 0; None when unknown."""
    start: str | None = None
    """Text of the initial state; None for the game's usual one."""
    ending: Termination = Termination.UNKNOWN
    margin: float | None = None
    """Points by which it was won, where points were counted."""
    first: str | None = None
    second: str | None = None
    first_rating: int | None = None
    second_rating: int | None = None
    first_rank: str | None = None
    second_rank: str | None = None
    speed: str | None = None
    """Speed class, such as blitz or rapid."""
    time_control: str | None = None
    """Time control as in the source, such as 600+5."""
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
        """The number of moves played."""
        return len(self.moves) // describe(game).packed_move_bytes

    def ratings(self, system: RatingSystem) -> tuple[int | None, int | None]:
        """Both players' ratings or ranks as numbers, by the game's rating system; None where unknown."""
        if system.word == "rating":
            return self.first_rating, self.second_rating
        first, second = self.first_rank, self.second_rank
        return (
            None if first is None else system.parse(first),
            None if second is None else system.parse(second),
        )

    def identity(self, game: str) -> int:
        """A 63-bit hash of the content, which decides the split and identifies duplicates."""
        facts = (game, self.start, self.result, self.first, self.second, self.date, self.site)
        digest = hashlib.blake2b(self.moves, digest_size=8)
        digest.update(repr(facts).encode())
        return int.from_bytes(digest.digest(), "little") >> 1
