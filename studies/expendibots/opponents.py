"""Three simple opponents for the course's referee, different in kind: greedy, Monte Carlo, alpha-beta.

They know the rules and the number of tokens, and nothing else of the agent: no features, no network, no
tables, no book. Each is drawn from a seed, so that games with different seeds differ.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial

import numpy as np

from sparring._core import ExpendibotsState
from sparring.expendibots.agent import tokens
from sparring.expendibots.game import Action, Expendibots
from sparring.games import Move

_WON = 100.0
_SECONDS = 0.1
"""Processor seconds of a search for a move."""
Chooser = Callable[[ExpendibotsState, np.random.Generator], Move]


class SimpleOpponent:
    """A player of the referee that chooses by a function of the state."""

    def __init__(self, colour: str, *, choose: Chooser, seed: int = 0) -> None:
        self._game, self._choose = Expendibots(), choose
        self._state = self._game.initial()
        self._rng = np.random.default_rng(seed)

    def action(self) -> Action:
        """The action to take now."""
        return self._game.action(self._state, self._choose(self._state, self._rng))

    def update(self, colour: str, action: Action) -> None:
        """Plays an action of either side."""
        self._state = self._game.play(self._state, self._game.move_of(self._state, action))


def material(state: ExpendibotsState) -> float:
    """The balance of tokens over their number, from -1 to 1, for the side to move; ±100 in a decided game."""
    if state.outcome is not None:
        winner = state.outcome.winner
        return 0.0 if winner is None else _WON if winner == state.to_move else -_WON
    own, other = tokens(state)
    return (own - other) / (own + other)


def greedy(state: ExpendibotsState, rng: np.random.Generator) -> Move:
    """The best balance after one action; a random one among equals."""
    moves = state.legal_moves()
    values = [-material(state.play(move)) for move in moves]
    best = max(values)
    return int(rng.choice([move for move, value in zip(moves, values, strict=True) if value == best]))


# Alpha-beta with material alone, by iterative deepening.


class _OutOfTime(Exception):
    pass


def alpha_beta(state: ExpendibotsState, rng: np.random.Generator, seconds: float = _SECONDS) -> Move:
    """The best move of the deepest search that ended in time; a random order decides between equals."""
    ends = time.process_time() + seconds
    order = [int(move) for move in rng.permutation(state.legal_moves())]
    try:
        for depth in range(1, 9):
            scored = _rated(state, order, depth, ends)
            order = [move for move, _ in scored]
    except _OutOfTime:
        pass
    return order[0]


def _rated(state: ExpendibotsState, order: list[Move], depth: int, ends: float) -> list[tuple[Move, float]]:
    """The moves by their values, the best first. A move that is not better than the best has a bound."""
    best, rated = -math.inf, []
    for move in order:
        value = -_search(state.play(move), depth - 1, -math.inf, -best, ends)
        best = max(best, value)
        rated.append((move, value))
    return sorted(rated, key=lambda entry: -entry[1])


def _search(state: ExpendibotsState, depth: int, alpha: float, beta: float, ends: float) -> float:
    if time.process_time() > ends:
        raise _OutOfTime
    if depth == 0 or state.outcome is not None:
        return material(state)
    best = -math.inf
    for move in state.legal_moves():
        best = max(best, -_search(state.play(move), depth - 1, -beta, -max(alpha, best), ends))
        if best >= beta:
            break
    return best


# Monte Carlo tree search: UCT with short random playouts, whose end is valued by material.

_EXPLORATION, _PLAYOUT_PLIES = 0.5, 6


@dataclass
class _Node:
    state: ExpendibotsState
    untried: list[Move]
    children: dict[Move, _Node] = field(default_factory=dict)
    visits: int = 0
    total: float = 0.0
    """Of the values for the side that moved here."""


def monte_carlo(state: ExpendibotsState, rng: np.random.Generator, seconds: float = _SECONDS) -> Move:
    """The most visited move of a UCT search."""
    ends, root = time.process_time() + seconds, _node(state, rng)
    while time.process_time() < ends:
        _simulate(root, rng)
    return max(root.children, key=lambda move: root.children[move].visits)


def _node(state: ExpendibotsState, rng: np.random.Generator) -> _Node:
    moves = [] if state.outcome is not None else [int(move) for move in rng.permutation(state.legal_moves())]
    return _Node(state, moves)


def _simulate(root: _Node, rng: np.random.Generator) -> None:
    path = [root]
    while not path[-1].untried and path[-1].children:
        path.append(_select(path[-1]))
    leaf = path[-1]
    if leaf.untried:
        move = leaf.untried.pop()
        child = leaf.children[move] = _node(leaf.state.play(move), rng)
        path.append(child)
    value = -_play_out(path[-1].state, rng)  # for the side that moved to the last node
    for node in reversed(path):
        node.visits += 1
        node.total += value
        value = -value


def _select(node: _Node) -> _Node:
    spread = _EXPLORATION * math.sqrt(math.log(node.visits))
    return max(
        node.children.values(),
        key=lambda child: child.total / child.visits + spread / math.sqrt(child.visits),
    )


def _play_out(state: ExpendibotsState, rng: np.random.Generator) -> float:
    """The value for the side to move in `state` after random moves."""
    mover = state.to_move
    for _ in range(_PLAYOUT_PLIES):
        if state.outcome is not None:
            break
        moves = state.legal_moves()
        state = state.play(moves[int(rng.integers(len(moves)))])
    value = max(-1.0, min(1.0, material(state)))
    return value if state.to_move == mover else -value


SIMPLE_OPPONENTS: dict[str, Chooser] = {
    "greedy": greedy,
    "material": alpha_beta,
    "monte-carlo": monte_carlo,
}
"""By name. The two that search use 0.1 s of processor time a move."""


def simple_opponent(name: str, seed: int) -> Callable[[str], SimpleOpponent]:
    """A factory for the referee. Raises KeyError for an unknown name."""
    return partial(SimpleOpponent, choose=SIMPLE_OPPONENTS[name], seed=seed)
