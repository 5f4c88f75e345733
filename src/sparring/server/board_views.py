"""Boards as messages, from the diagrams of games."""

from __future__ import annotations

from sparring.games.diagrams import Diagram, Piece
from sparring.server.messages import BoardView, PieceView


def board_view(diagram: Diagram) -> BoardView:
    """The message of a diagram, with player 0 below. Shogi pieces have Latin letters."""
    diagram = diagram if diagram.letters is None else diagram.letters()
    return BoardView(
        style=diagram.style,
        columns=list(diagram.columns),
        rows=list(diagram.rows),
        cells=[[_piece(each) for each in row] for row in diagram.cells],
        highlights=sorted(diagram.highlights),
        stars=sorted(diagram.stars),
        above=diagram.above,
        below=diagram.below,
    )


def _piece(piece: Piece | None) -> PieceView | None:
    if piece is None:
        return None
    return PieceView(symbol=piece.symbol, owner=piece.owner, label=piece.label, accent=piece.accent)
