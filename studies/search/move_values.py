"""Expected scores of all legal moves by Stockfish, cached in a journal."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Any, Self

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from sparring.base.storage import Journal


class MoveValues:
    """Stockfish's expected score (win + draw / 2) of each legal move, from a MultiPV search of all moves.

    A context manager. The journal holds one line per position and is resumed.
    """

    def __init__(self, program: str, nodes: int, path: Path) -> None:
        """`nodes` is the size of one search, all moves together. Raises OSError or BadFile."""
        self._nodes = nodes
        path.parent.mkdir(parents=True, exist_ok=True)
        self._journal = Journal(path, header={"nodes": nodes}, overwrite=True)
        self._known: dict[str, dict[str, float]] = dict(self._journal.entries)
        self._engine = chess.engine.SimpleEngine.popen_uci(program)
        self.name = str(self._engine.id.get("name", program))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._engine.close()

    def losses(self, state: Any) -> NDArray[np.float64]:
        """The best expected score minus that of each legal move [moves], moves ascending."""
        fen = state.text()
        if fen not in self._known:
            self._known[fen] = analyse_moves(self._engine, fen, self._nodes)
            self._journal.add([fen, self._known[fen]])
        scores = np.array([self._known[fen][state.move_text(move)] for move in state.legal_moves()])
        losses: NDArray[np.float64] = scores.max() - scores
        return losses


def analyse_moves(engine: chess.engine.SimpleEngine, fen: str, nodes: int) -> dict[str, float]:
    """Stockfish's expected score of each legal move by its UCI text, from one MultiPV search of all moves."""
    board = chess.Board(fen)
    moves = board.legal_moves.count()
    found = engine.analyse(board, chess.engine.Limit(nodes=nodes), multipv=moves, game=object())
    scores = {}
    for line in found:
        wdl = line["score"].relative.wdl(model="sf15", ply=board.ply())
        scores[line["pv"][0].uci()] = wdl.expectation()
    # A small search may end before it has looked at every move.
    return scores if len(scores) == moves else analyse_moves(engine, fen, 4 * nodes)
