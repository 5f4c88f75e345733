"""Best-first minimax and Descent with completed values in plain Python, after the papers' pseudocode."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np


@dataclass
class Completed:
    value: float = 0.0
    completion: int = 0
    resolved: bool = False


@dataclass
class Node:
    state: Any
    own: Completed
    moves: dict[int, Completed] = field(default_factory=dict)
    visits: dict[int, int] = field(default_factory=dict)
    children: dict[int, Node] = field(default_factory=dict)


class ReferenceMinimax:
    """`evaluate(state)` is the value for the side to move; `merge` makes one node of equal positions."""

    def __init__(
        self, root: Any, evaluate: Callable[[Any], float], *, descend: bool, merge: bool, horizon: int = 200
    ) -> None:
        self.evaluate, self.descend, self.merge, self.horizon = evaluate, descend, merge, horizon
        self.known: dict[tuple[str, int], Node] = {}
        self.nodes = self.evaluations = 0
        self.root = self.node(root, Completed())

    def search(self, evaluations: int) -> None:
        self.limit = evaluations
        while self.evaluations < evaluations and not self.root.own.resolved:
            self.iteration(self.root)

    def iteration(self, node: Node) -> None:
        if node.own.resolved:
            return
        expanded = bool(node.moves)
        if not expanded:
            if self.stopped():
                return
            self.expand(node)
            if node.own.resolved or not self.descend:
                return
        sign = 1 if node.state.to_move == 0 else -1
        open_moves = [move for move, known in node.moves.items() if not known.resolved]
        move = max(open_moves, key=lambda move: sign * node.moves[move].value)
        if self.stopped():
            return
        if move not in node.children:
            node.children[move] = self.node(node.state.play(move), node.moves[move])
        node.visits[move] = node.visits.get(move, 0) + 1
        self.iteration(node.children[move])
        node.moves[move] = node.children[move].own
        self.update(node)

    def stopped(self) -> bool:
        """Descent goes on to the end of its iteration."""
        return self.evaluations >= self.limit and not self.descend

    def expand(self, node: Node) -> None:
        for move in node.state.legal_moves():
            child = node.state.play(move)
            if child.outcome is not None:
                node.moves[move] = self.end(child)
            else:
                value = float(np.float32(self.evaluate(child)))
                node.moves[move] = Completed(value if child.to_move == 0 else -value)
                self.evaluations += 1
        self.update(node)

    def end(self, state: Any) -> Completed:
        if state.outcome.winner is None:
            return Completed(0.0, 0, True)
        score = np.float32(1) - np.float32(min(state.ply, self.horizon)) / np.float32(2 * self.horizon)
        sign = 1 if state.outcome.winner == 0 else -1
        return Completed(sign * float(score), sign, True)

    def update(self, node: Node) -> None:
        sign = 1 if node.state.to_move == 0 else -1
        best = max(node.moves.values(), key=lambda known: (sign * known.completion, sign * known.value))
        resolved = best.completion == sign or all(known.resolved for known in node.moves.values())
        node.own = Completed(best.value, best.completion, resolved)

    def node(self, state: Any, own: Completed) -> Node:
        key = (state.text(), state.ply) if self.merge else ("", self.nodes)
        if key not in self.known:
            self.known[key] = Node(state, own)
            self.nodes += 1
        return self.known[key]
