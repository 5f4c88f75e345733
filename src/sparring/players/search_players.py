"""Small opponents that need no network: alpha-beta where pieces can be counted, playouts elsewhere."""

from __future__ import annotations

from typing import Protocol

import numpy as np

from sparring.games import Move
from sparring.games.native import NativeState
from sparring.players.player import Decision
from sparring.search import uct


class AlphaBetaState(NativeState, Protocol):
    """A state that the native alpha-beta search can judge."""

    def alphabeta(self, nodes: int, margin: int) -> list[tuple[Move, int]]: ...  # noqa: D102


class AlphaBetaPlayer:
    """Looks ahead for `nodes` positions and takes any of the moves within `margin` of the best."""

    def __init__(self, nodes: int, rng: np.random.Generator, *, margin: int = 15) -> None:
        self.nodes = nodes
        self.margin = margin
        self._rng = rng

    def choose(self, state: AlphaBetaState) -> Decision:
        """One of the best moves, at random."""
        scores = state.alphabeta(self.nodes, self.margin)
        best = scores[0][1]
        good = [move for move, score in scores if score >= best - self.margin]
        move = good[int(self._rng.integers(len(good)))]
        return Decision(move, dict.fromkeys(good, 1 / len(good)), f"{best / 100:+.2f}")


class UctPlayer:
    """Takes the move that did best in random games (UCT)."""

    def __init__(self, playouts: int, rng: np.random.Generator) -> None:
        self.playouts = playouts
        self._rng = rng

    def choose(self, state: NativeState) -> Decision:
        """The most visited move."""
        found = uct(state, self.playouts, self._rng)
        total = sum(v.visits for v in found)
        best = found[0]
        return Decision(
            best.move, {v.move: v.visits / total for v in found}, f"wins {best.value:.0%} of its playouts"
        )
