"""`GameRecord`: a recorded game as a row of a table, with the same columns for every game."""

from __future__ import annotations

import datetime
import hashlib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import chain, repeat
from typing import Any, Literal, NamedTuple, TypeAlias

from sparring.games import RatingSystem, describe
from sparring.games.states import states_to

_LONGEST_ERROR = 200
NO_CLOCK, NO_EVAL = -1, -32768
_NUMBERS: dict[str, tuple[Literal["h", "i"], int]] = {
    "clocks": ("i", NO_CLOCK),
    "spent": ("i", NO_CLOCK),
    "evals": ("h", NO_EVAL),
}
"""The type of packed numbers in a record, and the one for an unknown value."""


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

    def states(self, game: str) -> list[Any]:
        """All states, [plies + 1], the initial state first. Raises ValueError if a move is not legal."""
        description = describe(game)
        rules = description.rules()
        start = rules.initial() if self.start is None else rules.parse(self.start)
        return states_to(start.unpack_moves(self.moves, description.packed_move_bytes))

    def numbers(self, name: Literal["clocks", "spent", "evals"]) -> Iterator[int | None]:
        """The values of a packed column after each move, then without end None, as for unknown values."""
        kind, unknown = _NUMBERS[name]
        values = memoryview(getattr(self, name) or b"").cast(kind)
        return chain((None if value == unknown else value for value in values), repeat(None))

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


# Dates in game files.


_DATE = re.compile(r"(\d{4})[-./年](\d{1,2})[-./月](\d{1,2})")


def parse_date(text: str) -> datetime.date | None:
    """The first day in a text such as 2020/05/28 19:30:00 or 2020年5月28日; None if there is none."""
    match = _DATE.search(text)
    try:
        return datetime.date(*map(int, match.groups())) if match else None
    except ValueError:
        return None


# Training, validation and test split by a hash of the game's identity, independent of the table.


_PARTS = 10_000


class Split(StrEnum):
    """The use of a game."""

    TRAIN = "train"
    VALIDATION = "validation"
    TEST = "test"

    @classmethod
    def _missing_(cls, value: object) -> Split:
        raise ValueError(f"unknown split {value!r}; there are {', '.join(cls)}")


def split_of(identity: int, seed: int = 0) -> Split:
    """The split of a game: 90 % training, 5 % validation, 5 % test. `seed` chooses the trial."""
    digest = hashlib.blake2b(identity.to_bytes(8, "little"), digest_size=8, salt=seed.to_bytes(16, "little"))
    part = int.from_bytes(digest.digest(), "little") % _PARTS
    if part < _PARTS * 90 // 100:
        return Split.TRAIN
    return Split.VALIDATION if part < _PARTS * 95 // 100 else Split.TEST


Reader: TypeAlias = Callable[[Iterable[bytes], int], Iterator[ParsedGame]]
"""(chunks, skip): the uncompressed content in pieces, and the byte from which to read; games in order."""
Writer: TypeAlias = Callable[[GameRecord], str]


@dataclass(frozen=True)
class RecordFormats:
    """Files of a game's recorded games: what a game adds to the records.

    A game without readers of its own is recorded as PGN with its own move texts (`records.pgn_tags`).
    """

    readers: Mapping[str, Reader] = field(default_factory=dict)
    """Readers by file suffix."""
    writer: Writer | None = None
    """Writes a record as text."""
    suffix: str = "pgn"
    """Suffix of files with the writer's text."""
    writers: Mapping[str, Writer] = field(default_factory=dict)
    """Further writers by suffix. People get the first of them by default, if there is one."""
    filter: type[Any] | None = None
    """The dataclass of a preset's [games] table. None: `records.presets.BasicFilter`."""
    everything: str = ""
    """Name of the preset that keeps every game. Empty: the filter's defaults."""


def record_formats(game: str) -> RecordFormats:
    """The files of a game's recorded games. Raises BadConfig for an unknown game."""
    make = describe(game).records
    formats: RecordFormats = RecordFormats() if make is None else make()
    return formats
