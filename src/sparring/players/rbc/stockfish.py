"""Stockfish as an evaluator of boards of reconnaissance blind chess. Imports asyncio, by python-chess."""

from __future__ import annotations

import contextlib

import chess
import chess.engine

from sparring._core import RbcBoardSet
from sparring.games.chess import move_code
from sparring.players.rbc.evaluators import BoardEvaluations, NativeEvaluator

_SECONDS = 5.0
"""Time limit of one small search; an engine that exceeds it counts as dead."""
_RESTARTS = 3


class StockfishEvaluator:
    """Stockfish on positions that are legal in chess; the native search elsewhere, or if Stockfish fails.

    Positions in which a king can be captured or no move is legal, and requests that chess forbids, keep their
    native scores.
    """

    cost_ratio = 4.0

    def __init__(self, program: str, nodes: int, native: NativeEvaluator) -> None:
        self._program, self._nodes, self._native = program, nodes, native
        self._engine: chess.engine.SimpleEngine | None = None
        self._starts = 0
        self._game = object()

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """Evaluates the boards, in their order; a step deeper has four times the nodes."""
        own = self._native.evaluate(boards, min(extra_depth, 0))
        nodes = max(int(self._nodes * round(self.cost_ratio) ** extra_depth), 1)
        columns = {int(request): i for i, request in enumerate(own.requests)}
        scores = own.scores.copy()
        for row, fen in enumerate(boards.fens()):
            for move, score in self._ask(chess.Board(fen), nodes).items():
                if move in columns:
                    scores[row, columns[move]] = score
        return BoardEvaluations(own.requests, scores, own.attacks)

    def new_game(self) -> None:
        """Makes Stockfish clear its hash table: scores do not depend on earlier games."""
        self._game = object()

    def close(self) -> None:
        """Ends the engine."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with contextlib.suppress(chess.engine.EngineError, TimeoutError, OSError):
                engine.quit()
            engine.close()

    def _ask(self, board: chess.Board, nodes: int) -> dict[int, int]:
        """Scores of legal moves by move code; empty if the engine is unavailable."""
        if not is_legal_chess_position(board) or not any(board.generate_legal_moves()):
            return {}
        try:
            engine = self._running()
            if engine is None:
                return {}
            limit = chess.engine.Limit(nodes=nodes, time=_SECONDS)
            lines = engine.analyse(board, limit, multipv=board.legal_moves.count(), game=self._game)
        except (chess.engine.EngineError, TimeoutError, OSError):
            self.close()
            return {}
        return {
            move_code(line["pv"][0]): line["score"].relative.score(mate_score=5_000)
            for line in lines
            if line.get("pv") and "score" in line
        }

    def _running(self) -> chess.engine.SimpleEngine | None:
        """The engine, started again if it has died; None after too many starts."""
        if self._engine is None and self._starts <= _RESTARTS:
            self._starts += 1
            self._engine = chess.engine.SimpleEngine.popen_uci(self._program, timeout=10)
            self._engine.configure({"Threads": 1, "Hash": 16})
        return self._engine


def is_legal_chess_position(board: chess.Board) -> bool:
    """Whether the position is legal in chess, so that engines accept it. Cleans rights that do not apply."""
    if board.ep_square is not None and not board.has_legal_en_passant():
        board.ep_square = None
    board.castling_rights = board.clean_castling_rights()
    return board.is_valid()
