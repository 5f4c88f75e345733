"""Agreement of Lc0 and Maia networks with Lc0's own code on the same files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from sparring.chess.game import Chess
from sparring.networks import Position, Prediction, load_network
from tests.reference.lc0 import Lc0Output, UciPosition, evaluate_with_lc0


def agreement(path: Path, games: Sequence[Sequence[str]]) -> dict[str, object]:
    """The differences between our predictions and Lc0's, at every non-terminal position of games (UCI)."""
    positions, lines = _positions(games)
    ours = load_network(path).predict(positions)
    outputs = evaluate_with_lc0(path, lines)
    moves = np.array([_move_differences(p, q, v) for p, q, v in zip(positions, ours, outputs, strict=True)])
    values = np.array([_value_difference(q, v) for q, v in zip(ours, outputs, strict=True)])
    left = [
        abs(q.moves_left - v.moves_left)
        for q, v in zip(ours, outputs, strict=True)
        if q.moves_left is not None
    ]
    return {
        "positions": len(positions),
        "greatest_probability_difference": float(moves[:, 0].max()),
        "mean_probability_difference": float(moves[:, 1].mean()),
        "greatest_value_difference": float(values.max()),
        "mean_value_difference": float(values.mean()),
        "greatest_moves_left_difference": max(left) if left else None,
        "same_first_choice": float(moves[:, 2].mean()),
    }


def _positions(games: Sequence[Sequence[str]]) -> tuple[list[Position], list[UciPosition]]:
    chess = Chess()
    positions, lines = [], []
    for game in games:
        state = chess.initial()
        for ply, move in enumerate([*game, None]):
            if state.outcome is not None:
                break
            positions.append(Position(state))
            lines.append(UciPosition(game[:ply]))
            if move is not None:
                state = chess.play(state, chess.parse_move(state, move))
    return positions, lines


def _move_differences(
    position: Position, prediction: Prediction, output: Lc0Output
) -> tuple[float, float, bool]:
    """The largest and the mean difference of probabilities, and whether the most likely move is the same."""
    names = [position.state.move_text(move) for move in prediction.moves]
    theirs = np.array([output.probabilities[name] for name in names])
    differences = np.abs(prediction.probabilities - theirs)
    same = bool(prediction.probabilities.argmax() == theirs.argmax())
    return float(differences.max()), float(differences.mean()), same


def _value_difference(prediction: Prediction, output: Lc0Output) -> float:
    """The largest difference of win, draw and loss, or that of the value."""
    if prediction.wdl is None:
        return abs((prediction.value or 0.0) - output.value)
    win = (1 - output.draw + output.value) / 2
    theirs = (win, output.draw, win - output.value)
    return max(abs(a - b) for a, b in zip(prediction.wdl, theirs, strict=True))
