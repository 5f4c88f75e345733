"""Reconnaissance blind chess, exactly as reconchess 1.6.9 plays it.

A turn is two moves of `Game`: a sense (`sense e4`, `sense none`), then a chess move or `pass`.
A state holds the true board; players see the observations of `observe`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, TypeAlias

import chess

from sparring._core import RbcState
from sparring.chess.game import BOARD_PLANES, board_diagram, match_move, move_code
from sparring.games.diagrams import Diagram
from sparring.games.game import IllegalMove, Move, ParseError, Spec
from sparring.games.states import StateGame, to_valid_utf8

PASS: Move = 0
SENSE: Move = 0x8000
"""The code of the sense of a1; those of the other squares follow."""
NO_SENSE: Move = SENSE + 64


@dataclass(frozen=True)
class SenseResult:
    """The result of the player's own sense: squares and FEN letters, in the order of reconchess."""

    pieces: tuple[tuple[int, str | None], ...]


@dataclass(frozen=True)
class MoveResult:
    """The result of the player's own move request; `taken` is None if no piece could move."""

    request: Move
    taken: Move | None
    capture_square: int | None


@dataclass(frozen=True)
class OpponentMoveResult:
    """The opponent's move as the player sees it: the square of the captured piece, or None."""

    capture_square: int | None


@dataclass(frozen=True)
class OpponentSense:
    """The opponent sensed; the square is not revealed."""


Observation: TypeAlias = SenseResult | MoveResult | OpponentMoveResult | OpponentSense


@dataclass(frozen=True)
class Rbc(StateGame[RbcState]):
    """Reconnaissance blind chess. Capturing the king wins; 100 reversible plies are a draw."""

    state_type = RbcState
    spec: ClassVar[Spec] = Spec(
        name="rbc",
        title="Reconnaissance blind chess",
        players=("White", "Black"),
        moves=NO_SENSE + 1,
        planes=(*BOARD_PLANES, "to sense"),
        board=(8, 8),
        hidden=True,
    )

    def initial(self) -> RbcState:
        """The initial state."""
        return RbcState.initial()

    def parse_move(self, state: RbcState, text: str) -> Move:
        """Parses a sense or a move that may be requested: UCI, SAN or `pass`.

        Only the player's own pieces are looked at, so that the answer reveals nothing. Raises ParseError or
        IllegalMove.
        """
        try:
            return super().parse_move(state, text)
        except (ParseError, IllegalMove):
            if state.sensing:
                raise
        board = chess.Board(board_fen(state))
        requests = [chess.Move.from_uci(state.move_text(m)) for m in state.legal_moves() if m != PASS]

        def own_piece(square: chess.Square) -> chess.PieceType | None:
            return board.piece_type_at(square) if board.color_at(square) == board.turn else None

        move, _ = match_move(to_valid_utf8(text), requests, own_piece, chess.Move.uci)
        return move_code(move)

    def observe(self, state: RbcState, player: int, move: Move) -> Observation:
        """The observation of `player` when `move` is played in `state`. Raises IllegalMove."""
        own = player == state.to_move
        if move >= SENSE:
            if not own:
                return OpponentSense()
            return SenseResult(() if move == NO_SENSE else tuple(state.sense(move - SENSE)))
        taken, capture_square = state.result_of(move)
        if not own:
            return OpponentMoveResult(capture_square)
        return MoveResult(move, None if taken == PASS else taken, capture_square)

    def diagram(self, state: RbcState) -> Diagram:
        """The true board: for spectators and replays, not for players."""
        last = state.last_move
        moved = last if last is not None and PASS < last < SENSE else None
        return board_diagram(chess.Board(board_fen(state)), moved)


def board_fen(state: RbcState) -> str:
    """The true position as FEN, en passant square after every double step, as reconchess writes it."""
    return state.text().rsplit(" ", 1)[0]
