"""PUCT in plain Python: the native tree must have the same visit counts."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.search import Evaluator, PuctConfig


@dataclass
class Node:
    state: Any
    parent: Node | None = None
    priors: list[float] = field(default_factory=list)
    moves: list[int] = field(default_factory=list)
    children: dict[int, Node] = field(default_factory=dict)
    visits: int = 0
    in_flight: int = 0
    total: float = 0.0
    terminal: float | None = None
    forced: int = 0
    """As `SearchResult.forced`, from the view of this node and counted with the ply that led here."""
    evaluating: bool = False


class ReferencePuct:
    def __init__(self, state: Any, evaluator: Evaluator, settings: PuctConfig) -> None:
        self.root, self.evaluator, self.settings = Node(state), evaluator, settings
        self.immediate_wins_found = not settings.find_immediate_wins

    def run(self, visits: int) -> None:
        self._batch(1)
        while self.root.visits < visits and not all(self.root_forced()):
            size = min(self.settings.batch, max(1, int(self.settings.batch_share * self.root.visits)))
            self._batch(min(size, visits - self.root.visits))

    def root_visits(self) -> list[int]:
        return [self.root.children[m].visits if m in self.root.children else 0 for m in self.root.moves]

    def root_forced(self) -> list[int]:
        return [self._forced_by(self.root, move) for move in self.root.moves]

    def root_value(self) -> float:
        forced = self._forced_at(self.root)
        return math.copysign(1, forced) if forced else self.root.total / self.root.visits

    def _batch(self, count: int) -> None:
        leaves: list[Node] = []
        left = count
        if self.root.moves and not self.immediate_wins_found:
            self.immediate_wins_found = True
            left -= self._find_immediate_wins()
        while len(leaves) < count and left > 0:
            node = self._select_leaf()
            if node.terminal is not None:
                if node.forced and not node.visits and self.settings.solver:
                    self._backpropagate_proof(node)
                self._backpropagate(node, node.terminal)
                left -= 1
            elif node.evaluating:
                self._undo_descent(node)
                break
            else:
                node.evaluating = True
                leaves.append(node)
                left -= 1
        for node, prediction in zip(leaves, self.evaluator([leaf.state for leaf in leaves]), strict=True):
            node.evaluating = False
            node.moves = list(node.state.legal_moves())
            node.priors = self._apply_policy_temperature(prediction.probabilities)
            value = np.float32(prediction.value)
            self._backpropagate(node, float(value))

    def _apply_policy_temperature(self, probabilities: NDArray[np.float32]) -> list[float]:
        t = self.settings.policy_temperature
        weights = [float(p) if t == 1 else math.pow(float(p), 1 / t) for p in probabilities]
        total = 0.0
        for weight in weights:
            total += weight
        return [float(np.float32(weight / total)) for weight in weights]

    def _select_leaf(self) -> Node:
        node = self.root
        node.in_flight += 1
        while node.moves and node.terminal is None:
            move = self._select_child(node)
            if move not in node.children:
                self._add(node, move)
            node = node.children[move]
            node.in_flight += 1
        return node

    def _add(self, node: Node, move: int) -> Node:
        child = node.children[move] = Node(node.state.play(move), node)
        child.terminal = self._end_value(child)
        if child.state.outcome is not None and child.state.outcome.winner is not None:
            child.forced = 1 if child.state.outcome.winner == child.state.to_move else -1
        return child

    def _find_immediate_wins(self) -> int:
        wins = 0
        for move in self.root.moves:
            outcome = self.root.state.play(move).outcome
            if outcome is not None and outcome.winner == self.root.state.to_move:
                child = self._add(self.root, move)
                self.root.in_flight += 1
                child.in_flight += 1
                wins += 1
                self._backpropagate(child, child.terminal or 0.0)
        return wins

    def _end_value(self, node: Node) -> float | None:
        outcome = node.state.outcome
        if outcome is not None:
            if outcome.winner is None:
                return 0.0
            return 1.0 if outcome.winner == node.state.to_move else -1.0
        if self.settings.repetition_draws:
            seen, at, since, twice = 0, node.state.previous, 0, 0
            while at is not None:
                seen += 1
                if at.key == node.state.key:
                    twice += 1
                    since += seen <= node.state.ply - self.root.state.ply
                at = at.previous
            if since >= 1 or twice >= 2:
                return 0.0
        return None

    def _forced_by(self, node: Node, move: int) -> int:
        if move not in node.children:
            return 0
        child = node.children[move]
        return child.forced if child.state.to_move == node.state.to_move else -child.forced

    def _forced_at(self, node: Node) -> int:
        all_forced = [self._forced_by(node, move) for move in node.moves]
        if wins := [forced for forced in all_forced if forced > 0]:
            return min(wins)
        return min(all_forced) if max(all_forced) < 0 else 0

    def _backpropagate_proof(self, node: Node) -> None:
        at = node.parent
        while at is not None and at.parent is not None and (forced := self._forced_at(at)):
            at.forced = forced + (1 if forced > 0 else -1)
            at.terminal = math.copysign(1, forced)
            self._adjust_total(at, at.terminal * at.visits)
            at = at.parent

    def _adjust_total(self, node: Node, total: float) -> None:
        change = total - node.total
        node.total = total
        at = node
        while at.parent is not None:
            if at.state.to_move != at.parent.state.to_move:
                change = -change
            at = at.parent
            at.total += change

    def _select_child(self, node: Node) -> int:
        s = self.settings
        tried = [
            (node.children[m].visits + node.children[m].in_flight) if m in node.children else 0
            for m in node.moves
        ]
        total = sum(tried)
        prior_tried = 0.0
        for prior, count in zip(node.priors, tried, strict=True):
            if count:
                prior_tried += prior
        c = s.c_puct
        if s.c_base > 0:
            c += s.c_factor * math.log((total + s.c_base + 1) / s.c_base)
        mean = node.total / node.visits if node.visits else 0.0
        fpu_reduction = s.fpu_reduction if s.fpu_absolute else mean - s.fpu_reduction * math.sqrt(prior_tried)
        best, best_key = node.moves[0], (-math.inf, -1.0)
        for move, prior, count in zip(node.moves, node.priors, tried, strict=True):
            q = fpu_reduction
            if count:
                child = node.children[move]
                won = child.total if child.state.to_move == node.state.to_move else -child.total
                lost = s.virtual_loss * child.in_flight
                if child.visits + lost:
                    q = (won - lost) / (child.visits + lost)
            explored = (1.0 if math.isinf(c) else c) * math.sqrt(total) * prior / (1 + count)
            score = explored if math.isinf(c) else q + explored
            if score > best_key[0] or (score == best_key[0] and prior > best_key[1]):
                best, best_key = move, (score, prior)
        return best

    def _backpropagate(self, node: Node, value: float) -> None:
        side, at = node.state.to_move, node
        while True:
            if at.state.to_move != side:
                value, side = -value, at.state.to_move
            if at.terminal is not None:
                value = at.terminal
            at.visits += 1
            at.in_flight -= 1
            at.total += value
            if at.parent is None:
                return
            at = at.parent

    def _undo_descent(self, node: Node) -> None:
        at: Node | None = node
        while at is not None:
            at.in_flight -= 1
            at = at.parent
