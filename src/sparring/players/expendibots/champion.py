"""The agent that the package ships: a book, a search that asks endgame tables, and rules for when time is short."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring._core import ExpendibotsState
from sparring.players.agent import Agent
from sparring.players.player import Choice
from sparring.search.endgames import shipped_tables
from sparring.search.evaluations import Evaluation, open_evaluation


class Champion:
    """Plays from the book as long as it can, then searches within its limits (those of `Agent`)."""

    def __init__(
        self,
        rng: np.random.Generator,
        *,
        evaluation: Evaluation | None = None,
        tables: bool = True,
        margin: float = 0.0,
        megabytes: int = 16,
        **limits: Any,
    ) -> None:
        chosen = open_evaluation("expendibots") if evaluation is None else evaluation
        self._agent = Agent(chosen, rng, margin=margin, megabytes=megabytes, **limits)
        if tables:
            self._agent.searcher.consult(shipped_tables())

    def choose(self, state: ExpendibotsState) -> Choice:
        """The move that it thinks best."""
        return self._agent.choose(state)
