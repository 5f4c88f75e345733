"""Maia-3's input tokens and move labels in plain Python with python-chess."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import numpy as np
from numpy.typing import NDArray

BOARDS = 8
"""Boards of history in the input."""
_PROMOTIONS = (chess.QUEEN, chess.ROOK, chess.BISHOP, chess.KNIGHT)


def reference_tokens(line: Sequence[chess.Board]) -> NDArray[np.float32]:
    """The tokens [64, 96] of a line's last board with its history."""
    shown = list(line[-BOARDS:])
    shown = [shown[0]] * (BOARDS - len(shown)) + shown
    tokens = np.zeros((64, 12 * BOARDS), dtype=np.float32)
    for slot, board in enumerate(shown):
        seen = board if board.turn == chess.WHITE else board.mirror()
        for square, piece in seen.piece_map().items():
            owner = 0 if piece.color == chess.WHITE else 6
            tokens[square, 12 * slot + owner + piece.piece_type - 1] = 1
    return tokens


def reference_label(board: chess.Board, move: chess.Move) -> int:
    """The index of a move among the 4352 policy logits."""
    start, end = move.from_square, move.to_square
    if board.turn == chess.BLACK:
        start, end = chess.square_mirror(start), chess.square_mirror(end)
    if move.promotion is None:
        return start * 64 + end
    files = chess.square_file(start) * 8 + chess.square_file(end)
    return 4096 + files * 4 + _PROMOTIONS.index(move.promotion)
