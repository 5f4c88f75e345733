"""PGN's tags: the facts of a record that chess and every variant write in the same way."""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from functools import lru_cache

from sparring.records.record import GameRecord, Termination

TAGS = (
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
"""The tags that `record_from_tags` reads, in its order."""
RESULTS = {"1-0": 1.0, "0-1": 0.0, "1/2-1/2": 0.5}
"""A result's score for White, the first player."""
_RESULT_TEXTS = {score: text for text, score in RESULTS.items()}
_TERMINATIONS = {
    "normal": Termination.NORMAL,
    "time forfeit": Termination.TIME,
    "abandoned": Termination.ABANDONED,
    "rules infraction": Termination.RULES,
}
_SPEEDS = ("ultrabullet", "hyperbullet", "bullet", "blitz", "rapid", "classical", "correspondence")
_RATING = re.compile(r"0*([0-9]{1,4})\?*")
_TIME_CONTROL = re.compile(r"(\d{1,6})(?:\+(\d{1,5}))?")


def record_from_tags(
    values: Sequence[str | None],
    moves: bytes,
    result: str,
    clocks: bytes | None = None,
    evals: bytes | None = None,
) -> GameRecord:
    """The record of a game from the values of `TAGS` (None if a tag is missing), packed moves and result."""
    start, white, black, white_elo, black_elo, control, ending, utc_date, date, event, site = values
    control = _known(control)
    return GameRecord(
        moves=moves,
        result=RESULTS.get(result),
        start=start,
        ending=_TERMINATIONS.get((ending or "").lower(), Termination.UNKNOWN),
        first=_known(white),
        second=_known(black),
        first_rating=_rating(white_elo),
        second_rating=_rating(black_elo),
        speed=speed_of(control, event or ""),
        time_control=control,
        clocks=clocks,
        evals=evals,
        date=_date(utc_date or date),
        event=_known(event),
        site=_known(site),
    )


def tags_of(record: GameRecord) -> dict[str, str]:
    """The tags of a record in PGN's order, without FEN; unknown facts are left out."""
    ending = next((text for text, each in _TERMINATIONS.items() if each is record.ending), None)
    tags = {
        "Event": record.event,
        "Site": record.site,
        "Date": record.date.strftime("%Y.%m.%d") if record.date else None,
        "White": record.first,
        "Black": record.second,
        "Result": result_text(record.result),
        "WhiteElo": None if record.first_rating is None else str(record.first_rating),
        "BlackElo": None if record.second_rating is None else str(record.second_rating),
        "TimeControl": record.time_control,
        "Termination": None if ending is None else ending.capitalize(),
    }
    return {name: value for name, value in tags.items() if value is not None}


def result_text(result: float | None) -> str:
    """1-0, 0-1, 1/2-1/2, or * where the result is not known."""
    return "*" if result is None else _RESULT_TEXTS[result]


@lru_cache(maxsize=4096)
def speed_of(control: str | None, event: str) -> str | None:
    """The Lichess speed class by the expected length, base + 40 increments; by the event's name if there is
    no time control."""
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
    match = _RATING.fullmatch(text or "")
    return int(match[1]) if match and 0 < int(match[1]) < 5000 else None


@lru_cache(maxsize=4096)
def _date(text: str | None) -> datetime.date | None:
    try:
        return datetime.date.fromisoformat((text or "").replace(".", "-"))
    except ValueError:
        return None
