"""Who says what requests bring on boards that are taken for known: our own search, or Stockfish over it."""

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
"""A request that falls further behind the best of a board is bad there; how bad does not matter."""
_SECONDS = 5.0
"""An engine that takes longer over one small search has died, or as good as."""
_RESTARTS = 3
_DEBIAN = Path("/usr/games/stockfish")


@dataclass(frozen=True)
class BoardEvaluations:
    """What every request comes to on every board."""

    requests: NDArray[np.uint16]
    """[requests], in ascending order, the pass first."""
    scores: NDArray[np.int32]
    """[boards, requests], hundredths of a pawn."""
    attacks: NDArray[np.bool_]
    """[boards, requests]: whether the other king is attacked afterwards and one's own is not."""


class BoardEvaluator(Protocol):
    """Judges all requests on all boards of a set."""

    cost_ratio: float
    """So many times as long takes what is looked at one step deeper."""

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """The boards in their order, so many steps deeper than usual."""
        ...

    def close(self) -> None:
        """No more will be asked."""
        ...


class NativeEvaluator:
    """Our own small search by the rules of the game: tens of boards in a hundredth of a second."""

    cost_ratio = 12.0

    def __init__(self, depth: int, threads: int = 1) -> None:
        self._depth, self._threads = depth, threads

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """The boards in their order, so many plies deeper than usual."""
        return BoardEvaluations(*boards.evaluate_requests(self._depth + extra_depth, _MARGIN, self._threads))

    def close(self) -> None:
        """Nothing to put away."""


class StockfishNotFound(Exception):
    """There is no Stockfish on this machine, or not where it was said to be."""


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
    """Stockfish on every position that it can understand; our own search where it cannot, or where it dies.

    Stockfish is only shown positions that could occur in chess. On all others (a king that can be taken, no
    legal move) and for moves that chess forbids, our own verdict stands.
    """

    cost_ratio = 4.0

    def __init__(self, program: str, nodes: int, native: NativeEvaluator) -> None:
        self._program, self._nodes, self._native = program, nodes, native
        self._engine: chess.engine.SimpleEngine | None = None
        self._starts = 0

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """The boards in their order; a step deeper is four times the nodes."""
        own, nodes = self._native.evaluate(boards), self._nodes * round(self.cost_ratio) ** extra_depth
        columns = {int(request): i for i, request in enumerate(own.requests)}
        scores = own.scores.copy()
        for row, fen in enumerate(boards.fens()):
            for move, score in self._ask(chess.Board(fen), nodes).items():
                if move in columns:
                    scores[row, columns[move]] = score
        return BoardEvaluations(own.requests, scores, own.attacks)

    def close(self) -> None:
        """Lets the engine quit."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with contextlib.suppress(chess.engine.EngineError, TimeoutError, OSError):
                engine.quit()
            engine.close()

    def _ask(self, board: chess.Board, nodes: int) -> dict[int, int]:
        """The scores of legal moves, by our codes; nothing where the engine cannot be asked."""
        if not is_legal_chess_position(board) or not any(board.generate_legal_moves()):
            return {}
        try:
            engine = self._running()
            if engine is None:
                return {}
            limit = chess.engine.Limit(nodes=nodes, time=_SECONDS)
            lines = engine.analyse(board, limit, multipv=board.legal_moves.count())
        except (chess.engine.EngineError, TimeoutError, OSError):
            self.close()
            return {}
        return {
            _code(line["pv"][0]): line["score"].relative.score(mate_score=5_000)
            for line in lines
            if line.get("pv") and "score" in line
        }

    def _running(self) -> chess.engine.SimpleEngine | None:
        """The engine, started again if it has died; None once it has died too often."""
        if self._engine is None and self._starts <= _RESTARTS:
            self._starts += 1
            self._engine = chess.engine.SimpleEngine.popen_uci(self._program, timeout=10)
            self._engine.configure({"Threads": 1, "Hash": 16})
        return self._engine


def is_legal_chess_position(board: chess.Board) -> bool:
    """Whether the position could occur in chess, so that an engine can be shown it."""
    if board.ep_square is not None and not board.has_legal_en_passant():
        board.ep_square = None
    board.castling_rights = board.clean_castling_rights()
    return board.is_valid()


def _code(move: chess.Move) -> int:
    return move.to_square | move.from_square << 6 | ((move.promotion - 1) << 12 if move.promotion else 0)
