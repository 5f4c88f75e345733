"""Reads chess games from PGN files through the native parser."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

import chess
import chess.engine
import chess.pgn

from sparring._core import PgnGame, PgnParser, chess_moves
from sparring.base.config import Count
from sparring.records.pgn_tags import TAGS, record_from_tags, tags_of
from sparring.records.record import GameRecord, ParsedGame, parse_safely
from sparring.records.sources import universal_newlines


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


def _parsed(game: PgnGame, skipped: int) -> ParsedGame:
    where, end = f"line {game.line:,}", game.end + skipped
    if game.error:
        return ParsedGame(None, game.error, where, end)
    clocks, evals = game.clocks or None, game.evals or None
    return parse_safely(
        lambda: record_from_tags(game.tag_values(TAGS), game.moves, game.result, clocks, evals), where, end
    )


# Writes chess records as PGN.


_MATE = 32000


def to_pgn(record: GameRecord) -> str:
    """A chess record as PGN, with its clocks and evaluations as comments."""
    game = chess.pgn.Game()
    if record.start:
        game.setup(record.start)
    for tag, value in tags_of(record).items():
        game.headers[tag] = value
    node: chess.pgn.GameNode = game
    moves = chess_moves(record.start, record.moves)
    for move, score, tenths in zip(moves, record.numbers("evals"), record.numbers("clocks"), strict=False):
        node = node.add_main_variation(chess.Move.from_uci(move))
        if score is not None:
            node.set_eval(chess.engine.PovScore(_score(score), chess.WHITE))
        if tenths is not None:
            node.set_clock(tenths / 10)
    return str(game) + "\n"


def _score(centipawns: int) -> chess.engine.Score:
    if abs(centipawns) < 30_000:
        return chess.engine.Cp(centipawns)
    return chess.engine.Mate(_MATE - centipawns if centipawns > 0 else -_MATE - centipawns)


# Filter of chess games: `[games]` of a preset.


@dataclass(frozen=True)
class ChessFilter:
    """`[games]` of a preset."""

    speeds: tuple[str, ...] = ()
    """Lichess speeds to keep; "unknown" keeps games without a time control. Empty for all."""
    group_width: Count = 0
    """Both ratings must lie in the same group of this width; 0 keeps every pair."""
    lowest_group: Count = 0
    """Lower bound of the lowest group."""
    highest_group: Count = 9999
    """Lower bound of the highest group."""
    min_plies: Count = 1
    """Games with fewer plies are left out."""

    def rejection_reason(self, record: GameRecord, plies: int) -> str:
        """The reason for leaving the game out; empty if it is kept."""
        if self.speeds and (record.speed or "unknown") not in self.speeds:
            return "speed"
        if record.result is None:
            return "no result"
        if plies < self.min_plies:
            return "too short"
        return self._rating_problem(record)

    def _rating_problem(self, record: GameRecord) -> str:
        if not self.group_width:
            return ""
        if record.first_rating is None or record.second_rating is None:
            return "no ratings"
        first, second = (rating // self.group_width for rating in (record.first_rating, record.second_rating))
        if first != second:
            return "ratings apart"
        inside = self.lowest_group <= first * self.group_width <= self.highest_group
        return "" if inside else "ratings out of range"
