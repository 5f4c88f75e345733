"""Random beginnings."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.search.evaluations import Searcher


def stroll(state: Any, searcher: Searcher, plies: int, rng: np.random.Generator) -> Any | None:
    """The state after so many random moves of those that a search would try; None where the game ended."""
    for _ in range(plies):
        moves = searcher.plausible(state)
        state = state.play(moves[int(rng.integers(len(moves)))])
        if state.outcome is not None:
            return None
    return state
