"""Stockfish's first choice in the counted positions, and what it loses by the safer move."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import Any

import chess
import chess.engine
import numpy as np

from sparring.base.storage import atomic_writer
from studies.safer.analysis import Rows, read_parts


def _score(score: chess.engine.PovScore) -> float:
    """Lichess's winning chances from centipawns, for the side to move."""
    centipawns = score.relative.score(mate_score=10_000)
    assert centipawns is not None
    return 1 / (1 + math.exp(-0.00368208 * max(-1_000, min(1_000, centipawns))))


def write_confirmation(folder: Path, command: str, nodes: int, stop_at: float) -> None:
    """Adds Stockfish's choice to the parts, as files beside them, until the time `stop_at`."""
    with chess.engine.SimpleEngine.popen_uci(command) as engine:
        engine.configure({"Threads": 1, "Hash": 16})
        for path in sorted(folder.glob("choices-*.npz")):
            target = folder / path.name.replace("choices", "stockfish")
            part = np.load(path)
            if target.exists() or "fen" not in part.files:
                continue
            if time.time() > stop_at:
                return
            found = [
                _look(engine, str(fen), str(safer), nodes)
                for fen, safer in zip(part["fen"], part["safer_move"], strict=True)
            ]
            with atomic_writer(target) as temporary, temporary.open("wb") as file:
                np.savez(
                    file,
                    move=np.array([move for move, _ in found]),
                    loss=np.array([loss for _, loss in found]),
                )


def _look(engine: chess.engine.SimpleEngine, fen: str, safer: str, nodes: int) -> tuple[str, float]:
    board = chess.Board(fen)
    limit = chess.engine.Limit(nodes=nodes)
    best = engine.analyse(board, limit, game=fen)
    move = chess.Move.from_uci(safer)
    other = engine.analyse(board, limit, game=fen, root_moves=[move])
    return best["pv"][0].uci(), max(0.0, _score(best["score"]) - _score(other["score"]))


def read_confirmed(folder: Path) -> tuple[Rows, dict[str, int]]:
    """The rows with Stockfish's choice; an empty text where it has not looked."""
    rows, counts = read_parts(folder)
    moves: list[Any] = []
    losses: list[Any] = []
    for path in sorted(folder.glob("choices-*.npz")):
        part = np.load(path)
        if "game" not in part.files:
            continue
        beside = folder / path.name.replace("choices", "stockfish")
        size = len(part["game"])
        seen = np.load(beside) if beside.exists() else None
        moves += [""] * size if seen is None else seen["move"].tolist()
        losses += [np.nan] * size if seen is None else seen["loss"].tolist()
    if any(moves):
        rows |= {"stockfish": np.array(moves), "stockfish_loss": np.array(losses)}
    return rows, counts
