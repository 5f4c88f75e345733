"""Builds the record of a shogi game from the lines of a file; each move is checked by the rules."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from sparring._core import ShogiState, hcp_to_sfen, move16_to_usi
from sparring.base.config import Count
from sparring.games import IllegalMove, ParseError
from sparring.games.ratings import parse_rank
from sparring.records.record import (
    NO_CLOCK,
    NO_EVAL,
    GameRecord,
    ParsedGame,
    Termination,
    error_text,
    parse_date,
    parse_safely,
)
from sparring.records.sources import TextLine, read_lines
from sparring.shogi.plugin import DESCRIPTION

LOSS, DRAW, WIN = 0.0, 0.5, 1.0
_MOST_PLIES = 5000
_RATING = re.compile(r"\s*(?:[(（\[]\s*R?(\d{3,4})\s*[)）\]]|\bR(\d{3,4}))\s*$")
_RANK = re.compile(r"[\s　]*[(（\[\s　]([^\s　()（）\[\]]+)[)）\]]?\s*$")


@dataclass
class ShogiGameBuilder:
    """A game under construction. After an error no further move is played."""

    line: int
    """Place of the game's first line."""
    state: ShogiState = field(default_factory=ShogiState.initial)
    start: str | None = None
    started: bool = False
    """Whether a move or the end was parsed."""
    error: str = ""
    illegal: str = ""
    """An illegal last move; no error if the record says that it lost the game."""
    result: float | None = None
    ending: Termination = Termination.UNKNOWN
    players: list[str | None] = field(default_factory=lambda: [None, None])
    ratings: list[int | None] = field(default_factory=lambda: [None, None])
    ranks: list[str | None] = field(default_factory=lambda: [None, None])
    spent: dict[int, int] = field(default_factory=dict)
    """Tenths of a second by move number, from 1."""
    evals: dict[int, int] = field(default_factory=dict)
    """Centipawns for Black after each move, by move number."""
    facts: dict[str, Any] = field(default_factory=dict)
    """`date`, `event`, `site` and `time_control` of the record, if the file has them."""

    def fail(self, line: TextLine, message: str) -> None:
        """Marks the game as broken."""
        self.error = self.error or f"line {line.number:,}: {message}"

    def set_start(self, sfen: str, line: TextLine) -> None:
        """Sets an initial position."""
        try:
            self.state = ShogiState.parse(sfen)
        except ParseError as error:
            self.fail(line, str(error))
            return
        self.start = None if self.state == ShogiState.initial() else self.state.text()

    def set_fact(self, name: str, text: str) -> None:
        """Sets a fact of the record from its text."""
        self.facts[name] = parse_date(text) if name == "date" else text or None

    def set_player(self, side: int, text: str) -> None:
        """Sets a player from a name, with an optional rating in brackets or rank."""
        name = text.strip(" 　")
        if match := _RATING.search(name):
            self.ratings[side] = int(match[1] or match[2])
            name = name[: match.start()].strip(" 　")
        if (match := _RANK.search(name)) and (rank := parse_rank(match[1])):
            self.ranks[side] = rank
            name = name[: match.start()].strip(" 　")
        self.players[side] = name or None

    def play(self, usi: str, line: TextLine, written: str) -> bool:
        """Plays a move and returns whether it was legal. `written` is its text in the file."""
        self.started = True
        if self.error or self.illegal:
            return False
        if self.state.outcome is not None:
            self.fail(line, f"{written[:40]} is played after the game was over ({self.state.outcome.reason})")
        elif self.state.ply >= _MOST_PLIES:
            self.fail(line, "the game is longer than a game can be")
        else:
            try:
                self.state = self.state.play(self.state.parse_move(usi))
            except (ParseError, IllegalMove):
                number = self.state.ply + 1
                self.illegal = f"line {line.number:,}: {written[:40]} is no legal move at move {number}"
            else:
                return True
        return False

    def end(self, result: float | None, ending: Termination) -> None:
        """Sets the termination and the result."""
        self.started = True
        if ending == Termination.RULES:
            self.illegal = ""
        self.result, self.ending = result, ending

    def end_for_mover(self, score: float | None, ending: Termination) -> None:
        """Sets the termination and the result from the score of the player to move."""
        if self.illegal and ending == Termination.RULES:
            score = LOSS  # an illegal move was not played: its player is still to move
        self.end(score if score is None or self.state.to_move == 0 else 1 - score, ending)

    def parsed(self, end: int) -> ParsedGame:
        """The parsed game; `end` is the byte offset of its end."""
        where = f"line {self.line:,}"
        if error := self.error or self.illegal:
            return ParsedGame(None, error, where, end)
        return parse_safely(self._record, where, end)

    def _record(self) -> GameRecord:
        plies = self.state.ply
        return GameRecord(
            moves=self.state.pack_moves(DESCRIPTION.packed_move_bytes),
            result=self.result,
            start=self.start,
            ending=self.ending,
            first=self.players[0],
            second=self.players[1],
            first_rating=self.ratings[0],
            second_rating=self.ratings[1],
            first_rank=self.ranks[0],
            second_rank=self.ranks[1],
            spent=_packed(self.spent, plies, NO_CLOCK, np.int32),
            evals=_packed(self.evals, plies, NO_EVAL, np.int16),
            **self.facts,
        )


class LineReader(Protocol):
    """A parser of the lines of a format."""

    builder: ShogiGameBuilder | None
    """The current game; None before its first line."""

    def starts_new_game(self, text: str) -> bool:
        """Whether the line begins another game."""
        ...

    def feed(self, text: str, line: TextLine) -> None:
        """Parses the next line, and begins a game if there is none."""
        ...


