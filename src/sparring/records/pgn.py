"""Reads chess games from PGN files through the native parser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sparring._core import PgnGame, PgnParser
from sparring.records.pgn_tags import TAGS, record_from_tags
from sparring.records.record import GameRecord, ParsedGame, parse_safely
from sparring.records.text_lines import universal_newlines


def read_pgn(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a PGN file's content, from byte `skip` on (the `end` of an earlier game)."""
    parser = PgnParser()
    position = 0
    for chunk in universal_newlines(chunks):
        fresh = chunk[max(0, skip - position) :]
        position += len(chunk)
        if not fresh:
            continue
        parser.feed(fresh)
        yield from (_parsed(game, skip) for game in parser.take())
    parser.finish()
    yield from (_parsed(game, skip) for game in parser.take())


def pgn_record(game: PgnGame) -> GameRecord:
    """The record of a game that was parsed without an error."""
    return record_from_tags(
        game.tag_values(TAGS), game.moves, game.result, game.clocks or None, game.evals or None
    )


def _parsed(game: PgnGame, skipped: int) -> ParsedGame:
    where, end = f"line {game.line:,}", game.end + skipped
    if game.error:
        return ParsedGame(None, game.error, where, end)
    return parse_safely(lambda: pgn_record(game), where, end)
