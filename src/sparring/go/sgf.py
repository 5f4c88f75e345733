"""Reads Go games from SGF files through the native parser."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import pairwise

from sparring._core import GoState, SgfGame, SgfParser
from sparring.base.config import Count
from sparring.games.ratings import parse_rank
from sparring.records.record import GameRecord, ParsedGame, Termination, parse_date, parse_safely
from sparring.records.sources import detect_charset, universal_newlines

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
        start=_with_komi(game.start, facts),
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


def _with_komi(start: str | None, facts: dict[str, str]) -> str | None:
    """The first position, with the komi that was played.

    Fox writes `KM[0]` into nearly all even games between equal ranks. Komi is 6.5 there (7.5 by Chinese
    rules): 3,030 of 3,147 such margins end in a half, which no komi of 0 gives. Other records are left as
    they are.
    """
    even = facts.get("HA") == "0" and "BR" in facts and facts["BR"] == facts.get("WR")
    if start is None or not (even and facts.get("KM") == "0"):
        return start
    fields = start.split(" ")
    fields[6] = "6.5" if "territory" in fields else "7.5"
    return " ".join(fields)


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


# Writes Go records as SGF.


_REASONS = {Termination.RESIGNATION: "R", Termination.TIME: "T", Termination.RULES: "F"}


def to_sgf(record: GameRecord) -> str:
    """A Go record as SGF in UTF-8, with the time left after each move."""
    states = record.states("go")
    start = states[0]
    properties = _facts(record, start)
    for name, points in zip(("AB", "AW"), start.stones, strict=True):
        if points:
            properties += name + "".join(f"[{_point(point, start.size)}]" for point in points)
    if start.to_move == 1:
        properties += "PL[W]"
    nodes = []
    for (before, after), tenths in zip(pairwise(states), record.numbers("clocks"), strict=False):
        color = "BW"[before.to_move]
        left = "" if tenths is None else f"{color}L[{tenths / 10:g}]"
        nodes.append(f";{color}[{_point(after.last_move, start.size)}]{left}")
    return f"(;{properties}{''.join(nodes)})\n"


def _facts(record: GameRecord, start: GoState) -> str:
    main, _, overtime = (record.time_control or "").partition(" ")
    is_seconds = main.replace(".", "", 1).isdigit()
    handicap = len(start.stones[0]) if start.to_move == 1 and not start.stones[1] else 0
    facts = {
        "GM": "1",
        "FF": "4",
        "CA": "UTF-8",
        "SZ": str(start.size),
        "KM": f"{start.komi:g}",
        "RU": _rules(start),
        "HA": str(handicap) if handicap else None,
        "PB": record.first,
        "PW": record.second,
        "BR": record.first_rank,
        "WR": record.second_rank,
        "RE": _result(record),
        "TM": main if is_seconds else None,
        "OT": overtime if is_seconds else record.time_control,
        "DT": record.date.isoformat() if record.date else None,
        "EV": record.event,
        "PC": record.site,
    }
    return "".join(f"{name}[{_escaped(value)}]" for name, value in facts.items() if value)


def _rules(start: GoState) -> str:
    if start.scoring == "territory":
        return "Japanese"
    return "NZ" if start.suicide else "Chinese"


def _result(record: GameRecord) -> str | None:
    if record.ending == Termination.ABANDONED:
        return "Void"
    if record.result is None:
        return None
    if record.result == 0.5:
        return "0"
    how = _REASONS.get(record.ending, "" if record.margin is None else f"{record.margin:g}")
    return f"{'B' if record.result == 1 else 'W'}+{how}"


def _point(point: int, size: int) -> str:
    """The SGF letters of a point, from the left and from the top; empty for a pass."""
    if point == size * size:
        return ""
    return chr(ord("a") + point % size) + chr(ord("a") + size - 1 - point // size)


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace("]", "\\]")


# Filter of Go games: `[games]` of a preset.


@dataclass(frozen=True)
class GoFilter:
    """`[games]` of a preset."""

    sizes: tuple[int, ...] = ()
    """Board sizes to keep; empty for all."""
    same_rank: bool = False
    """Keeps only games between players of the same rank."""
    ranks: tuple[str, ...] = ()
    """Ranks to keep (6k, 3d, 9p); empty for all."""
    handicap: bool = True
    """Keeps games with handicap or set-up stones."""
    white_begins: bool = True
    """Keeps games that White begins without handicap; often the record lacks a pass."""
    need_result: bool = False
    """Leaves out games without a result."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
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
        if plies < self.min_plies:
            return "too short"
        return self._rank_problem(record)

    def _rank_problem(self, record: GameRecord) -> str:
        ranks = (record.first_rank, record.second_rank)
        if (self.same_rank or self.ranks) and None in ranks:
            return "no ranks"
        if self.same_rank and ranks[0] != ranks[1]:
            return "ranks apart"
        return "ranks out of range" if self.ranks and not set(ranks) <= set(self.ranks) else ""
