"""Kinds of mistakes in chess, as far as the lines of an analysis prove them.

Material is counted along a line: a piece is lost if the line wins it and nothing comes
back.
"""

from __future__ import annotations

from collections.abc import Sequence

import chess

from sparring._core import ChessState
from sparring.base.sentences import Sentence
from sparring.chess.game import board_of
from sparring.games import Move
from sparring.measure.analysis import MistakeFacts

KINDS = {
    "allowed mate": Sentence("The move allows a forced mate."),
    "mate overlooked": Sentence("There was a forced mate."),
    "stalemate": Sentence("The move gives stalemate."),
    "hanging piece": Sentence("The move leaves a piece that can be taken."),
    "bad trade": Sentence("The exchange that the move begins loses material."),
    "allowed fork": Sentence("The answer attacks two pieces at once and wins one."),
    "missed fork": Sentence("A move attacked two pieces at once and won one."),
    "missed capture": Sentence("A piece could be taken."),
    "loses material": Sentence("The answer wins material by force."),
    "missed win of material": Sentence("There was a line that wins material by force."),
}
"""The kinds with a sentence for people, the surest first."""
_VALUES = {
    chess.PAWN: 100,
    chess.KNIGHT: 320,
    chess.BISHOP: 330,
    chess.ROOK: 500,
    chess.QUEEN: 950,
    chess.KING: 0,
}
_PIECE = 200
"""Centipawns that are worth more than a pawn or two, and less than a piece for two pawns."""
_PLIES = 6
"""Moves of a line that count."""


def kind_of_mistake(facts: MistakeFacts) -> str:
    """The kind of a mistake, a key of `KINDS`; empty if none can be proved."""
    state, best, answer = facts.before, facts.best, facts.answer
    after = state.play(facts.move)
    if answer.mate is not None and answer.mate > 0 and (best.mate is None or best.mate > 0):
        return "allowed mate"
    if best.mate is not None and best.mate > 0 and (answer.mate is None or answer.mate >= 0):
        return "stalemate" if _is_stalemate(after) else "mate overlooked"
    if after.outcome is not None:
        return "stalemate" if _is_stalemate(after) else ""
    lost, could = material_won(after, answer.line), material_won(state, best.line)
    if lost >= _PIECE and lost - _taken(state, facts.move) >= _PIECE:
        return _kind_of_loss(state, facts.move, after, answer.line)
    if could >= _PIECE and could + lost - _taken(state, facts.move) >= _PIECE:
        first = best.line[0]
        if _is_capture(state, first) and state.exchange_value(first) >= _PIECE:
            return "missed capture"
        return "missed fork" if is_fork(state, first) else "missed win of material"
    return ""


def _taken(state: ChessState, move: Move) -> int:
    """Centipawns of what a move takes."""
    board = board_of(state)
    played = chess_move(move)
    if board.is_en_passant(played):
        return _VALUES[chess.PAWN]
    victim = board.piece_type_at(played.to_square)
    return 0 if victim is None else _VALUES[victim]


def _kind_of_loss(before: ChessState, move: Move, after: ChessState, line: Sequence[Move]) -> str:
    """How the answer wins material."""
    first = line[0]
    target = first & 63
    if _is_capture(after, first):
        if _is_capture(before, move) and target == (move & 63):
            return "bad trade"
        if after.exchange_value(first) >= _PIECE:
            return "hanging piece"
    return "allowed fork" if is_fork(after, first) else "loses material"


def material_won(state: ChessState, line: Sequence[Move]) -> int:
    """Centipawns of material that the side to move wins along a line, at most six moves. Exchanges that its
    last move begins are played out."""
    shown = line[:_PLIES]
    board, mover = board_of(state), state.to_move
    start = _balance(board, mover)
    for code in shown[:-1]:
        board.push(chess_move(code))
        state = state.play(code)
    won = _balance(board, mover) - start
    if shown:
        last = state.exchange_value(shown[-1])
        won += last if state.to_move == mover else -last
    return won


def _balance(board: chess.Board, player: int) -> int:
    pieces = board.piece_map().values()
    return sum(_VALUES[piece.piece_type] * (1 if piece.color == (player == 0) else -1) for piece in pieces)


def is_fork(state: ChessState, move: Move) -> bool:
    """Whether a move attacks two pieces at once with a piece that is worth less than they, or that they
    cannot
    keep: the king, and pieces without protection."""
    board = board_of(state)
    mover = board.turn
    board.push(chess_move(move))
    square = move & 63
    attacker = board.piece_at(square)
    if attacker is None:
        return False
    targets = 0
    for target in board.attacks(square):
        piece = board.piece_at(target)
        if piece is None or piece.color == mover or piece.piece_type == chess.PAWN:
            continue
        dearer = _VALUES[piece.piece_type] > _VALUES[attacker.piece_type] + 50
        targets += piece.piece_type == chess.KING or dearer or not board.is_attacked_by(not mover, target)
    return targets >= 2


def chess_move(code: Move) -> chess.Move:
    """A move as python-chess writes it."""
    return chess.Move(code >> 6 & 63, code & 63, (code >> 12) + 1 if code >> 12 else None)


def _is_capture(state: ChessState, move: Move) -> bool:
    return board_of(state).is_capture(chess_move(move))


def _is_stalemate(state: ChessState) -> bool:
    return state.outcome is not None and state.outcome.reason == "stalemate"
