"""The ladder: every step of the agent's improvement as a player, each by its name."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Any, TypeAlias

import numpy as np

from sparring._core import ExpendibotsNetwork
from sparring.players.expendibots.agent import AgentComponents, AlphaBetaLimits, ExpendibotsAgent
from sparring.players.expendibots.baselines import GreedyPlayer, RandomPlayer, ReportAgent
from sparring.players.expendibots.book import ExpendibotsBook, open_expendibots_book
from sparring.players.learned_player import LearnedPlayer
from sparring.players.player import Player
from sparring.search.expendibots.endgame_tables import shipped_tables
from sparring.search.expendibots.value_network_files import open_network
from sparring.search.linear_evaluation import open_evaluation

PlayerFactory: TypeAlias = Callable[[int], Player[Any]]
"""Makes a player from a seed."""

LADDER = {
    "random": "any legal action",
    "greedy": "one action ahead, by tokens",
    "report": "the report's agent: two plies, its features and stages, its opening and endings by hand",
    "hand": "the search, with weights picked by hand",
    "learned": "the search, with the weights that it taught itself",
    "tables": "and endgame tables",
    "network": "and a network's evaluation instead of the weights",
    "champion": "and the opening book: the agent that is shipped",
}
"""From the bottom up."""


def ladder_player(name: str, budget: AlphaBetaLimits, *, megabytes: int = 16) -> PlayerFactory:
    """The makers of the players; raises KeyError for a name that is none."""
    if name in ("random", "greedy"):
        simple = RandomPlayer if name == "random" else GreedyPlayer
        return lambda seed: simple(np.random.default_rng(seed))
    if name == "report":
        return lambda _: ReportAgent(open_evaluation("expendibots"))
    known = agent_components(name)
    return lambda _: ExpendibotsAgent(known, budget, megabytes=megabytes)


def shipped_agent(budget: AlphaBetaLimits | None = None, *, megabytes: int = 16) -> ExpendibotsAgent:
    """The agent with all that the package has; a second a move unless it is told otherwise."""
    return ExpendibotsAgent(
        agent_components("champion"), budget or AlphaBetaLimits(seconds=1.0), megabytes=megabytes
    )


def make_level_agent(nodes: int, rng: np.random.Generator, *, megabytes: int) -> LearnedPlayer:
    """The agent for an evening: it varies its play, so it has no book."""
    agent = LearnedPlayer(open_evaluation("expendibots"), rng, nodes=nodes, megabytes=megabytes)
    searcher: Any = agent.searcher
    searcher.set_endgame_tables(shipped_tables())
    searcher.set_network(_network())
    return agent


@cache
def agent_components(name: str) -> AgentComponents:
    """What a rung from `hand` up knows."""
    weights = open_evaluation("expendibots", "start" if name == "hand" else "learned")
    parts = list(LADDER).index(name) - list(LADDER).index("learned")
    return AgentComponents(
        weights,
        tables=shipped_tables() if parts >= 1 else None,
        network=_network() if parts >= 2 else None,
        book=_book() if parts >= 3 else None,
    )


@cache
def _network() -> ExpendibotsNetwork:
    return open_network()


@cache
def _book() -> ExpendibotsBook:
    return open_expendibots_book()
