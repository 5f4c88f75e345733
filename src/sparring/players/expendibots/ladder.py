"""The ladder: every step of the agent's improvement as a player, by name."""

from __future__ import annotations

from functools import cache

from sparring._core import ExpendibotsNetwork, ExpendibotsSearch
from sparring.players.expendibots.agent import AgentComponents, ExpendibotsAgent
from sparring.players.expendibots.baselines import GreedyPlayer, ReportAgent
from sparring.players.expendibots.book import ExpendibotsBook, open_expendibots_book
from sparring.players.learned_player import LearnedPlayer
from sparring.players.player import Player
from sparring.players.random_player import RandomPlayer
from sparring.search import SearchLimits
from sparring.search.expendibots.endgame_tables import shipped_tables
from sparring.search.expendibots.value_network_files import open_network
from sparring.search.linear_evaluation import open_evaluation

LADDER = {
    "random": "any legal action",
    "greedy": "one action ahead, by tokens",
    "report": "the report's agent: two plies, its features and stages, its opening and endings by hand",
    "hand": "the search, with weights picked by hand and only booms that improve the ratio of tokens",
    "trades": "and equal trades, and after them all other booms that touch an enemy",
    "learned": "the search, with the weights that it taught itself",
    "tables": "and endgame tables",
    "network": "and a network's evaluation instead of the weights",
    "champion": "and the opening book: the agent that is shipped",
}
"""Names and descriptions of the rungs, from the weakest to the strongest."""


def ladder_player(name: str, limits: SearchLimits, *, megabytes: int = 16) -> Player:
    """The player of a rung. Raises KeyError for an unknown name."""
    match name:
        case "random":
            return RandomPlayer()
        case "greedy":
            return GreedyPlayer()
        case "report":
            return ReportAgent(open_evaluation("expendibots"))
    return ExpendibotsAgent(agent_components(name), limits, megabytes=megabytes)


def shipped_agent(limits: SearchLimits | None = None, *, megabytes: int = 16) -> ExpendibotsAgent:
    """The agent with all its parts; one second a move unless `limits` say otherwise."""
    return ExpendibotsAgent(
        agent_components("champion"), limits or SearchLimits(seconds=1.0), megabytes=megabytes
    )


def make_level_agent(nodes: int, *, megabytes: int) -> LearnedPlayer:
    """The agent as a casual opponent: it varies its play, so it has no book."""

    def prepare(searcher: ExpendibotsSearch) -> None:
        searcher.set_endgame_tables(shipped_tables())
        searcher.set_network(_network())

    evaluation = open_evaluation("expendibots")
    return LearnedPlayer(evaluation, SearchLimits(nodes=nodes), megabytes=megabytes, prepare=prepare)


@cache
def agent_components(name: str) -> AgentComponents:
    """The parts of a rung from `hand` up. Raises KeyError for an unknown name."""
    if name not in LADDER:
        raise KeyError(name)
    parts = list(LADDER).index(name) - list(LADDER).index("learned")
    weights = open_evaluation("expendibots", "learned" if parts >= 0 else "start")
    return AgentComponents(
        weights,
        tables=shipped_tables() if parts >= 1 else None,
        network=_network() if parts >= 2 else None,
        book=_book() if parts >= 3 else None,
        prune_booms=name == "hand",
    )


@cache
def _network() -> ExpendibotsNetwork:
    return open_network()


@cache
def _book() -> ExpendibotsBook:
    return open_expendibots_book()
