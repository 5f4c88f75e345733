"""Reads Go games from SGF files through the native parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from sparring._core import SgfGame, SgfParser
from sparring.games.ranks import parse_rank
from sparring.records.charsets import detect_charset
from sparring.records.dates import parse_date
from sparring.records.record import GameRecord, ParsedGame, Termination, parse_safely
from sparring.records.text_lines import universal_newlines

_LONGEST = 1000
_MOST_POINTS = 1000
_RESULT = re.compile(r"([BW])\s*\+\s*(.*)", re.IGNORECASE)
_ENDINGS = {"r": Termination.RESIGNATION, "t": Termination.TIME, "f": Termination.RULES}


def read_sgf(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of an SGF file's content, from byte `skip` on (the `end` of an earlier game)."""
    parser = SgfParser()
    position = lines = games = 0
    content = False
    for chunk in universal_newlines(chunks):
        passed = chunk[: max(0, skip - position)]
        position += len(chunk)
        lines += passed.count(b"\n")
        fresh = chunk[len(passed) :]
        content = content or not fresh.isspace()
        parser.feed(fresh)
        for game in parser.take():
            games += 1
            yield _parsed(game, skip, lines)
    parser.finish()
    for game in parser.take():
        games += 1
        yield _parsed(game, skip, lines)
    if content and not games and not skip:
        yield ParsedGame(None, "no game begins in it; is it SGF in an 8-bit charset?", "line 1", position)


def _parsed(game: SgfGame, skipped: int, lines: int) -> ParsedGame:
    where, end = f"line {game.line + lines:,}", game.end + skipped
    if game.error:
        return ParsedGame(None, game.error, where, end, game.error if game.defect else "")
    return parse_safely(lambda: sgf_record(game), where, end)


def sgf_record(game: SgfGame) -> GameRecord:
    """The record of a game that was parsed without an error."""
    facts = _texts(game.properties)
    result, ending, margin = parse_result(facts.get("RE", ""))
    control = f"{facts.get('TM', '')} {facts.get('OT', '')}".strip()
    return GameRecord(
        moves=game.moves,
        result=result,
        start=game.start,
        ending=ending,
        margin=margin,
        first=facts.get("PB"),
        second=facts.get("PW"),
        first_rank=parse_rank(facts.get("BR", "")),
        second_rank=parse_rank(facts.get("WR", "")),
        time_control=control or None,
        clocks=game.clocks or None,
        date=parse_date(facts.get("DT", "")),
        event=facts.get("EV") or facts.get("GN"),
        site=facts.get("PC"),
    )


def parse_result(text: str) -> tuple[float | None, Termination, float | None]:
    """Parses RE: score of Black, termination, and margin in points."""
    words = text.strip()
    if words.lower() in ("0", "draw", "jigo"):
        return 0.5, Termination.NORMAL, 0.0
    if words.lower() == "void":
        return None, Termination.ABANDONED, None
    match = _RESULT.fullmatch(words)
    if match is None:
        return None, Termination.UNKNOWN, None
    result = float(match[1].upper() == "B")
    how = match[2].lower()
    if how[:1] in _ENDINGS:
        return result, _ENDINGS[how[0]], None
    try:
        margin = float(how)
    except ValueError:
        margin = -1.0
    if not 0 <= margin <= _MOST_POINTS:
        return result, Termination.UNKNOWN, None
    return result, Termination.NORMAL, margin


def _texts(properties: dict[str, bytes]) -> dict[str, str]:
    """The non-empty properties, decoded."""
    declared = properties.get("CA", b"").decode("ascii", "replace")
    # A value that was cut may end in the middle of a character.
    charset = detect_charset((value for value in properties.values() if len(value) < _LONGEST), declared)
    decoded = {name: value.decode(charset, "replace") for name, value in properties.items()}
    return {name: value.strip() for name, value in decoded.items() if value.strip()}
