"""Evaluators of single boards (the native search, Stockfish) and of synopses (a network)."""

from __future__ import annotations

import contextlib
import os
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import chess
import chess.engine
import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet
from sparring.base.errors import BadFile, NotFound
from sparring.chess.game import move_code
from sparring.networks.card import has_card, read_card
from sparring.rbc.synopsis import (
    ALL,
    TOP,
    SynopsisWords,
    recognise,
    replaced_headsets,
    unpack_planes,
)

_MARGIN = 700
"""Centipawns behind the best request of a board beyond which scores are cut off."""
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

    @property
    def nbytes(self) -> int:
        """Bytes of the arrays."""
        return self.requests.nbytes + self.scores.nbytes + self.attacks.nbytes


class NativeEvaluator:
    """The native search by the rules of the game: tens of boards in a hundredth of a second."""

    cost_ratio = 12.0
    """Estimated cost ratio of searching one step deeper."""

    def __init__(self, depth: int, threads: int = 1) -> None:
        self._depth, self._threads = depth, threads

    def evaluate(self, boards: RbcBoardSet, extra_depth: int = 0) -> BoardEvaluations:
        """Evaluates the boards, in their order, `extra_depth` plies deeper than configured, at least one.

        A negative number is less deep.
        """
        depth = max(self._depth + extra_depth, 1)
        return BoardEvaluations(*boards.evaluate_requests(depth, _MARGIN, self._threads))

    def new_game(self) -> None:
        """Does nothing."""

    def close(self) -> None:
        """Does nothing."""


def find_stockfish(path: str | None = None) -> str:
    """Stockfish by path, by STOCKFISH_EXECUTABLE, on the PATH, or Debian's. Raises NotFound."""
    named = path or os.environ.get("STOCKFISH_EXECUTABLE")
    program = shutil.which(named or "stockfish") or (None if named or not _DEBIAN.exists() else str(_DEBIAN))
    if program is None:
        raise NotFound(
            f"there is no program {named}" if named else "Stockfish is not installed (make engines)"
        )
    return program


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


BoardEvaluator: TypeAlias = NativeEvaluator | StockfishEvaluator


def is_legal_chess_position(board: chess.Board) -> bool:
    """Whether the position is legal in chess, so that engines accept it. Cleans rights that do not apply."""
    if board.ep_square is not None and not board.has_legal_en_passant():
        board.ep_square = None
    board.castling_rights = board.clean_castling_rights()
    return board.is_valid()


Evaluations = tuple[NDArray[np.float32], NDArray[np.float32]]
"""Policy logits [n, 4161], and values [n] for the player to act, from -1 to 1."""


class NetworkEvaluator:
    """A network with headsets, as `sparring train rbc` writes it: `Top` is the own policy, `All` the value.

    Raises BadFile or OSError.
    """

    memory_bytes = 8 << 20
    """About what the open network holds: its weights, and buffers for a batch."""
    opponent_headset = ""
    """The headset that predicts the opponent's actions."""

    def __init__(self, path: Path, *, backend: str = "onnxruntime", threads: int = 1) -> None:
        from sparring.networks.formats import open_graph

        try:
            self._model = open_graph(path)
        except BadFile as error:
            raise BadFile(f"{path}: {error}") from None
        self._backend, self._threads = backend, threads
        outputs = {output.name for output in self._model.outputs}
        self.headsets = tuple(
            name.removeprefix("policy_") for name in sorted(outputs) if name.startswith("policy_")
        )
        """Headsets with a policy."""
        for needed in (f"policy_{TOP}", f"value_{ALL}"):
            if needed not in outputs:
                raise BadFile(f"{path}: not a network of synopses: it has no output {needed}")
        self._replaced = {}
        if has_card(self._model.metadata):
            self._replaced = replaced_headsets(read_card(self._model.metadata))
        self.recognise("")

    def recognise(self, opponent: str) -> None:
        """Chooses the opponent's headset by its name, else the one of strong players."""
        from sparring.networks.network import open_session

        headset = recognise(opponent, self.headsets, self._replaced)
        if self.opponent_headset == headset:
            return
        self.opponent_headset = headset
        # Without the other headsets their heads are not computed.
        self._own, self._theirs = f"policy_{TOP}", f"policy_{headset}"
        self._value = f"value_{ALL}"
        kept = self._model.keep_outputs([self._own, self._theirs, self._value])
        self._session = open_session(kept, self._backend, self._threads)

    def evaluate(self, synopses: SynopsisWords, opponent: NDArray[np.bool_]) -> Evaluations:
        """Runs the network once on synopses [n, 104]; `opponent` [n] is True where the opponent is to act."""
        outputs = self._session.run({"planes": self._planes(synopses)})
        logits = outputs[self._own]
        if self._theirs != self._own and opponent.any():
            logits = np.where(opponent[:, None], outputs[self._theirs], logits)
        return np.ascontiguousarray(logits), np.ascontiguousarray(outputs[self._value].reshape(-1))

    def _planes(self, synopses: SynopsisWords) -> Any:
        """The planes, for PyTorch on a GPU as a tensor there: packed words are a 32nd of what planes are."""
        if self._backend != "torch" or "GPU" not in self._session.device:
            return unpack_planes(synopses)
        import torch

        from sparring.rbc.training.network import unpack_synopses

        return unpack_synopses(torch.from_numpy(synopses.view(np.int64)).cuda())
