"""UCT: Monte Carlo tree search with random playouts (Kocsis and Szepesvári 2006).

It needs only the rules. It is the weak opponent for games such as Go, in which material says little.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from sparring.games.game import Move, Outcome
from sparring.games.states import State

N = TypeVar("N", bound=State)


@dataclass(frozen=True)
class MoveStats:
    """Statistics of a move of the root."""

    move: Move
    visits: int
    value: float
    """Mean result for the player to move, from 0 (lost) to 1 (won)."""


@dataclass
class _Node(Generic[N]):
    state: N
    untried: list[Move]
    children: dict[Move, _Node[N]] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0
    """Sum of results for the player whose move led to this node."""

    def value(self) -> float:
        return self.total / self.visits


def uct(
    state: N, playouts: int, rng: np.random.Generator, *, exploration: float = 0.7, max_plies: int = 1000
) -> list[MoveStats]:
    """Runs `playouts` iterations of selection, expansion, playout and backpropagation.

    `exploration` is the constant c of UCB1. A playout of more than `max_plies` plies counts as a draw.
    Returns the root's moves, most visited first.
    """
    root = _node(state, rng)
    for _ in range(playouts):
        path = _select_leaf(root, rng, exploration)
        outcome, _ = path[-1].state.playout(int(rng.integers(2**63)), max_plies)
        for parent, node in zip([None, *path], path, strict=False):
            node.visits += 1
            if parent is not None:
                node.total += _result(outcome, parent.state.to_move)
    stats = [MoveStats(move, child.visits, child.value()) for move, child in root.children.items()]
    return sorted(stats, key=lambda row: (-row.visits, row.move))


def _select_leaf(root: _Node[N], rng: np.random.Generator, exploration: float) -> list[_Node[N]]:
    """Selects children by UCB1, Q + c sqrt(ln N(parent) / N(child)), down to a new or terminal node."""
    path = [root]
    while path[-1].children or path[-1].untried:
        node = path[-1]
        if node.untried:
            move = node.untried.pop()
            node.children[move] = _node(node.state.play(move), rng)
            return [*path, node.children[move]]
        log_visits = math.log(node.visits)
        path.append(
            max(
                node.children.values(),
                key=lambda child: child.value() + exploration * math.sqrt(log_visits / child.visits),
            )
        )
    return path


def _node(state: N, rng: np.random.Generator) -> _Node[N]:
    moves = state.legal_moves()
    rng.shuffle(moves)
    return _Node(state, moves)


def _result(outcome: Outcome | None, player: int) -> float:
    if outcome is None or outcome.winner is None:
        return 0.5
    return 1.0 if outcome.winner == player else 0.0
