"""The board as a player of reconnaissance blind chess knows it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import chess

from sparring._core import RbcBoardSet
from sparring.games.chess import board_diagram
from sparring.games.diagrams import Diagram, Piece


def known_diagram(boards: RbcBoardSet, marked: Collection[int] = ()) -> Diagram:
    """The pieces that are certain, and `?` (owner -1) where the possible boards differ. `marked` squares are
    highlighted."""
    board = chess.BaseBoard.empty()
    known = boards.known_pieces()
    for square, symbol in enumerate(known):
        if symbol not in (None, "?"):
            board.set_piece_at(square, chess.Piece.from_symbol(symbol))
    diagram = board_diagram(board, None)
    cells = [list(row) for row in diagram.cells]
    for square in (each for each, symbol in enumerate(known) if symbol == "?"):
        row, column = _place(square)
        cells[row][column] = Piece("?", owner=-1)
    return replace(
        diagram, cells=tuple(map(tuple, cells)), highlights=frozenset(_place(each) for each in marked)
    )


def _place(square: int) -> tuple[int, int]:
    """Row from the top and column of a square."""
    return 7 - chess.square_rank(square), chess.square_file(square)
