"""The shipped Expendibots agent: a book, a search with endgame tables, and heuristics for short time."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache

from sparring._core import ExpendibotsEndgameTables, ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.expendibots.book import ExpendibotsBook, open_expendibots_book
from sparring.expendibots.endings import endgame_move
from sparring.expendibots.tables import shipped_tables
from sparring.expendibots.value_network import open_network
from sparring.players.player import Decision, Turn
from sparring.players.small_players import (
    LearnedPlayer,
    analysis_limits,
    describe_analysis,
    effort,
    expected_value,
    stopping,
)
from sparring.search import SearchLimits
from sparring.search.limits import resolve_limits
from sparring.search.linear_evaluation import LinearEvaluation, open_evaluation

_LOW_TIME_SECONDS = 0.05
"""With fewer seconds for a move, endgames outside the tables are played by heuristics."""


@dataclass(frozen=True)
class AgentComponents:
    """The parts of the agent; all but the evaluation are optional."""

    evaluation: LinearEvaluation
    network: ExpendibotsNetwork | None = None
    """Value network that replaces the linear evaluation."""
    tables: ExpendibotsEndgameTables | None = None
    book: ExpendibotsBook | None = None
    prune_booms: bool = False
    """Searches only booms that improve the ratio of tokens, as the agent first did."""

    def equip(self, search: ExpendibotsSearch) -> None:
        """Gives a search the tables, the network and the choice of booms."""
        if self.tables is not None:
            search.set_endgame_tables(self.tables)
        if self.network is not None:
            search.set_network(self.network)
        search.set_prune_booms(self.prune_booms)


class ExpendibotsAgent(LearnedPlayer):
    """Plays from the book, then searches. Positions in the endgame tables have exact values.

    With a limit of nodes or depth its games are deterministic: it draws nothing at random.
    """

    def __init__(self, components: AgentComponents, limits: SearchLimits, *, megabytes: int = 16) -> None:
        """`limits` apply where a turn has none; `megabytes` is the size of the transposition table."""
        super().__init__(components.evaluation, limits, megabytes=megabytes, prepare=components.equip)
        self._name = "Expendibots agent"
        self._components = components

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
        with stopping(self.searcher.stop, turn.stop):
            analysis = self.searcher.analyse(state, **analysis_limits(limits))
        move = analysis.moves[0][0]
        return Decision(move, {move: 1.0}, describe_analysis(analysis), expected_value(analysis))


@cache
def shipped_components() -> AgentComponents:
    """The parts of the shipped agent; they are read once."""
    return AgentComponents(
        open_evaluation("expendibots"), open_network(), shipped_tables(), open_expendibots_book()
    )


def shipped_agent(limits: SearchLimits | None = None, *, megabytes: int = 16) -> ExpendibotsAgent:
    """The agent with all its parts; one second a move unless `limits` say otherwise."""
    return ExpendibotsAgent(shipped_components(), limits or SearchLimits(seconds=1.0), megabytes=megabytes)


def strength_agent(game: str, strength: int) -> LearnedPlayer:
    """The shipped agent with the nodes of a strength from 1 to 9. It varies its play, so it has no book."""
    parts = shipped_components()
    limits, megabytes = SearchLimits(nodes=150 * effort(strength)), max(1, effort(strength) // 100)
    return LearnedPlayer(parts.evaluation, limits, megabytes=megabytes, prepare=parts.equip)
