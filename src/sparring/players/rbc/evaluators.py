"""Evaluators of known boards: the native search, and Stockfish on top of it."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet

_MARGIN = 700
"""Centipawns behind the best request of a board beyond which scores are cut off."""
_SECONDS = 5.0
"""Time limit of one small search; an engine that exceeds it counts as dead."""
_RESTARTS = 3
_DEBIAN = Path("/usr/games/stockfish")


@dataclass(frozen=True)
class BoardEvaluations:
    """The score of every request on every board."""

    requests: NDArray[np.uint16]
    """[requests], in ascending order; the pass is first."""
    scores: NDArray[np.int32]
    """[boards, requests], in centipawns for the player."""
    attacks: NDArray[np.bool_]
    """[boards, requests]: whether the opponent's king is attacked afterwards and the own king is not."""


class BoardEvaluator(Protocol):
    """Evaluates all requests on all boards of a set."""

    cost_ratio: float
    """Estimated cost ratio of searching one step deeper."""

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """Evaluates the boards, in their order, `extra_depth` steps deeper than configured."""
        ...

    def new_game(self) -> None:
        """Forgets the last game."""
        ...

    def close(self) -> None:
        """Ends processes. A later evaluation starts them again."""
        ...


class NativeEvaluator:
    """The native search by the rules of the game: tens of boards in a hundredth of a second."""

    cost_ratio = 12.0

    def __init__(self, depth: int, threads: int = 1) -> None:
        self._depth, self._threads = depth, threads

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """Evaluates the boards, in their order, `extra_depth` plies deeper than configured."""
        return BoardEvaluations(*boards.evaluate_requests(self._depth + extra_depth, _MARGIN, self._threads))

    def new_game(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


class StockfishNotFound(Exception):
    """Stockfish is not installed, or not at the given path."""


def find_stockfish(path: str | None = None) -> str:
    """Stockfish by path, by STOCKFISH_EXECUTABLE, on the PATH, or Debian's. Raises StockfishNotFound."""
    named = path or os.environ.get("STOCKFISH_EXECUTABLE")
    found = shutil.which(named or "stockfish") or (None if named or not _DEBIAN.exists() else str(_DEBIAN))
    if found is None:
        raise StockfishNotFound(
            f"there is no program {named}" if named else "Stockfish is not installed (make engines)"
        )
    return found


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
        own, nodes = self._native.evaluate(boards), self._nodes * round(self.cost_ratio) ** extra_depth
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
        """Lets the engine quit."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with contextlib.suppress(chess.engine.EngineError, TimeoutError, OSError):
                engine.quit()
            engine.close()

    def _ask(self, board: chess.Board, nodes: int) -> dict[int, int]:
        """Scores of legal moves by move code; empty if the engine cannot be asked."""
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
            _code(line["pv"][0]): line["score"].relative.score(mate_score=5_000)
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


def _code(move: chess.Move) -> int:
    return move.to_square | move.from_square << 6 | ((move.promotion - 1) << 12 if move.promotion else 0)
