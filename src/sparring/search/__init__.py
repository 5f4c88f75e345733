"""Search: takes a state and a budget, gives moves and what they are worth."""

from sparring.search.limits import Clock, SearchLimits
from sparring.search.mcts import MoveStats, uct
from sparring.search.move_selection import MoveSelection, by_visits, kl_regularised, prefer_proven
from sparring.search.puct import Evaluator, Puct, PuctConfig, SearchResult
from sparring.search.search_policy import SearchPolicy

__all__ = [
    "Clock",
    "Evaluator",
    "MoveSelection",
    "MoveStats",
    "Puct",
    "PuctConfig",
    "SearchLimits",
    "SearchPolicy",
    "SearchResult",
    "by_visits",
    "kl_regularised",
    "prefer_proven",
    "uct",
]