def read_games(chunks: Iterable[bytes], skip: int, reader: LineReader) -> Iterator[ParsedGame]:
    """The games of a line-based file."""
    end, games, content = skip, 0, False
    for line in read_lines(chunks, skip):
        text = decoded(line.text)
        content = content or bool(text.strip())
        if reader.builder is not None and reader.starts_new_game(text):
            games += 1
            yield reader.builder.parsed(line.begin)
            reader.builder = None
        try:
            reader.feed(text, line)
        except Exception as error:
            if reader.builder is None:
                reader.builder = ShogiGameBuilder(line.number)
            reader.builder.fail(line, error_text(error))
        end = line.end
    if reader.builder is not None:
        yield reader.builder.parsed(end)
    elif content and not games and not skip:
        yield ParsedGame(None, "no game begins in it; is its charset UTF-8 or Shift-JIS?", "line 1", end)


def decoded(text: bytes) -> str:
    """Decodes Japanese text: UTF-8, else Shift-JIS."""
    try:
        return text.removeprefix(b"\xef\xbb\xbf").decode()
    except UnicodeDecodeError:
        return text.decode("cp932", "replace")


def _packed(
    values: dict[int, int], plies: int, missing: int, kind: type[np.int16] | type[np.int32]
) -> bytes | None:
    """Values by move number as packed bytes; None if no value is known."""
    if not values:
        return None
    return np.array([values.get(number, missing) for number in range(1, plies + 1)], kind).tobytes()


def written_facts(record: GameRecord, names: Mapping[str, str]) -> list[tuple[str, str]]:
    """(key in the file, text) of the known facts of a record. `names` has the fact of each key."""
    date = record.date and record.date.strftime("%Y/%m/%d")
    texts = {key: date if fact == "date" else getattr(record, fact) for key, fact in names.items()}
    return [(key, text) for key, text in texts.items() if text]


# Filter of shogi games: `[games]` of a preset.


@dataclass(frozen=True)
class ShogiFilter:
    """`[games]` of a preset."""

    lost_on_time: bool = True
    """Keeps games lost on time."""
    rating_difference: Count = 0
    """Ratings must differ by less than this; 0 keeps every pair, also without ratings."""
    equal_groups: Count = 0
    """Number of rating groups of equal size; 0 makes groups of 100 points."""
    handicap: bool = True
    """Keeps games from another initial position."""
    need_result: bool = False
    """Leaves out games without a result."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if record.ending == Termination.TIME and not self.lost_on_time:
            return "lost on time"
        if record.start is not None and not self.handicap:
            return "another first position"
        if record.result is None and self.need_result:
            return "no result"
        if plies < self.min_plies:
            return "too short"
        if not self.rating_difference:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        apart = abs(record.first_rating - record.second_rating)
        return "" if apart < self.rating_difference else "ratings apart"


# Reads shogi games from hcpe files, which hold positions with the moves played.


_RECORD = struct.Struct("<32shHbx")
_HCP = 32
_RESULTS = {0: 0.5, 1: 1.0, 2: 0.0}
_LARGEST = 29_999


def read_hcpe(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of an hcpe file's content, from byte `skip` on (the `end` of an earlier game)."""
    usual = ShogiState.initial()
    game: ShogiGameBuilder | None = None
    number = skip // _RECORD.size
    for hcp, value, move, result in _records(chunks, skip):
        number += 1
        begin = (number - 1) * _RECORD.size
        try:
            position = ShogiState.parse(hcp_to_sfen(hcp))
        except ParseError as error:
            if game:
                yield _parsed(game, begin)
            game = None
            message = str(error) if len(hcp) == _HCP else "the file ends in the middle of a position"
            yield ParsedGame(None, message, f"position {number:,}", begin + _RECORD.size)
            continue
        if game and (position == usual or not _follows(position, game)):
            yield _parsed(game, begin)
            game = None
        if game is None:
            game = ShogiGameBuilder(number, result=_RESULTS.get(result & 3))
            game.set_start(position.text(), TextLine(b"", number, begin, begin, whole=True))
        else:
            for_black = value if position.to_move == 0 else -value
            game.evals[game.state.ply] = max(-_LARGEST, min(_LARGEST, for_black))
        try:
            game.state = game.state.play(game.state.parse_move(move16_to_usi(move)))
        except (ParseError, IllegalMove) as error:
            game.error = f"position {number:,}: {error}"
    if game:
        yield _parsed(game, number * _RECORD.size)


def _follows(position: ShogiState, game: ShogiGameBuilder) -> bool:
    """Whether a position continues the game; hcpe files do not number moves."""
    if game.error or game.state.outcome is not None:
        return False
    return position.text().split()[:3] == game.state.text().split()[:3]


def _parsed(game: ShogiGameBuilder, end: int) -> ParsedGame:
    if not any(game.evals.values()):
        game.evals.clear()  # all zero: the file has no evaluations
    return game.parsed(end)._replace(where=f"position {game.line:,}")


def _records(chunks: Iterable[bytes], skip: int) -> Iterator[tuple[bytes, int, int, int]]:
    """The records of the file; a truncated last one cannot be decoded and is an error."""
    position, rest = 0, b""
    for chunk in chunks:
        data = rest + chunk[max(0, skip - position) :]
        position += len(chunk)
        whole = len(data) - len(data) % _RECORD.size
        yield from _RECORD.iter_unpack(data[:whole])
        rest = data[whole:]
    if rest:
        yield rest[: _HCP - 1], 0, 0, 0
