"""PGN files to game records, through the native parser."""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from functools import lru_cache

from sparring._core import PgnGame, PgnParser
from sparring.records.record import GameRecord, ParsedGame, Termination

_TAGS = (
    "FEN",
    "White",
    "Black",
    "WhiteElo",
    "BlackElo",
    "TimeControl",
    "Termination",
    "UTCDate",
    "Date",
    "Event",
    "Site",
)
_RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
_ENDINGS = {
    "normal": Termination.NORMAL,
    "time forfeit": Termination.TIME,
    "abandoned": Termination.ABANDONED,
    "rules infraction": Termination.RULES,
}
_SPEEDS = ("ultrabullet", "hyperbullet", "bullet", "blitz", "rapid", "classical", "correspondence")
_TIME_CONTROL = re.compile(r"(\d{1,6})(?:\+(\d{1,5}))?")


def read_pgn(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a PGN file's content, from byte `skip` on (the `end` of an earlier game)."""
    parser = PgnParser()
    position = 0
    for chunk in chunks:
        fresh = chunk[max(0, skip - position) :]
        position += len(chunk)
        if not fresh:
            continue
        parser.feed(fresh)
        yield from (_parsed(game, skip) for game in parser.take())
    parser.finish()
    yield from (_parsed(game, skip) for game in parser.take())


def _parsed(game: PgnGame, skipped: int) -> ParsedGame:
    record = None if game.error else record_of(game)
    return ParsedGame(record, game.error, f"line {game.line:,}", game.end + skipped)


def record_of(game: PgnGame) -> GameRecord:
    """The facts of a game that read well."""
    start, white, black, white_elo, black_elo, control, ending, utc_date, date, event, site = game.tag_values(
        _TAGS
    )
    control = _known(control)
    return GameRecord(
        moves=game.moves,
        result=_RESULTS.get(game.result),
        start=start,
        ending=_ENDINGS.get((ending or "").lower(), Termination.UNKNOWN),
        first=_known(white),
        second=_known(black),
        first_rating=_rating(white_elo),
        second_rating=_rating(black_elo),
        speed=speed_of(control, event or ""),
        time_control=control,
        clocks=game.clocks or None,
        evals=game.evals or None,
        date=_date(utc_date or date),
        event=_known(event),
        site=_known(site),
    )


@lru_cache(maxsize=4096)
def speed_of(control: str | None, event: str) -> str | None:
    """Lichess's classes by expected length, base + 40 increments; by the event's words where unknown."""
    match = _TIME_CONTROL.fullmatch(control or "")
    if match:
        expected = int(match[1]) + 40 * int(match[2] or 0)
        limits = {"ultrabullet": 30, "bullet": 180, "blitz": 480, "rapid": 1500}
        return next((speed for speed, limit in limits.items() if expected < limit), "classical")
    if control == "-":
        return "correspondence"
    words = event.lower()
    return next((speed for speed in _SPEEDS if speed in words), None)


def _known(text: str | None) -> str | None:
    return None if text in (None, "", "?") else text


@lru_cache(maxsize=4096)
def _rating(text: str | None) -> int | None:
    """A rating such as 1500 or 1500? (provisional)."""
    digits = (text or "").rstrip("?")
    return int(digits) if digits.isascii() and digits.isdigit() and 0 < int(digits[:6]) < 5000 else None


@lru_cache(maxsize=4096)
def _date(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat((text or "").replace(".", "-"))
    except ValueError:
        return None
