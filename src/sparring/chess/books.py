"""Polyglot opening books of chess."""

from __future__ import annotations

from collections import Counter, defaultdict
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import chess.polyglot

from sparring.base.errors import BadFile
from sparring.games import Move
from sparring.players.game_players import Book


class PolyglotBook:
    """A Polyglot book, read with python-chess. Raises BadFile or OSError."""

    def __init__(self, path: Path) -> None:
        self._path = path
        try:
            with chess.polyglot.open_reader(path) as reader:
                if not len(reader):
                    raise BadFile(f"{path} has no entries")
        except (ValueError, IndexError) as error:
            raise BadFile(f"{path} is no Polyglot book ({error})") from None

    def moves(self, state: Any) -> dict[Move, float]:
        """The entries of the position with their weights; an entry of weight 0 counts as 1."""
        with chess.polyglot.open_reader(self._path) as reader:
            entries = list(reader.find_all(chess.Board(state.text())))
        return {state.parse_move(entry.move.uci()): float(max(entry.weight, 1)) for entry in entries}


# Repertoires of chess: PGN files with variations, such as exported studies.


def pgn_repertoire(path: Path) -> Book | None:
    """The repertoire of a PGN file; None if the file has no variations. Raises BadFile or OSError."""
    return PgnRepertoire(path) if _has_variations(path) else None


class PgnRepertoire:
    """The moves of all lines of a PGN file, variations included, read with python-chess. A move counts once
    for each game that has it. Raises BadFile or OSError."""

    def __init__(self, path: Path) -> None:
        self._counts: dict[str, Counter[str]] = defaultdict(Counter)
        with path.open(encoding="utf-8-sig", errors="replace") as file:
            while (game := chess.pgn.read_game(file)) is not None:
                if game.errors:
                    raise BadFile(f"{path}: {game.errors[0]}")
                waiting: list[chess.pgn.GameNode] = [game]
                while waiting:
                    node = waiting.pop()
                    position = node.board().epd()
                    self._counts[position].update(child.move.uci() for child in node.variations)
                    waiting += node.variations

    def moves(self, state: Any) -> dict[Move, float]:
        """The moves of the position with the number of games that have them."""
        counts = self._counts.get(chess.Board(state.text()).epd(), Counter())
        return {state.parse_move(move): float(count) for move, count in sorted(counts.items())}


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
