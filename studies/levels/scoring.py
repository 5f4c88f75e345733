"""Positions evaluated by Stockfish in several processes."""

from __future__ import annotations

from dataclasses import dataclass

import chess.engine

from studies.levels.positions import GamePosition, score_position


@dataclass(frozen=True)
class ScoreTask:
    """Some of the positions."""

    start: int
    """Index of the first."""
    positions: tuple[GamePosition, ...]


class ScoreWorker:
    """Evaluates all moves of positions."""

    def __init__(self, program: str, nodes: int) -> None:
        self._engine = chess.engine.SimpleEngine.popen_uci(program)
        self._nodes = nodes

    def work(self, task: ScoreTask) -> tuple[int, list[GamePosition]]:
        """The scored positions, with the index of the first."""
        return task.start, [
            score_position(position, self._engine, self._nodes) for position in task.positions
        ]

    def close(self) -> None:
        """Lets the engine quit."""
        self._engine.close()

    def terminate(self) -> None:
        """Ends the engine."""
        self._engine.close()
