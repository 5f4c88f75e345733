"""Repair of the possible boards: edits boards to fit an observation that contradicts all of them.

The player's own pieces stay as they are. The opponent's pieces are moved, removed or added as the observation
requires, the nearest first. An edit takes as long as tracking many boards: the tracker gives a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import suppress

import chess

from sparring._core import RbcBoardSet, RbcState
from sparring.games import Move, ParseError
from sparring.rbc.game import PASS, MoveResult, Observation, OpponentMoveResult, SenseResult, board_fen

_MAX_PIECES, _MAX_PAWNS = 16, 8
"""Pieces and pawns of one side."""
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
        if chess.popcount(board.occupied_co[color]) >= _MAX_PIECES and spare:
            board.remove_piece_at(_nearest(square, spare))
    board.set_piece_at(square, comes or chess.Piece(chess.QUEEN, color))


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
    def distance(other: int) -> tuple[int, int, int]:
        return chess.square_distance(square, other), chess.square_manhattan_distance(square, other), other

    return min(places, key=distance)


class Guess:
    """A board that is consistent with the latest observations. Unobserved pieces stay where they were.

    It serves bots that follow one board, and it is the fallback when an observation contradicts all boards.
    """

    def __init__(self, player: int, start: RbcState | None = None) -> None:
        self.player = player
        self.color = player == 0
        self.board = chess.Board(board_fen(start or RbcState.initial()))
        self._seen: set[int] = set()

    @property
    def state(self) -> RbcState:
        """The guess as a state, with the side to move of the game."""
        return RbcState.parse(f"{self.board.fen(en_passant='fen')} move")

    def observe(self, observation: Observation) -> None:
        """Updates the guess."""
        match observation:
            case OpponentMoveResult(capture_square):
                self._opponent_moved(capture_square)
            case SenseResult(pieces):
                self._sensed(dict(pieces))
            case MoveResult(_, taken, capture_square):
                self._moved(PASS if taken is None else taken, capture_square)

    def _opponent_moved(self, lost: int | None) -> None:
        self._seen.clear()
        self.board.ep_square = None
        if lost is not None:
            self.board.remove_piece_at(lost)
            attackers = self.board.attackers(not self.color, lost)
            if attackers:  # the cheapest attacker made the capture
                origin = min(attackers, key=lambda square: self.board.piece_type_at(square) or 0)
                self.board.set_piece_at(lost, self.board.remove_piece_at(origin))
        self._put_in_order(self.color)

    def _sensed(self, pieces: dict[int, str | None]) -> None:
        self._seen |= set(pieces)
        for square, symbol in pieces.items():
            piece = None if symbol is None else chess.Piece.from_symbol(symbol)
            if piece is not None and piece.color != self.color and self.board.piece_at(square) != piece:
                self._came_from_elsewhere(piece)
            self.board.set_piece_at(square, piece)
        self._put_in_order(self.color)

    def _came_from_elsewhere(self, piece: chess.Piece) -> None:
        """Removes an unseen piece of the same kind: it is assumed to have moved to the sensed square."""
        unseen = [s for s in self.board.pieces(piece.piece_type, piece.color) if s not in self._seen]
        if unseen:
            self.board.remove_piece_at(unseen[0])

    def _moved(self, taken: int, captured: int | None) -> None:
        if taken != PASS:
            origin, target, promoted = taken >> 6 & 63, taken & 63, taken >> 12 & 7
            if self.board.color_at(origin) is not self.color:  # the result of an earlier move was lost
                self._place_mover(origin, target, promoted)
            # The observation of a capture overrides the guess.
            if captured is None:
                for square in (*chess.SquareSet(chess.between(origin, target)), target):
                    if self.board.color_at(square) is not self.color:
                        self.board.remove_piece_at(square)
            self.board.turn = self.color
            self.board.push(chess.Move(origin, target, promoted + 1 if promoted else None))
            self.board.clear_stack()
        self._put_in_order(not self.color)

    def _place_mover(self, origin: int, target: int, promoted: int) -> None:
        """Puts a piece that can make the move where the guess has none of its own."""
        leaps = bool(chess.BB_KNIGHT_ATTACKS[origin] & chess.BB_SQUARES[target])
        piece_type = chess.PAWN if promoted else chess.KNIGHT if leaps else chess.QUEEN
        piece = chess.Piece(piece_type, self.color)
        self._came_from_elsewhere(piece)
        self.board.set_piece_at(origin, piece)

    def _put_in_order(self, turn: chess.Color) -> None:
        """Makes the board legal for rules and engines: one king a side, no more pieces than at the start, no
        pawn on a last rank, consistent castling rights."""
        self.board.turn = turn
        for square in chess.SquareSet(self.board.pawns & chess.BB_BACKRANKS):
            self.board.set_piece_at(square, chess.Piece(chess.QUEEN, self.board.color_at(square) or False))
        for color in chess.COLORS:
            kings = sorted(self.board.pieces(chess.KING, color), key=lambda s: s in self._seen)
            for extra in kings[:-1]:
                self.board.remove_piece_at(extra)
            if not kings:
                self._place_king(color)
            self._remove_excess(self.board.pieces(chess.PAWN, color), _MAX_PAWNS)
            others = self.board.occupied_co[color] & ~self.board.kings
            self._remove_excess(chess.SquareSet(others), _MAX_PIECES - 1)
        self.board.castling_rights = self.board.clean_castling_rights()
        if not self.board.has_legal_en_passant():
            self.board.ep_square = None

    def _remove_excess(self, squares: chess.SquareSet, most: int) -> None:
        """Removes pieces until at most so many stand on the squares, unseen ones first."""
        for square in sorted(squares, key=lambda s: s in self._seen)[: max(len(squares) - most, 0)]:
            self.board.remove_piece_at(square)

    def _place_king(self, color: chess.Color) -> None:
        free = [s for s in chess.SQUARES if self.board.piece_at(s) is None and s not in self._seen]
        home = _KING_SQUARES[0 if color else 1]
        if free:
            square = min(free, key=lambda s: (chess.square_distance(s, home), s))
            self.board.set_piece_at(square, chess.Piece(chess.KING, color))
