"""Shares of the moves of Stockfish at a UCI_Elo in people's positions, by repeated searches."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import chess
import chess.engine
import numpy as np

from sparring.base.workers import LocalWorkerPool
from studies.levels.losses import Losses

LEAST_ELO = 1350
"""The least UCI_Elo of Stockfish 15.1; lower levels are compared with it."""
_TASK = 50


@dataclass(frozen=True)
class ShareTask:
    """Positions of a level."""

    level: int
    start: int
    """Index of the first."""
    states: tuple[Any, ...]


class ShareWorker:
    """Draws moves of Stockfish. Its choice is random, so that repeated searches give a distribution."""

    def __init__(self, program: str, draws: int) -> None:
        self._engine, self._draws = chess.engine.SimpleEngine.popen_uci(program), draws
        self._engine.configure({"Threads": 1, "Hash": 1, "UCI_LimitStrength": True})

    def work(self, task: ShareTask) -> tuple[int, int, list[Losses]]:
        """Level, index of the first position, and shares [moves] of each, moves ascending."""
        elo = max(task.level, LEAST_ELO)
        self._engine.configure({"UCI_Elo": elo})
        return task.level, task.start, [self._shares(state, selection_depth(elo)) for state in task.states]

    def _shares(self, state: Any, depth: int) -> Losses:
        moves = [state.move_text(move) for move in state.legal_moves()]
        counts = np.zeros(len(moves))
        board = chess.Board(state.text())
        for _ in range(self._draws):
            played = self._engine.play(board, chess.engine.Limit(depth=depth)).move
            assert played is not None
            counts[moves.index(played.uci())] += 1
        smoothed: Losses = (counts + 1 / len(moves)) / (self._draws + 1)
        return smoothed

    def close(self) -> None:
        """Lets the engine quit."""
        self._engine.close()

    def terminate(self) -> None:
        """Ends the engine."""
        self._engine.close()


def engine_shares(
    program: str, positions: Mapping[int, Sequence[Any]], draws: int, concurrency: int
) -> dict[int, list[Losses]]:
    """Shares of Stockfish's moves by level in the states of each; 50 states a task."""
    tasks = [
        ShareTask(level, start, tuple(states[start : start + _TASK]))
        for level, states in positions.items()
        for start in range(0, len(states), _TASK)
    ]
    found = {}
    with LocalWorkerPool(partial(ShareWorker, program, draws), concurrency) as pool:
        for level, start, shares in pool.run(iter(tasks)):
            found[level, start] = shares
    return {
        level: [share for start in range(0, len(states), _TASK) for share in found[level, start]]
        for level, states in positions.items()
    }


def selection_depth(elo: int) -> int:
    """The depth at which Stockfish 15.1 chooses its move at a UCI_Elo: 1 + its skill level."""
    return 1 + int(max(0.0, (elo - 1346.6) / 143.4) ** (1 / 0.806))
