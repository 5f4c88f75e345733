"""Repair of a belief state: edits boards to fit an observation that contradicts all of them.

The player's own pieces stay as they are. The opponent's pieces are moved, removed or added as the observation
requires, the nearest first. An edit takes as long as tracking many boards: the tracker gives a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress
from functools import partial

import chess

from sparring._core import RbcBoardSet, RbcState
from sparring.games import Move, ParseError
from sparring.games.rbc import PASS

_MAX_PIECES = 16
"""Pieces of one side."""
_KING_SQUARES = (chess.E1, chess.E8)


def after_capture(boards: RbcBoardSet, square: int | None) -> RbcBoardSet:
    """Edits boards after an opponent's move: its nearest piece captures on `square`, if not None.

    Raises ValueError if no board can be edited.
    """

    def change(board: chess.Board) -> None:
        enemy = board.turn
        board.push(chess.Move.null())
        if square is not None:
            board.remove_piece_at(square)
            _place_nearest(board, enemy, square)

    return _changed(boards, change)


def after_sense(boards: RbcBoardSet, seen: Sequence[tuple[int, str | None]]) -> RbcBoardSet:
    """Edits boards to show the result of a sense. `seen` has squares and FEN letters, None if empty.

    Raises ValueError if no board can be edited.
    """
    window = {square for square, _ in seen}

    def change(board: chess.Board) -> None:
        enemy = not board.turn
        wanted = {square: chess.Piece.from_symbol(symbol) for square, symbol in seen if symbol}
        for square in window:
            piece = board.piece_at(square)
            if piece is not None and piece.color == enemy and wanted.get(square) != piece:
                _displace(board, square, window)
        for square, piece in wanted.items():
            if piece.color == enemy and board.piece_at(square) != piece:
                _place_nearest(board, enemy, square, piece, window)

    return _changed(boards, change)


def after_move(boards: RbcBoardSet, taken: Move, captured: int | None) -> RbcBoardSet:
    """Edits boards to allow the player's move and its capture, and plays it.

    Raises ValueError if no board can be edited, for example if the player has no such piece.
    """
    text = RbcState.initial().move_text(taken)
    move = chess.Move.null() if taken == PASS else chess.Move.from_uci(text)

    def change(board: chess.Board) -> None:
        enemy = not board.turn
        if move and board.color_at(move.from_square) != board.turn:
            raise ValueError("the player has no such piece")
        way = set(chess.SquareSet.between(move.from_square, move.to_square)) if move else set()
        if captured is not None:
            _place_nearest(board, enemy, captured)
            board.remove_piece_at(captured)
        for square in sorted(way | {move.to_square} if move else way):
            piece = board.piece_at(square)
            if piece is not None and piece.color == enemy:
                _displace(board, square, way | {move.to_square})
        board.ep_square = None
        board.push(move)

    return _changed(boards, change)


def _changed(boards: RbcBoardSet, change: Callable[[chess.Board], None]) -> RbcBoardSet:
    """Applies a change to the boards and adds the opponent's king if it is missing.

    Raises ValueError if no legal board is left.
    """
    states = []
    enemy = boards.player != 0
    for fen in boards.fens():
        board = chess.Board(fen)
        change(board)
        if board.king(enemy) is None:
            board.set_piece_at(
                _nearest(_KING_SQUARES[not enemy], _empty(board)), chess.Piece(chess.KING, enemy)
            )
        with suppress(ParseError):  # too many pieces
            states.append(RbcState.parse(f"{board.fen(en_passant='fen')} move"))
    return RbcBoardSet.of(states, boards.player)


def _place_nearest(
    board: chess.Board,
    color: chess.Color,
    square: int,
    piece: chess.Piece | None = None,
    window: Collection[int] = (),
) -> None:
    """Moves the nearest equal piece outside the window to the square; without `piece`, any but the king.

    If there is no such piece, a new one is added, and another is removed if there would be more than 16.
    """
    if piece is None and board.color_at(square) == color:
        return
    others = [s for s, p in board.piece_map().items() if p.color == color and s not in window]
    if piece is None:
        on_back_rank = chess.square_rank(square) in (0, 7)
        unfit = {chess.KING, chess.PAWN} if on_back_rank else {chess.KING}
        origins = [s for s in others if board.piece_type_at(s) not in unfit]
    else:
        origins = [s for s in others if board.piece_at(s) == piece]
    if origins:
        comes = board.remove_piece_at(_nearest(square, origins)) or piece
    else:
        comes = piece
        spare = [s for s in others if board.piece_type_at(s) != chess.KING]
        if _count(board, color) >= _MAX_PIECES and spare:
            board.remove_piece_at(_nearest(square, spare))
    board.set_piece_at(square, comes or chess.Piece(chess.QUEEN, color))


def _count(board: chess.Board, color: chess.Color) -> int:
    return sum(piece.color == color for piece in board.piece_map().values())


def _displace(board: chess.Board, square: int, window: Collection[int]) -> None:
    """Moves the piece of a square to the nearest empty square outside the window."""
    piece = board.remove_piece_at(square)
    places = [s for s in _empty(board) if s not in window]
    if piece is not None and piece.piece_type == chess.PAWN:
        places = [s for s in places if chess.square_rank(s) not in (0, 7)]
    if piece is not None and places:
        board.set_piece_at(_nearest(square, places), piece)


def _empty(board: chess.Board) -> list[int]:
    return [square for square in chess.SQUARES if board.piece_at(square) is None]


def _nearest(square: int, places: Iterable[int]) -> int:
    return min(places, key=partial(_distance, square))


def _distance(square: int, other: int) -> tuple[int, int, int]:
    return chess.square_distance(square, other), chess.square_manhattan_distance(square, other), other
