"""Repertoires of chess: PGN files with variations, such as exported studies."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

from sparring.games import Move
from sparring.players.book import BadBook, Book


def pgn_repertoire(path: Path) -> Book | None:
    """The repertoire of a PGN file; None if the file has no variations. Raises BadBook or OSError."""
    return PgnRepertoire(path) if _has_variations(path) else None


class PgnRepertoire:
    """The moves of all lines of a PGN file, variations included, read with python-chess. A move counts once
    for each game that has it. Raises BadBook or OSError."""

    def __init__(self, path: Path) -> None:
        import chess.pgn

        self._known: dict[str, Counter[str]] = defaultdict(Counter)
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                if game.errors:
                    raise BadBook(f"{path}: {game.errors[0]}")
                waiting: list[chess.pgn.GameNode] = [game]
                while waiting:
                    node = waiting.pop()
                    position = node.board().epd()
                    self._known[position].update(child.move.uci() for child in node.variations)
                    waiting += node.variations

    def moves(self, state: Any) -> dict[Move, float]:
        """The moves of the position with the number of games that have them."""
        import chess

        known = self._known.get(chess.Board(state.text()).epd(), Counter())
        return {state.parse_move(move): float(count) for move, count in sorted(known.items())}


def _has_variations(path: Path) -> bool:
    """Whether a PGN file has a parenthesis outside tags and comments."""
    depth = 0
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        for line in file:
            if line.startswith(("[", "%")) and not depth:
                continue
            for letter in line:
                depth = depth + 1 if letter == "{" else max(depth - (letter == "}"), 0)
                if letter == "(" and not depth:
                    return True
    return False
