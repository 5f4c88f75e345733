"""A player of random moves, for any game."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring.games import Move
from sparring.players.player import BasePlayer, Decision, Turn


class RandomPlayer(BasePlayer):
    """Plays uniformly random legal moves, in open and in hidden games."""

    def __init__(self) -> None:
        super().__init__("random")

    def choose(self, turn: Turn) -> Decision:
        """Draws one of the legal moves."""
        return random_decision(turn.legal_moves, self._rng, "at random")


def random_decision(moves: Sequence[Move], rng: np.random.Generator, reason: str) -> Decision:
    """Draws one of the moves, each with the same probability."""
    move = moves[int(rng.integers(len(moves)))]
    return Decision(move, dict.fromkeys(moves, 1 / len(moves)), reason)
