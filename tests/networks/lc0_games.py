"""Positions to ask Lc0's networks about, and the answers of our graphs."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import onnx
import onnxruntime

from sparring.chess.game import Chess
from sparring.chess.lc0 import Lc0Codec
from sparring.networks import Position, Prediction
from tests.reference.lc0 import UciPosition

STARTS = (
    None,
    "r3k2r/pppq1ppp/2npbn2/2b1p3/2B1P3/2NPBN2/PPPQ1PPP/R3K2R b KQkq - 4 8",
    "rnbqkbnr/ppp1pppp/8/8/3pP3/8/PPPP1PPP/RNBQKBNR b KQkq e3 0 1",
    "1n2k3/P6P/8/8/8/8/p6p/1N2K3 w - - 7 30",
)


def random_lines(count: int) -> tuple[list[UciPosition], list[Position]]:
    """Positions of random games that like to undo their moves, so that some come up again."""
    chess, rng = Chess(), np.random.default_rng(5)
    lines: list[UciPosition] = []
    positions: list[Position] = []
    for fen in itertools.cycle(STARTS):
        if len(lines) >= count:
            break
        state = chess.initial() if fen is None else chess.parse(fen)
        moves: list[str] = []
        for _ in range(12):
            lines.append(UciPosition(tuple(moves), fen))
            positions.append(Position(state))
            legal = {state.move_text(move): move for move in state.legal_moves()}
            back = moves[-2][2:4] + moves[-2][:2] if len(moves) > 1 else ""
            chosen = back if back in legal and rng.random() < 0.5 else str(rng.choice(list(legal)))
            state = state.play(legal[chosen])
            moves.append(chosen)
            if state.outcome is not None:
                break
    return lines[:count], positions[:count]


def predictions(model: onnx.ModelProto, positions: list[Position]) -> list[Prediction]:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(
        model.SerializeToString(), options, providers=["CPUExecutionProvider"]
    )
    names = [output.name for output in session.get_outputs()]
    codec = Lc0Codec({})
    outputs: list[Any] = session.run(names, dict(codec.encode(positions)))
    return codec.decode(positions, dict(zip(names, outputs, strict=True)))
