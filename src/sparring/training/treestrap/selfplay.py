"""One training game of TreeStrap: the search plays itself and updates its weights."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparring.games import Game, Move
from sparring.search.linear_evaluation import AlphaBetaSearcher, FeatureWeights
from sparring.search.random_opening import random_start
from sparring.training.treestrap.algorithms import algorithm_for_game
from sparring.training.treestrap.config import TreeStrapRunConfig


class WeightedBook(Protocol):
    """An opening book, such as `sparring.players.book` reads."""

    def moves(self, state: Any) -> dict[Move, float]:
        """Returns the book's moves in a state with their weights; empty if it has none."""
        ...


@dataclass(frozen=True)
class SelfPlayGame:
    """Result of a training game."""

    number: int
    """Index in the run, from 0."""
    update: FeatureWeights
    """[stages, features]: weights after the game minus weights before."""
    winner: int | None
    """0 or 1; None for a draw or a stopped game."""
    reason: str
    """Why the game ended."""
    plies: int
    """Plies after the random opening."""
    positions: int
    """Positions that changed the weights."""
    squared_error: float
    """Sum over those positions."""
    seconds: float
    """CPU time."""


def play(
    game: Game[Any],
    searcher: AlphaBetaSearcher,
    weights: FeatureWeights,
    config: TreeStrapRunConfig,
    number: int,
    book: WeightedBook | None = None,
) -> SelfPlayGame:
    """Plays game `number` of a run from `weights`, [stages, features].

    The result depends on the arguments alone. `searcher` is left with other weights.
    """
    began = time.process_time()
    rng = np.random.default_rng([config.seed, number])
    theta = weights.copy()
    searcher.set_weights(theta)
    state = random_start(game, searcher, config.random_plies, rng)
    first = state.ply
    uses_book = [book is not None and rng.random() < config.book_probability for _ in range(2)]
    algorithm = algorithm_for_game(config, number)
    while (outcome := state.outcome) is None and state.ply - first < config.max_plies:
        book_moves = book.moves(state) if book is not None and uses_book[state.to_move] else {}
        if book_moves:
            shares = np.array(list(book_moves.values()))
            state = state.play(list(book_moves)[rng.choice(len(book_moves), p=shares / shares.sum())])
            continue
        analysis, update = algorithm.search(searcher, state)
        if update is not None:
            theta += update
            searcher.set_weights(theta)
        state = state.play(analysis.moves[0][0])
    update = algorithm.end_game(outcome)
    if update is not None:
        theta[: len(update)] += update
    return SelfPlayGame(
        number,
        theta - weights,
        None if outcome is None else outcome.winner,
        "given up" if outcome is None else outcome.reason,
        state.ply - first,
        algorithm.stats.positions,
        algorithm.stats.squared_error,
        time.process_time() - began,
    )
