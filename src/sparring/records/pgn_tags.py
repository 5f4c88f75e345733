"""PGN's tags: the facts of a record that chess and every variant write in the same way."""

from __future__ import annotations

import datetime
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any

import numpy as np

from sparring.games import Game, describe, load_game
from sparring.records.record import NO_CLOCK, GameRecord, ParsedGame, Termination, parse_safely
from sparring.records.sources import read_lines

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
    ending = next((text for text, termination in _TERMINATIONS.items() if termination is record.ending), None)
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


# PGN for any game: PGN's tags and syntax with the game's own move texts.
#
#     [White "Anna"]
#     [Black "Ben"]
#     [Result "1-0"]
#     [Variant "Breakthrough"]
#
#     1. b2b3 {[%clk 0:04:58.2]} g7g6 2. b3b4 g6g5 1-0
#
# The tag Variant is the game's title. White and Black are the first and the second player. A start that is
# not the game's usual one stands in the tag FEN as the text of its state. Spaces in a move's text are written
# as underscores. Comments other than clocks, variations and glyphs are skipped.


_LONGEST_LINE = 1 << 16
_LONGEST_GAME = 1 << 20
"""Bytes; a longer game is broken."""
_TAG = re.compile(r'\[(\w+)\s+"((?:[^"\\]|\\.)*)"\]\s*')
_TOKEN = re.compile(r"\{(?P<comment>[^}]*)\}|;[^\n]*|\$\d+|(?P<bracket>[()])|\d+\.+|(?P<word>[^\s{}();]+)")
_CLOCK = re.compile(r"\[%clk (\d{1,4}):(\d{1,2}):(\d{1,2}(?:\.\d{1,3})?)\]")
_WIDTH = 100
"""Columns of the move text that is written."""


def variant_reader(game: str) -> Callable[[Iterable[bytes], int], Iterator[ParsedGame]]:
    """The reader of a game's PGN files. Raises BadConfig for an unknown game."""
    return partial(_read, load_game(game))


def variant_writer(game: str) -> Callable[[GameRecord], str]:
    """The function that writes a game's records as PGN. Raises BadConfig for an unknown game."""
    return partial(_write, load_game(game))


def _read(game: Game[Any], chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    for text, number, end in _split(chunks, skip):
        yield parse_safely(partial(_parse, game, text), f"line {number:,}", end)


def _split(chunks: Iterable[bytes], skip: int) -> Iterator[tuple[str, int, int]]:
    """The text of each game, its first line's number, and the byte at which it ends."""
    lines: list[str] = []
    size, begin, end = 0, 1, skip
    in_moves = in_comment = False
    for line in read_lines(chunks, skip, _LONGEST_LINE):
        text = line.text.decode("utf-8", "replace")
        if text.startswith("[") and in_moves and not in_comment:
            yield "\n".join(lines), begin, end
            lines, size, in_moves = [], 0, False
        if not lines and text.strip():
            begin = line.number
        if lines or text.strip():
            size += len(line.text)
            if size <= _LONGEST_GAME:
                lines.append(text)
        in_moves = in_moves or bool(text.strip() and not text.startswith("["))
        if in_moves:
            in_comment = (text.rfind("{") > text.rfind("}")) or (in_comment and "}" not in text)
        end = line.end
    if lines:
        yield "\n".join(lines), begin, end


def _parse(game: Game[Any], text: str) -> GameRecord:
    """The record of one game's text. Raises ValueError."""
    if len(text.encode()) >= _LONGEST_GAME:
        raise ValueError("the game is too long")
    tags, moves_text = _tags(text)
    if (variant := tags.get("Variant", "")).lower() != game.spec.title.lower():
        raise ValueError(f"the tag Variant is {variant!r}, not {game.spec.title!r}")
    start_text = tags.get("FEN")
    start = game.initial() if start_text is None else game.parse(start_text)
    state, clocks, result = start, [], tags.get("Result", "*")
    for word, clock in _moves(moves_text):
        if word in RESULTS or word == "*":
            result = word
            break
        try:
            state = game.play(state, game.parse_move(state, word.replace("_", " ")))
        except ValueError as error:
            raise ValueError(f"ply {state.ply - start.ply + 1}: {error}") from None
        clocks.append(clock)
    has_clocks = any(clock != NO_CLOCK for clock in clocks)
    packed_clocks = np.array(clocks, np.int32).tobytes() if has_clocks else None
    moves = state.pack_moves(describe(game.spec.name).packed_move_bytes)
    return record_from_tags([tags.get(name) for name in TAGS], moves, result, packed_clocks)


def _tags(text: str) -> tuple[dict[str, str], str]:
    """The tags of a game, and the rest of its text."""
    tags: dict[str, str] = {}
    at = 0
    while match := _TAG.match(text, at):
        tags[match[1]] = re.sub(r"\\(.)", r"\1", match[2])
        at = match.end()
    return tags, text[at:]


def _moves(text: str) -> Iterator[tuple[str, int]]:
    """The words of the main line, each with the clock after it in tenths of a second or -1."""
    word, clock, depth = "", NO_CLOCK, 0
    for token in _TOKEN.finditer(text):
        if bracket := token["bracket"]:
            depth = max(depth + (1 if bracket == "(" else -1), 0)
        elif depth == 0 and token["comment"] is not None:
            if match := _CLOCK.search(token["comment"]):
                clock = round(36_000 * int(match[1]) + 600 * int(match[2]) + 10 * float(match[3]))
        elif depth == 0 and token["word"]:
            if word:
                yield word, clock
            word, clock = token["word"], NO_CLOCK
    if word:
        yield word, clock


def _write(game: Game[Any], record: GameRecord) -> str:
    tags = {**tags_of(record), "Variant": game.spec.title}
    if record.start is not None:
        tags |= {"SetUp": "1", "FEN": record.start}
    head = "\n".join(f'[{name} "{_escaped(value)}"]' for name, value in tags.items())
    return f"{head}\n\n{_wrapped([*_written_moves(game, record), result_text(record.result)])}\n"


def _written_moves(game: Game[Any], record: GameRecord) -> Iterator[str]:
    states = pairwise(record.states(game.spec.name))
    for ply, ((before, after), tenths) in enumerate(zip(states, record.numbers("clocks"), strict=False)):
        if ply % 2 == 0:
            yield f"{ply // 2 + 1}."
        yield game.move_text(before, after.last_move).replace(" ", "_")
        if tenths is not None:
            minutes, rest = divmod(tenths, 600)
            yield f"{{[%clk {minutes // 60}:{minutes % 60:02}:{rest / 10:04.1f}]}}"


def _wrapped(words: list[str]) -> str:
    lines = [""]
    for word in words:
        if lines[-1] and len(lines[-1]) + 1 + len(word) > _WIDTH:
            lines.append(word)
        else:
            lines[-1] += f" {word}" if lines[-1] else word
    return "\n".join(lines)


def _escaped(value: str) -> str:
    return value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ")
