"""Writes chess records as PGN."""

from __future__ import annotations

import chess
import chess.engine
import chess.pgn
import numpy as np

from sparring._core import chess_moves
from sparring.records.pgn_tags import tags_of
from sparring.records.record import GameRecord

_NO_EVAL = -32768
_MATE = 32000


def to_pgn(record: GameRecord) -> str:
    """A chess record as PGN, with its clocks and evaluations as comments."""
    game = chess.pgn.Game()
    if record.start:
        game.setup(record.start)
    for tag, value in tags_of(record).items():
        game.headers[tag] = value
    clocks = _numbers(record.clocks, np.int32)
    evals = _numbers(record.evals, np.int16)
    node: chess.pgn.GameNode = game
    for ply, move in enumerate(chess_moves(record.start, record.moves)):
        node = node.add_main_variation(chess.Move.from_uci(move))
        if evals and evals[ply] != _NO_EVAL:
            node.set_eval(chess.engine.PovScore(_score(evals[ply]), chess.WHITE))
        if clocks and clocks[ply] >= 0:
            node.set_clock(clocks[ply] / 10)
    return str(game) + "\n"


def _numbers(packed: bytes | None, kind: type[np.int16] | type[np.int32]) -> list[int]:
    return [] if packed is None else [int(value) for value in np.frombuffer(packed, kind)]


def _score(centipawns: int) -> chess.engine.Score:
    if abs(centipawns) < 30_000:
        return chess.engine.Cp(centipawns)
    return chess.engine.Mate(_MATE - centipawns if centipawns > 0 else -_MATE - centipawns)
