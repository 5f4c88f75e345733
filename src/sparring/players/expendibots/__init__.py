"""Players of Expendibots: the agent, its predecessors, and what the report's authors knew by hand."""

from sparring.players.expendibots.champion import Budget, Champion, Knowledge
from sparring.players.expendibots.predecessors import GreedyPlayer, RandomPlayer, ReportAgent
from sparring.players.expendibots.rungs import RUNGS, knowledge, levelled, rung, shipped_champion
from sparring.players.expendibots.strategies import ending_move

__all__ = [
    "RUNGS",
    "Budget",
    "Champion",
    "GreedyPlayer",
    "Knowledge",
    "RandomPlayer",
    "ReportAgent",
    "ending_move",
    "knowledge",
    "levelled",
    "rung",
    "shipped_champion",
]
