"""One game of learning: a start of its own, then the searcher against itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparring.games import Game, Move
from sparring.search.evaluations import AlphaBetaSearcher, FeatureWeights
from sparring.search.evaluations.random_opening import random_opening
from sparring.training.treestrap.algorithms import update_rule
from sparring.training.treestrap.config import TreeStrapRunConfig


class WeightedBook(Protocol):
    """Moves that are known, such as `sparring.players.book` reads."""

    def moves(self, state: Any) -> dict[Move, float]:
        """The book's moves in a state with their weights; empty where it has none."""
        ...


@dataclass(frozen=True)
class SelfPlayGame:
    """A game and what it taught."""

    number: int
    update: FeatureWeights
    """Of the weights, from those that the game began with."""
    winner: int | None
    reason: str
    plies: int
    """After the random ones."""
    positions: int
    squared_error: float
    seconds: float
    """Of the processor."""


def play(
    game: Game[Any],
    searcher: AlphaBetaSearcher,
    weights: FeatureWeights,
    config: TreeStrapRunConfig,
    number: int,
    book: WeightedBook | None = None,
) -> SelfPlayGame:
    """Plays game `number` of a run, which depends on its arguments alone."""
    began = time.process_time()
    rng = np.random.default_rng([config.seed, number])
    theta = weights.copy()
    searcher.set_weights(theta)
    state = random_start(game, searcher, config, rng)
    first = state.ply
    from_book = [book is not None and rng.random() < config.book_probability for _ in range(2)]
    rule = update_rule(config, number)
    while (outcome := state.outcome) is None and state.ply - first < config.max_plies:
        known = book.moves(state) if book is not None and from_book[state.to_move] else {}
        if known:
            shares = np.array(list(known.values()))
            state = state.play(list(known)[rng.choice(len(known), p=shares / shares.sum())])
            continue
        found, update = rule.move(searcher, state)
        if update is not None:
            theta += update
            searcher.set_weights(theta)
        state = state.play(found.moves[0][0])
    update = rule.end(outcome)
    if update is not None:
        theta[: len(update)] += update
    return SelfPlayGame(
        number,
        theta - weights,
        None if outcome is None else outcome.winner,
        "given up" if outcome is None else outcome.reason,
        state.ply - first,
        rule.stats.positions,
        rule.stats.squared_error,
        time.process_time() - began,
    )


def random_start(
    game: Game[Any], searcher: AlphaBetaSearcher, config: TreeStrapRunConfig, rng: np.random.Generator
) -> Any:
    """A start of the report's distribution: 32 random plies with probability 1/2, 16 with 1/4, and so on.

    The moves are of those that a search would try. A game that ended on the way is begun again.
    """
    while True:
        plies = config.random_plies
        while plies and rng.random() >= 0.5:
            plies //= 2
        if (state := random_opening(game.initial(), searcher, plies, rng)) is not None:
            return state
