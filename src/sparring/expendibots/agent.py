"""The shipped Expendibots agent: a book, a search with endgame tables, and heuristics for short time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import Protocol

from sparring._core import ExpendibotsEndgameTables, ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.expendibots.baselines import GreedyPlayer, ReportAgent, endgame_move
from sparring.expendibots.book import ExpendibotsBook, open_expendibots_book
from sparring.expendibots.tables import shipped_tables
from sparring.expendibots.value_network import open_network
from sparring.games import Move
from sparring.players.player import Decision, GameStart, Player, Turn
from sparring.players.small_players import (
    LearnedPlayer,
    RandomPlayer,
    analysis_limits,
    describe_analysis,
    effort,
    expected_value,
    stopping,
)
from sparring.players.time_management import resolve_limits
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import LinearEvaluation, open_evaluation

_LOW_TIME_SECONDS = 0.05
"""With fewer seconds for a move, endgames outside the tables are played by heuristics."""


class BestMoveBook(Protocol):
    """A book with one move a position."""

    def move(self, state: ExpendibotsState) -> Move | None:
        """The book's move; None if it has none."""
        ...


@dataclass(frozen=True)
class AgentComponents:
    """The parts of the agent. Each is optional: the steps of the ladder differ in their parts."""

    evaluation: LinearEvaluation
    network: ExpendibotsNetwork | None = None
    """Value network that replaces the linear evaluation."""
    tables: ExpendibotsEndgameTables | None = None
    book: BestMoveBook | None = None
    prune_booms: bool = False
    """Searches only booms that improve the ratio of tokens, as the agent first did."""


class ExpendibotsAgent(Player):
    """Plays from the book, then searches. Positions in the endgame tables have exact values.

    With a limit of nodes or depth its games are deterministic: it draws nothing at random.
    """

    def __init__(self, components: AgentComponents, limits: SearchLimits, *, megabytes: int = 16) -> None:
        """`limits` apply where a turn has none; `megabytes` is the size of the transposition table."""
        super().__init__("Expendibots agent")
        self.limits = limits
        self._components = components
        self._megabytes = megabytes
        self._search: ExpendibotsSearch | None = None

    def new_game(self, start: GameStart) -> None:
        """Begins with an empty transposition table."""
        super().new_game(start)
        self._search = None

    def choose(self, turn: Turn) -> Decision:
        """Returns the book's move, else the best move of the search. With little time, endgames outside the
        tables are played by heuristics."""
        state: ExpendibotsState = turn.state
        limits = resolve_limits(turn.limits, self.limits)
        book, tables = self._components.book, self._components.tables
        book_move = None if book is None else book.move(state)
        if book_move is not None:
            return Decision(book_move, {book_move: 1.0}, "from the book")
        hurried = limits.seconds is not None and limits.seconds < _LOW_TIME_SECONDS
        by_hand = endgame_move(state) if hurried and (tables is None or tables.probe(state) is None) else None
        if by_hand is not None:
            return Decision(by_hand, {by_hand: 1.0}, "by rule of thumb")
        with stopping(self.search.stop, turn.stop):
            analysis = self.search.analyse(state, **analysis_limits(limits))
        move = analysis.moves[0][0]
        return Decision(move, {move: 1.0}, describe_analysis(analysis), expected_value(analysis))

    def hint(self, turn: Turn) -> Decision:
        """The best move, by a search of its own: the game's transposition table stays as it is."""
        kept, self._search = self._search, None
        try:
            return super().hint(turn)
        finally:
            self._search = kept

    @property
    def search(self) -> ExpendibotsSearch:
        """The native search with its transposition table, made by the first use."""
        if self._search is None:
            self._search = self._new_search()
        return self._search

    @property
    def memory_bytes(self) -> int:
        """The size of the transposition table, if there is one."""
        return 0 if self._search is None else self._megabytes << 20

    def close(self) -> None:
        """Releases the transposition table."""
        self._search = None

    def _new_search(self) -> ExpendibotsSearch:
        search = ExpendibotsSearch(self._components.evaluation.weights, self._megabytes)
        if self._components.tables is not None:
            search.set_endgame_tables(self._components.tables)
        if self._components.network is not None:
            search.set_network(self._components.network)
        search.set_prune_booms(self._components.prune_booms)
        return search


# The ladder: every step of the agent's improvement as a player, by name.


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


# The Expendibots agent by strength.


def strength_agent(game: str, strength: int) -> LearnedPlayer:
    """The shipped agent with the nodes of a strength from 1 to 9."""
    return make_level_agent(150 * effort(strength), megabytes=max(1, effort(strength) // 100))
