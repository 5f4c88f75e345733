"""A tracker of all possible boards in reconnaissance blind chess, in plain Python.

python-chess plays the moves; reconchess's own functions decide castling and captures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

import chess
from reconchess.utilities import (
    add_pawn_queen_promotion,
    capture_square_of_move,
    is_psuedo_legal_castle,
    revise_move,
)

from sparring._core import RbcState
from sparring.rbc.game import PASS, MoveResult, Observation, OpponentMoveResult, SenseResult

_CASTLES = [chess.Move.from_uci(text) for text in ("e1g1", "e1c1", "e8g8", "e8c8")]


Key = tuple[int | None, ...]


def key(board: chess.Board) -> Key:
    """The board without its move counters, which no observation shows."""
    pieces = (board.pawns, board.knights, board.bishops, board.rooks, board.queens, board.kings)
    return (*pieces, board.occupied_co[True], board.turn, board.castling_rights, board.ep_square)


def possible_moves(board: chess.Board) -> Iterator[chess.Move | None]:
    """All moves that can be taken on the board, None for a pass; rules of check do not apply."""
    yield None
    yield from (move for move in board.generate_pseudo_legal_moves() if not board.is_castling(move))
    yield from (move for move in _CASTLES if is_psuedo_legal_castle(board, move))


def play(board: chess.Board, taken: chess.Move | None) -> chess.Board:
    """The board after a move or a pass."""
    after = board.copy(stack=False)
    after.push(taken or chess.Move.null())
    return after


class ReferenceTracker:
    """The possible boards of a player (0: White, 1: Black)."""

    def __init__(self, player: int, start: chess.Board) -> None:
        self.color = player == 0
        self.boards: dict[Key, chess.Board] = {key(start): start}

    def fens(self) -> set[str]:
        """The boards as FEN without counters."""
        return {board.fen(en_passant="fen").rsplit(" ", 2)[0] for board in self.boards.values()}

    def observe(self, observation: Observation, state: RbcState) -> None:
        """Updates the boards with an observation of `games.Rbc`; `state` is any state, for the text of
        moves."""
        match observation:
            case SenseResult(pieces):
                self.sensed(pieces)
            case MoveResult(request, taken, capture_square):
                asked = None if request == PASS else state.move_text(request)
                self.moved(asked, None if taken is None else state.move_text(taken), capture_square)
            case OpponentMoveResult(capture_square):
                self.opponent_moved(capture_square)

    def opponent_moved(self, capture_square: int | None) -> None:
        """The opponent moved, with a capture on a square or none."""
        self._replace_boards(play(board, move) for board, move in self._successors(capture_square))

    def count_successors(self, capture_square: int | None) -> int:
        """The number of boards that `opponent_moved` makes, before deduplication."""
        return sum(1 for _ in self._successors(capture_square))

    def _successors(self, capture_square: int | None) -> Iterator[tuple[chess.Board, chess.Move | None]]:
        return (
            (board, move)
            for board in self.boards.values()
            if board.king(not self.color) is not None  # otherwise the game would be over
            for move in possible_moves(board)
            if capture_square_of_move(board, move) == capture_square
        )

    def sensed(self, seen: Sequence[tuple[int, str | None]]) -> None:
        """The player sensed these (square, symbol) pairs."""
        self._filter(lambda board: all(_symbol(board, square) == symbol for square, symbol in seen))

    def moved(self, request: str | None, taken: str | None, capture_square: int | None) -> None:
        """The player requested a move (UCI, None for a pass) and observed the taken move and the capture."""
        asked, result = (None if text is None else chess.Move.from_uci(text) for text in (request, taken))

        def fits(board: chess.Board) -> bool:
            happens = asked and revise_move(board, add_pawn_queen_promotion(board, asked))
            return happens == result and capture_square_of_move(board, result) == capture_square

        self._filter(fits)
        self._replace_boards(play(board, result) for board in list(self.boards.values()))

    def _replace_boards(self, boards: Iterator[chess.Board]) -> None:
        self.boards = {key(board): board for board in boards}

    def _filter(self, fits: Callable[[chess.Board], bool]) -> None:
        self.boards = {each: board for each, board in self.boards.items() if fits(board)}


def _symbol(board: chess.Board, square: int) -> str | None:
    piece = board.piece_at(square)
    return None if piece is None else piece.symbol()
