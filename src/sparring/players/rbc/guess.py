"""A single guess of the board, updated by observations.

It serves bots that follow one board, and it is the fallback when an observation contradicts all boards.
"""

from __future__ import annotations

import chess

from sparring._core import RbcState
from sparring.games.rbc import PASS, MoveResult, Observation, OpponentMoveResult, SenseResult, board_fen

_HOMES = (chess.E1, chess.E8)
_MAX_PIECES, _MAX_PAWNS = 16, 8


class Guess:
    """A board that is consistent with the latest observations. Unobserved pieces stay where they were."""

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
        home = _HOMES[0 if color else 1]
        if free:
            square = min(free, key=lambda s: (chess.square_distance(s, home), s))
            self.board.set_piece_at(square, chess.Piece(chess.KING, color))
