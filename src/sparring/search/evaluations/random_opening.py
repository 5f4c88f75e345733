"""Random beginnings."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.search.evaluations import AlphaBetaSearcher


def random_opening(
    state: Any, searcher: AlphaBetaSearcher, plies: int, rng: np.random.Generator
) -> Any | None:
    """The state after so many random moves of those that a search would try; None where the game ended."""
    for _ in range(plies):
        moves = searcher.candidate_moves(state)
        state = state.play(moves[int(rng.integers(len(moves)))])
        if state.outcome is not None:
            return None
    return state
