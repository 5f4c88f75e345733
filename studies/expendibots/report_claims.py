"""Claims of the Expendibots report that a count or a match can test: move ordering, stacks, the book."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import ExpendibotsSearch, ExpendibotsState
from sparring.base.provenance import provenance
from sparring.expendibots.agent import stacks
from sparring.expendibots.game import Expendibots
from sparring.games import Move
from sparring.measure.reports import write_json
from sparring.play.game import LiveGame
from sparring.play.match import play_out
from sparring.players import SearchLimits
from sparring.search.linear_evaluation import open_evaluation
from studies.expendibots.acceptance import even_opening
from studies.expendibots.rungs import ladder_player
from studies.expendibots.training_options import match_score

ORDERING_REPORT, BOOK_REPORT = "move-ordering.json", "book.json"
Order = Callable[[ExpendibotsState, list[Move]], list[Move]]


def report_order(state: ExpendibotsState, moves: list[Move]) -> list[Move]:
    """Section 2.1: booms first, those far on the opponent's side before others; then moves forward."""

    def key(move: Move) -> tuple[int, int]:
        action = state.action(move)
        if len(action) == 2:
            return 0, -_row(state, action[1])
        return 1, _row(state, action[2]) - _row(state, action[3])

    return sorted(moves, key=key)


def _row(state: ExpendibotsState, square: tuple[int, int]) -> int:
    return square[1] if state.to_move == 0 else 7 - square[1]


def shuffled(rng: np.random.Generator, state: ExpendibotsState, moves: list[Move]) -> list[Move]:
    """A random order."""
    return [int(move) for move in rng.permutation(moves)]


def few_of_a_stack(state: ExpendibotsState, moves: list[Move]) -> list[Move]:
    """The report's order of the moves of 1, n - 1 or n tokens of a stack of n, and all booms."""
    heights = stacks(state, state.to_move)

    def is_kept(move: Move) -> bool:
        action = state.action(move)
        if len(action) == 2:
            return True
        height = heights[action[2]]
        return action[1] in (1, height - 1, height)

    return report_order(state, [move for move in moves if is_kept(move)])


@dataclass
class CountedSearch:
    """Plain alpha-beta with the report's evaluation and pruned booms; counts its nodes."""

    search: ExpendibotsSearch
    order: Order
    nodes: int = 0

    def value(self, state: ExpendibotsState, depth: int, alpha: float, beta: float) -> float:
        """The value for the side to move."""
        self.nodes += 1
        if state.outcome is not None:
            winner = state.outcome.winner
            return 0.0 if winner is None else 200.0 if winner == state.to_move else -200.0
        if depth == 0:
            return self.search.evaluate(state)
        best = -400.0
        for move in self.order(state, self.search.candidate_moves(state)):
            best = max(best, -self.value(state.play(move), depth - 1, -beta, -max(alpha, best)))
            if best >= beta:
                break
        return best


def measure_ordering(out: Path, *, positions: int, depth: int, seed: int, command: str) -> dict[str, Any]:
    """Nodes and processor time of the same searches in different orders; writes `move-ordering.json`."""
    rng = np.random.default_rng(seed)
    states = sample_positions(positions, seed)
    orders: dict[str, Order] = {
        "random order": partial(shuffled, rng),
        "the report's order": report_order,
        "and 1, n - 1 or n tokens of a stack alone": few_of_a_stack,
    }
    weights = open_evaluation("expendibots").weights
    counts = {name: np.zeros((positions, 2)) for name in orders}
    for name, order in orders.items():
        for row, state in enumerate(states):
            native = ExpendibotsSearch(weights, 1)
            native.set_prune_booms(True)
            counted, began = CountedSearch(native, order), time.process_time()
            counted.value(state, depth, -400.0, 400.0)
            counts[name][row] = counted.nodes, time.process_time() - began
    names = list(orders)
    report = {
        **provenance(command),
        "positions": positions,
        "depth": depth,
        "seed": seed,
        "interval": "95 %, bootstrap over positions, of the ratio of totals",
        "orders": {
            name: {"nodes": float(both[:, 0].sum()), "processor_seconds": round(float(both[:, 1].sum()), 2)}
            for name, both in counts.items()
        },
        "ratios": [
            {"of": first, "over": second, **_ratios(counts[first], counts[second], rng)}
            for first, second in ((names[0], names[1]), (names[1], names[2]))
        ],
    }
    write_json(report, out / ORDERING_REPORT)
    return report


def _ratios(
    first: NDArray[np.float64], second: NDArray[np.float64], rng: np.random.Generator
) -> dict[str, list[float]]:
    """Ratio of nodes and of processor time with the interval: [value, low, high]."""
    rows = rng.integers(len(first), size=(2000, len(first)))
    drawn = first[rows].sum(axis=1) / second[rows].sum(axis=1)
    low, high = np.quantile(drawn, [0.025, 0.975], axis=0)
    values = first.sum(axis=0) / second.sum(axis=0)
    return {
        key: [round(float(number), 3) for number in (values[column], low[column], high[column])]
        for column, key in enumerate(("nodes", "processor_time"))
    }


def sample_positions(count: int, seed: int) -> list[ExpendibotsState]:
    """Positions of quick games from even openings, 0 to 29 plies after them, with the game going on."""
    searcher = open_evaluation("expendibots").searcher(megabytes=1)
    openings = open_evaluation("expendibots", "start").searcher(megabytes=1)
    positions: list[ExpendibotsState] = []
    number = 0
    while len(positions) < count:
        rng = np.random.default_rng([seed, number])
        state = even_opening("expendibots", openings, rng)
        for _ in range(int(rng.integers(30))):
            if state.outcome is None:
                state = state.play(searcher.analyse(state, depth=2).moves[0][0])
        if state.outcome is None:
            positions.append(state)
        number += 1
    return positions


def measure_book(out: Path, *, games: int, nodes: int, command: str) -> dict[str, Any]:
    """The agent with its book against itself without, from the start position; writes `book.json`.

    Both are deterministic: each pair of games has other nodes a move, from `nodes` on.
    """
    points, lines = list[float](), set[str]()
    for number in range(games):
        limits = SearchLimits(nodes=nodes + 97 * (number // 2))
        players = {
            place: ladder_player("champion" if place == number % 2 else "network", limits)
            for place in range(2)
        }
        live = LiveGame(Expendibots(), players)
        end = play_out(live)
        score = end.score(number % 2)
        assert score is not None  # every game is played
        points.append(score)
        lines.add(" ".join(str(state.last_move) for state in live.states[1:]))
    report = {
        **provenance(command),
        "nodes_a_move": [nodes, nodes + 97 * ((games - 1) // 2)],
        "different_games": len(lines),
        **match_score(points),
    }
    write_json(report, out / BOOK_REPORT)
    return report
