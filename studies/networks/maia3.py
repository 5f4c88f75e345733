"""Agreement of our Maia-3 reader with the published graph."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import chess
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sparring.chess.game import Chess
from sparring.networks import Position, Prediction, load_network
from tests.reference.maia3 import BOARDS, reference_label, reference_tokens

_BATCH = 64


def agreement(path: Path, games: Sequence[Sequence[str]]) -> dict[str, object]:
    """The differences between our batches and the published graph, at every position of games of UCI moves.

    The reference is the published graph at batch 1, with tokens built in plain Python with python-chess.
    Ratings change from position to position.
    """
    name = path.stem
    original, network = _session(path), load_network(path)
    move_gap = value_gap = 0.0
    count = same_choice = 0
    for batch in _batches(games):
        positions = [position for _, position in batch]
        for (line, position), ours in zip(batch, network.predict(positions), strict=True):
            probabilities, wdl = _reference(original, line, position)
            theirs = np.array([probabilities[_text(position, move)] for move in ours.moves])
            move_gap = max(move_gap, float(np.abs(theirs - ours.probabilities).max()))
            value_gap = max(value_gap, _wdl_gap(ours, wdl))
            same_choice += int(theirs.argmax() == ours.probabilities.argmax())
            count += 1
    return {
        "network": name,
        "positions": count,
        "greatest_probability_difference": move_gap,
        "greatest_value_difference": value_gap,
        "same_first_choice": same_choice / count,
    }


def _reference(
    session: onnxruntime.InferenceSession, line: Sequence[chess.Board], position: Position
) -> tuple[dict[str, float], NDArray[np.float64]]:
    """Probabilities by UCI move, and win, draw and loss, of the published graph."""
    logits_move, logits_value = session.run(
        ["logits_move", "logits_value"],
        {
            "tokens": reference_tokens(line)[None],
            "self_elo": np.array([position.rating], dtype=np.int64),
            "oppo_elo": np.array([position.opponent_rating], dtype=np.int64),
        },
    )
    board = line[-1]
    moves = list(board.legal_moves)
    shares = _softmax(np.array([logits_move[0, reference_label(board, move)] for move in moves]))
    probabilities = {move.uci(): float(share) for move, share in zip(moves, shares, strict=True)}
    return probabilities, _softmax(logits_value[0])[::-1]


def _batches(games: Sequence[Sequence[str]]) -> Iterator[list[tuple[list[chess.Board], Position]]]:
    batch: list[tuple[list[chess.Board], Position]] = []
    for game in games:
        for line in _lines(game):
            batch.append(line)
            if len(batch) == _BATCH:
                yield batch
                batch = []
    if batch:
        yield batch


def _lines(game: Sequence[str]) -> Iterator[tuple[list[chess.Board], Position]]:
    """For each position of a game: its last boards, and its state with ratings."""
    rules = Chess()
    board, state, line = chess.Board(), rules.initial(), [chess.Board()]
    for ply, text in enumerate(game):
        rating = 600 + 100 * (ply % 21)
        yield list(line), Position(state, rating=rating, opponent_rating=3200 - rating)
        board.push_uci(text)
        state = rules.play(state, rules.parse_move(state, text))
        line = [*line[1 - BOARDS :], board.copy(stack=False)]


def _text(position: Position, move: int) -> str:
    return str(position.state.move_text(move))


def _wdl_gap(ours: Prediction, theirs: NDArray[np.float64]) -> float:
    return float(np.abs(np.array(ours.wdl) - theirs).max())


def _session(path: Path) -> onnxruntime.InferenceSession:
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = 1
    return onnxruntime.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])


def _softmax(logits: NDArray[np.floating]) -> NDArray[np.float64]:
    weights = np.exp(logits.astype(np.float64) - logits.max())
    shares: NDArray[np.float64] = weights / weights.sum()
    return shares
