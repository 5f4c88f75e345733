"""A policy with fixed predictions, and positions for it."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.games import load_game
from sparring.networks import Position, Prediction


@dataclass(eq=False)
class FixedPolicy:
    """Gives the same probabilities to the first legal moves of every position, and counts its positions."""

    probabilities: Sequence[float]
    name: str = "stating"
    game: str = "chess"
    value: float | None = None
    positions: list[Position] = field(default_factory=list)

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.positions += positions
        return [self._one(position) for position in positions]

    def _one(self, position: Position) -> Prediction:
        moves = tuple(position.state.legal_moves())
        shares = np.zeros(len(moves), np.float32)
        shares[: len(self.probabilities)] = self.probabilities[: len(moves)]
        return Prediction(moves, shares, value=self.value)


def random_states(game: str, count: int, seed: int = 1, **options: Any) -> list[Any]:
    """States of random games, none of them at an end."""
    rng, rules = random.Random(seed), load_game(game, **options)
    found: list[Any] = []
    state = rules.initial()
    while len(found) < count:
        if moves := rules.legal_moves(state):
            found.append(state)
            state = rules.play(state, rng.choice(moves))
        else:
            state = rules.initial()
    return found
