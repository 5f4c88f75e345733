"""Tiny runs of self-play for tests."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.config import from_table
from sparring.networks import Position, Prediction
from sparring.training.selfplay.config import SelfPlayConfig
from sparring.training.selfplay.task import SelfPlayTraining, Workers
from sparring.training.trainer import Trainer


def tiny_config(game: str = "breakthrough", **parts: Any) -> SelfPlayConfig:
    """A tiny network, two generations of four games; `parts` change single keys."""
    entries: dict[str, Any] = {
        "name": "tiny",
        "game": game,
        "network": {"blocks": 1, "width": 8, "se_ratio": 4},
        "training": {"steps": 4, "batch": 16, "validate_every": 2, "ema_decay": 0.5, "learning_rate": 0.01},
        "play": {"visits": 4, "considered": 2, "games": 4, "block": 2, "parallel": 2, "max_plies": 12},
        "learn": {},
        "evaluation": {"every": 2, "games": 2, "visits": 2, "strengths": []},
        "gate": {},
    }
    for name, changes in parts.items():
        entries[name] = {**entries.get(name, {}), **changes} if isinstance(changes, dict) else changes
    return from_table(SelfPlayConfig, entries)


def run(config: SelfPlayConfig, folder: Path, workers: Workers | None = None, **options: Any) -> Trainer:
    """Runs a training to its end, or resumes it."""
    task = SelfPlayTraining(config, folder, workers, **options)
    try:
        trainer = Trainer(task, folder, device="cpu")
        trainer.train()
    finally:
        task.close()
    return trainer


def contents(folder: Path) -> dict[str, bytes]:
    """The networks and games of a run."""
    files = [*folder.glob("networks/*"), *folder.glob("games/*"), folder / "model.onnx"]
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(files)}


@dataclass
class ConstantPolicy:
    """Uniform probabilities, and a value for player 0."""

    value: float
    game: str = "breakthrough"
    name: str = "constant"

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        predictions = []
        for position in positions:
            moves = tuple(position.state.legal_moves())
            value = self.value if position.state.to_move == 0 else -self.value
            shares = np.full(len(moves), 1 / len(moves), np.float32)
            predictions.append(Prediction(moves, shares, value, state=position.state))
        return predictions
