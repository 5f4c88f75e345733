"""Reads shogi games from hcpe files, which hold positions with the moves played.

A position that follows from the one before it by its move belongs to the same game; any other begins one,
and so does the usual first position.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable, Iterator

from sparring._core import ShogiState, hcp_to_sfen, move16_to_usi
from sparring.games import IllegalMove, ParseError
from sparring.records.record import ParsedGame
from sparring.records.sources import TextLine
from sparring.shogi.records import ShogiGameBuilder

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
