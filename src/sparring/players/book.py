"""Opening books: the moves of a position, weighted by how often they were played.

A book is any file of games that `sparring records build` reads, such as a repertoire in PGN or a collection
in SGF or KIF. Games may have book formats of their own (`GamePlayers.books`), such as Polyglot.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Protocol

from sparring.base.errors import BadFile
from sparring.games import Move, describe, load_game
from sparring.players.game_players import game_players
from sparring.records.readers import format_of, reader_for
from sparring.records.sources import open_chunks


class Book(Protocol):
    """An opening book."""

    def moves(self, state: Any) -> dict[Move, float]:
        """The book's moves in a state with their weights; empty if it has none."""


class GameBook:
    """The moves of recorded games, up to a ply. Raises BadFile or OSError."""

    def __init__(self, path: Path, game: str, plies: int) -> None:
        self._counts: dict[int, Counter[Move]] = defaultdict(Counter)
        usual, games = load_game(game).initial(), 0
        for parsed in reader_for(path, game)(open_chunks(path), 0):
            if parsed.record is None:
                continue
            games += 1
            start = usual if parsed.record.start is None else load_game(game).parse(parsed.record.start)
            width = describe(game).packed_move_bytes
            state = start.unpack_moves(parsed.record.moves[: plies * width], width)
            while state.previous is not None:
                self._counts[state.previous.key][state.last_move] += 1
                state = state.previous
        if not games:
            raise BadFile(f"{path} has no games")

    def moves(self, state: Any) -> dict[Move, float]:
        """The known moves that are legal: two positions may have the same 64-bit key."""
        counts = self._counts.get(state.key) or Counter()
        legal = set(state.legal_moves()) if counts else set()
        return {move: float(count) for move, count in sorted(counts.items()) if move in legal}


def open_book(path: Path, game: str, plies: int) -> Book:
    """Opens a book; `plies` is the length of the openings taken from games. Raises BadFile or OSError."""
    if not path.is_file():
        raise BadFile(f"there is no book {path}")
    own_format = game_players(game).books.get(format_of(path))
    if own_format is not None and (book := own_format(path)) is not None:
        return book
    return GameBook(path, game, plies)
