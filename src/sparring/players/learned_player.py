"""The agent that taught itself: alpha-beta with a learned evaluation."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring._core import Analysis
from sparring.players.player import Decision
from sparring.search.linear_evaluation import LinearEvaluation


class LearnedPlayer:
    """Searches within its limits and takes any of the moves whose value is within `margin` of the best.

    It remembers what it found from move to move. The same seed and the same questions give the same answers,
    as long as depth or nodes bound its one thread.
    """

    def __init__(
        self,
        evaluation: LinearEvaluation,
        rng: np.random.Generator,
        *,
        depth: int | None = None,
        nodes: int | None = None,
        seconds: float | None = None,
        threads: int = 1,
        margin: float = 0.25,
        megabytes: int = 16,
    ) -> None:
        self.searcher = evaluation.searcher(megabytes)
        self._limits: dict[str, Any] = {
            "depth": depth,
            "nodes": nodes,
            "seconds": seconds,
            "threads": threads,
        }
        self._margin = margin
        self._rng = rng

    def choose(self, state: Any) -> Decision:
        """One of the best moves, at random."""
        found = self.searcher.analyse(state, margin=self._margin, **self._limits)
        good = [move for move, value in found.moves if value >= found.value - self._margin]
        if found.plies_to_end is not None:  # values do not tell near wins from far ones
            good = good[:1]
        move = good[int(self._rng.integers(len(good)))]
        return Decision(move, dict.fromkeys(good, 1 / len(good)), describe_analysis(found))


def describe_analysis(found: Analysis) -> str:
    """What the agent thinks of its game, where 100 is a win."""
    if found.plies_to_end is not None:
        return f"{'wins' if found.value > 0 else 'loses'} in {found.plies_to_end}, depth {found.depth}"
    return f"{found.value:+.1f} of 100, depth {found.depth}"
