"""Polyglot opening books of chess."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sparring.games import Move
from sparring.players.book import BadBook


class PolyglotBook:
    """A Polyglot book, read with python-chess. Raises BadBook or OSError."""

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
        """The entries of the position with their weights; an entry of weight 0 counts as 1."""
        import chess
        import chess.polyglot

        with chess.polyglot.open_reader(self._path) as reader:
            entries = list(reader.find_all(chess.Board(state.text())))
        return {state.parse_move(entry.move.uci()): float(max(entry.weight, 1)) for entry in entries}
