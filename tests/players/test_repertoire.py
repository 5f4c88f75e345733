"""Repertoires: PGN files with variations."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadFile
from sparring.chess.books import PgnRepertoire
from sparring.chess.game import Chess
from sparring.players.game_players import GameBook, open_book

STUDY = """[Event "My (White) repertoire"]

1. e4 {best (by test)} e5 (1... c5 2. Nf3 (2. c3 d5) 2... d6) (1... e6 2. d4) 2. Nf3 *
"""


def known(book: Any, *moves: str) -> dict[str, float]:
    state = Chess().initial()
    for move in moves:
        state = state.play(state.parse_move(move))
    return {state.move_text(move): weight for move, weight in book.moves(state).items()}


def test_variations_are_part_of_a_repertoire(tmp_path: Path) -> None:
    path = tmp_path / "white.pgn"
    path.write_text(STUDY)
    book = open_book(path, "chess", 16)
    assert isinstance(book, PgnRepertoire)
    assert known(book) == {"e2e4": 1}
    assert set(known(book, "e2e4")) == {"e7e5", "c7c5", "e7e6"}
    assert set(known(book, "e2e4", "c7c5")) == {"g1f3", "c2c3"}
    assert known(book, "d2d4") == {}


def test_a_file_of_games_stays_one(tmp_path: Path) -> None:
    path = tmp_path / "games.pgn"
    path.write_text('[Event "(a)"]\n\n1. e4 {a comment (with brackets)} e5 *\n')
    assert isinstance(open_book(path, "chess", 16), GameBook)


def test_a_repertoire_with_an_illegal_move_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "bad.pgn"
    path.write_text("1. e4 (1. d4 Ke7) e5 2. Ke5 *\n")
    with pytest.raises(BadFile, match="illegal"):
        open_book(path, "chess", 16)
