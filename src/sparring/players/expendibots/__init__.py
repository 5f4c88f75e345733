"""Players of Expendibots: the agent, its predecessors, and what the report's authors knew by hand."""

from __future__ import annotations

from sparring.players.expendibots.champion import Budget, Champion, Knowledge
from sparring.players.expendibots.predecessors import GreedyPlayer, RandomPlayer, ReportAgent
from sparring.players.expendibots.strategies import ending_move
from sparring.search.endgames import shipped_tables
from sparring.search.evaluations import open_evaluation

__all__ = [
    "Budget",
    "Champion",
    "GreedyPlayer",
    "Knowledge",
    "RandomPlayer",
    "ReportAgent",
    "ending_move",
    "shipped_champion",
]


def shipped_champion(budget: Budget, *, megabytes: int = 16) -> Champion:
    """The agent with all that the package has."""
    knowledge = Knowledge(open_evaluation("expendibots"), tables=shipped_tables())
    return Champion(knowledge, budget, megabytes=megabytes)
