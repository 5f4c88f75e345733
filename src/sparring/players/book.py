"""Books: which moves were played in a position before, and how often.

A book is any file of games that `sparring records build` reads (a repertoire in PGN, a collection in SGF,
KIF) or, for chess, a Polyglot `.bin`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any, Protocol

from sparring.games import Move, describe, load_game, resolve
from sparring.records.readers import format_of, reader_for
from sparring.records.record import UnsupportedFormat
from sparring.records.streams import open_chunks


class Book(Protocol):
    """Moves that are known."""

    def moves(self, state: Any) -> dict[Move, float]:
        """The book's moves in a state with their weights; empty where it has none."""
        ...


class BadBook(Exception):
    """A book that cannot be used; the message says why."""


class GameBook:
    """The moves of recorded games, up to a ply."""

    def __init__(self, path: Path, game: str, plies: int) -> None:
        self._known: dict[int, Counter[Move]] = defaultdict(Counter)
        usual, games = load_game(game).initial(), 0
        for found in reader_for(path, game)(open_chunks(path), 0):
            if found.record is None:
                continue
            games += 1
            start = usual if found.record.start is None else load_game(game).parse(found.record.start)
            width = describe(game).packed_move_bytes
            state = start.unpack_moves(found.record.moves[: plies * width], width)
            while state.previous is not None:
                self._known[state.previous.key][state.last_move] += 1
                state = state.previous
        if not games:
            raise BadBook(f"{path} has no games")

    def moves(self, state: Any) -> dict[Move, float]:
        """Those that are legal here: keys of 64 bits may meet by chance."""
        known = self._known.get(state.key)
        if not known:
            return {}
        legal = set(state.legal_moves())
        return {move: float(count) for move, count in sorted(known.items()) if move in legal}


class PolyglotBook:
    """A Polyglot book, read with python-chess."""

    def __init__(self, path: Path) -> None:
        import chess.polyglot

        self._path = path
        try:
            with chess.polyglot.open_reader(path) as reader:
                if not len(reader):
                    raise BadBook(f"{path} has no entries")
        except (ValueError, IndexError) as error:
            raise BadBook(f"{path} is no Polyglot book ({error})") from None

    def moves(self, state: Any) -> dict[Move, float]:
        """The entries of the position with their weights."""
        import chess
        import chess.polyglot

        with chess.polyglot.open_reader(self._path) as reader:
            entries = list(reader.find_all(chess.Board(state.text())))
        return {state.parse_move(entry.move.uci()): float(max(entry.weight, 1)) for entry in entries}


def open_book(path: Path, game: str, plies: int) -> Book:
    """The book of a file. Raises BadBook or OSError."""
    if not path.is_file():
        raise BadBook(f"there is no book {path}")
    if (reference := describe(game).players.books.get(format_of(path))) is not None:
        book: Book = resolve(reference)(path)
        return book
    try:
        return GameBook(path, game, plies)
    except UnsupportedFormat as error:
        raise BadBook(str(error)) from None
