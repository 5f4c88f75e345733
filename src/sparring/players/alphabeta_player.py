"""A small opponent without a network: alpha-beta over material."""

from __future__ import annotations

from typing import Protocol

from sparring.games import Move
from sparring.games.native import NativeState
from sparring.players.player import BasePlayer, Decision, Turn


class AlphaBetaState(NativeState, Protocol):
    """A state with the native material search."""

    def alphabeta(self, nodes: int, margin: int) -> list[tuple[Move, int]]:
        """The legal moves with their scores in centipawns for the side to move, best first. Scores within
        `margin` of the best are exact; the others are upper bounds. `nodes` is about the number of positions
        searched."""


class AlphaBetaPlayer(BasePlayer):
    """Alpha-beta over material. Draws any of the moves within `margin` centipawns of the best.

    `nodes` is the limit of its search; `Turn.limits.nodes` takes precedence.
    """

    def __init__(self, nodes: int, *, margin: int = 15) -> None:
        super().__init__(f"alpha-beta, {nodes} nodes")
        self.nodes = nodes
        self.margin = margin

    def choose(self, turn: Turn) -> Decision:
        """Draws one of the best moves."""
        state: AlphaBetaState = turn.state
        scores = state.alphabeta(turn.limits.nodes or self.nodes, self.margin)
        best = scores[0][1]
        good = [move for move, score in scores if score >= best - self.margin]
        move = good[int(self._rng.integers(len(good)))]
        return Decision(move, dict.fromkeys(good, 1 / len(good)), f"{best / 100:+.2f}")
