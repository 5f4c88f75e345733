"""Gumbel root selection with sequential halving in plain Python, on the tree of `tests.reference.puct`."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.search import Evaluator, PuctConfig
from tests.reference.puct import Node, ReferencePuct


def visits_in_turn(considered: int, visits: int) -> list[int]:
    """For each visit, how often the moves whose turn it is were visited before."""
    if considered <= 1:
        return list(range(visits))
    rounds = math.ceil(math.log2(considered))
    turns: list[int] = []
    counts, left = [0] * considered, considered
    while len(turns) < visits:
        for _ in range(max(1, int(visits / (rounds * left)))):
            turns += counts[:left]
            counts[:left] = [count + 1 for count in counts[:left]]
        left = max(2, left // 2)
    return turns[:visits]


class ReferenceGumbel(ReferencePuct):
    """A search with `visits` visits of the root's moves."""

    def __init__(
        self,
        state: Any,
        evaluator: Evaluator,
        settings: PuctConfig,
        noise: NDArray[np.float32],
        considered: int,
        c_visit: float,
        c_scale: float,
    ) -> None:
        super().__init__(state, evaluator, settings)
        self.noise, self.considered, self.c_visit, self.c_scale = noise, considered, c_visit, c_scale
        self.turns: list[int] = []

    def search(self, visits: int) -> int:
        """Searches and returns the place of the move that is played."""
        self._batch(1)
        self.turns = visits_in_turn(min(self.considered, len(self.root.moves)), visits)
        while self.root.visits <= visits and not all(self.root_forced()):
            self._batch(1)
            if max(self.root_forced()) > 0:
                break
        return self._choice()

    def _select_child(self, node: Node) -> int:
        if node is not self.root:
            return super()._select_child(node)
        counts = self.root_visits()
        turn = self.turns[sum(counts)] if sum(counts) < len(self.turns) else max(counts)
        return max(
            (move for move, count in zip(node.moves, counts, strict=True) if count == turn),
            key=lambda move: self._score(node.moves.index(move)),
        )

    def _score(self, place: int) -> float:
        counts, node = self.root_visits(), self.root
        q = node.total / node.visits
        if counts[place]:
            child = node.children[node.moves[place]]
            q = (child.total if child.state.to_move == node.state.to_move else -child.total) / child.visits
        logit = math.log(max(node.priors[place], 1e-12))
        return float(self.noise[place]) + logit + (self.c_visit + max(counts)) * self.c_scale * q

    def _choice(self) -> int:
        forced, counts, places = self.root_forced(), self.root_visits(), range(len(self.root.moves))
        if wins := [place for place in places if forced[place] > 0]:
            return min(wins, key=lambda place: (forced[place], -self._score(place)))
        if unproven := [place for place in places if not forced[place]]:
            return max(unproven, key=lambda place: (counts[place], self._score(place)))
        return max(places, key=lambda place: (-forced[place], self._score(place)))
