"""Small opponents that need no network: alpha-beta where pieces can be counted, UCT elsewhere."""

from __future__ import annotations

from typing import Protocol

from sparring.games import Move
from sparring.games.native import NativeState
from sparring.players.player import BasePlayer, Decision, Turn
from sparring.search import uct


class AlphaBetaState(NativeState, Protocol):
    """A state with the native material search."""

    def alphabeta(self, nodes: int, margin: int) -> list[tuple[Move, int]]: ...  # noqa: D102


class AlphaBetaPlayer(BasePlayer):
    """Alpha-beta over material. Draws any of the moves within `margin` centipawns of the best.

    `nodes` is the limit of its search; `Turn.limits.nodes` goes before it.
    """

    def __init__(self, nodes: int, *, margin: int = 15) -> None:
        super().__init__(f"alpha-beta, {nodes} nodes")
        self.nodes = nodes
        self.margin = margin

    def choose(self, turn: Turn) -> Decision:
        """One of the best moves, at random."""
        state: AlphaBetaState = turn.state
        scores = state.alphabeta(turn.limits.nodes or self.nodes, self.margin)
        best = scores[0][1]
        good = [move for move, score in scores if score >= best - self.margin]
        move = good[int(self._rng.integers(len(good)))]
        return Decision(move, dict.fromkeys(good, 1 / len(good)), f"{best / 100:+.2f}")


class UctPlayer(BasePlayer):
    """UCT: plays the most visited move of a search with random playouts.

    `playouts` is the limit of its search; `Turn.limits.nodes` goes before it.
    """

    def __init__(self, playouts: int) -> None:
        super().__init__(f"UCT, {playouts} playouts")
        self.playouts = playouts

    def choose(self, turn: Turn) -> Decision:
        """The most visited move."""
        found = uct(turn.state, turn.limits.nodes or self.playouts, self._rng)
        total = sum(v.visits for v in found)
        best = found[0]
        distribution = {v.move: v.visits / total for v in found}
        reason = f"wins {best.value:.0%} of its playouts"
        return Decision(best.move, distribution, reason, value=2 * best.value - 1)
