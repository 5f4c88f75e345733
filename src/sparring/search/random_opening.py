"""Random openings for self-play and matches."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.games import Game
from sparring.search.linear_evaluation import AlphaBetaSearcher


def random_opening(
    state: Any, searcher: AlphaBetaSearcher, plies: int, rng: np.random.Generator
) -> Any | None:
    """Plays random candidate moves of the searcher.

    Returns the state after `plies` moves, or None if the game ended before.
    """
    for _ in range(plies):
        moves = searcher.candidate_moves(state)
        state = state.play(moves[int(rng.integers(len(moves)))])
        if state.outcome is not None:
            return None
    return state


def random_start(
    game: Game[Any], searcher: AlphaBetaSearcher, max_plies: int, rng: np.random.Generator
) -> Any:
    """Returns a start of the report's distribution (section 4.1): `max_plies` random plies with probability
    1/2, half as many with 1/4, and so on. A game that ends on the way is started again."""
    while True:
        plies = max_plies
        while plies and rng.random() >= 0.5:
            plies //= 2
        if (state := random_opening(game.initial(), searcher, plies, rng)) is not None:
            return state
