"""A small opponent without a network: UCT with random playouts."""

from __future__ import annotations

from sparring.players.player import BasePlayer, Decision, Turn
from sparring.search import uct


class UctPlayer(BasePlayer):
    """UCT: plays the most visited move of a search with random playouts.

    `playouts` is the limit of its search; `Turn.limits.nodes` takes precedence.
    """

    def __init__(self, playouts: int) -> None:
        super().__init__(f"UCT, {playouts} playouts")
        self.playouts = playouts

    def choose(self, turn: Turn) -> Decision:
        """Returns the most visited move."""
        found = uct(turn.state, turn.limits.nodes or self.playouts, self._rng)
        total = sum(v.visits for v in found)
        best = found[0]
        distribution = {v.move: v.visits / total for v in found}
        reason = f"wins {best.value:.0%} of its playouts"
        return Decision(best.move, distribution, reason, value=2 * best.value - 1)
