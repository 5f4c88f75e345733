"""One game of learning: a start of its own, then the searcher against itself."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from sparring.games import Game, Move
from sparring.learn.bootstrap.algorithms import teacher
from sparring.learn.bootstrap.settings import Settings
from sparring.search.evaluations import Searcher, Weights
from sparring.search.evaluations.strolling import stroll


class Book(Protocol):
    """Moves that are known, such as `sparring.players.book` reads."""

    def moves(self, state: Any) -> dict[Move, float]:
        """The book's moves in a state with their weights; empty where it has none."""
        ...


@dataclass(frozen=True)
class Lesson:
    """A game and what it taught."""

    number: int
    change: Weights
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
    searcher: Searcher,
    weights: Weights,
    settings: Settings,
    number: int,
    book: Book | None = None,
) -> Lesson:
    """Plays game `number` of a run, which depends on its arguments alone."""
    began = time.process_time()
    rng = np.random.default_rng([settings.seed, number])
    theta = weights.copy()
    searcher.set_weights(theta)
    state = start_of(game, searcher, settings, rng)
    first = state.ply
    opens = [book is not None and rng.random() < settings.book_share for _ in range(2)]
    teaching = teacher(settings, number)
    while (outcome := state.outcome) is None and state.ply - first < settings.longest:
        known = book.moves(state) if book is not None and opens[state.to_move] else {}
        if known:
            shares = np.array(list(known.values()))
            state = state.play(list(known)[rng.choice(len(known), p=shares / shares.sum())])
            continue
        found, change = teaching.move(searcher, state)
        if change is not None:
            theta += change
            searcher.set_weights(theta)
        state = state.play(found.moves[0][0])
    change = teaching.end(outcome)
    if change is not None:
        theta[: len(change)] += change
    return Lesson(
        number,
        theta - weights,
        None if outcome is None else outcome.winner,
        "given up" if outcome is None else outcome.reason,
        state.ply - first,
        teaching.tally.positions,
        teaching.tally.squared_error,
        time.process_time() - began,
    )


def start_of(game: Game[Any], searcher: Searcher, settings: Settings, rng: np.random.Generator) -> Any:
    """A start of the report's distribution: 32 random plies with probability 1/2, 16 with 1/4, and so on.

    The moves are of those that a search would try. A game that ended on the way is begun again.
    """
    while True:
        plies = settings.random_plies
        while plies and rng.random() >= 0.5:
            plies //= 2
        if (state := stroll(game.initial(), searcher, plies, rng)) is not None:
            return state
