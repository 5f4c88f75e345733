"""The shipped Expendibots agent: a book, a search with endgame tables, and heuristics for short time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from sparring._core import ExpendibotsEndgameTables, ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.games import Move
from sparring.players.expendibots.endgame_heuristics import endgame_move
from sparring.players.learned_player import (
    analysis_limits,
    describe_analysis,
    expected_value,
    stopping,
)
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.time_management import resolve_limits
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import LinearEvaluation

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


class ExpendibotsAgent(BasePlayer):
    """Plays from the book, then searches. Positions in the endgame tables have exact values.

    With a limit of nodes or depth its games are deterministic: it draws nothing at random.
    """

    def __init__(self, components: AgentComponents, limits: SearchLimits, *, megabytes: int = 16) -> None:
        """`limits` apply where a turn has none; `megabytes` is the size of the transposition table."""
        super().__init__("Expendibots agent")
        self.limits = limits
        self._components = components
        self._megabytes = megabytes
        self.search = self._new_search()

    def new_game(self, start: GameStart) -> None:
        """Begins with an empty transposition table."""
        super().new_game(start)
        self.search = self._new_search()

    def choose(self, turn: Turn) -> Decision:
        """Returns the book's move, else the best move of the search. With little time, endgames outside the
        tables are played by heuristics."""
        state: ExpendibotsState = turn.state
        limits = resolve_limits(turn.limits, self.limits)
        book, tables = self._components.book, self._components.tables
        known = None if book is None else book.move(state)
        if known is not None:
            return Decision(known, {known: 1.0}, "from the book")
        hurried = limits.seconds is not None and limits.seconds < _LOW_TIME_SECONDS
        by_hand = endgame_move(state) if hurried and (tables is None or tables.probe(state) is None) else None
        if by_hand is not None:
            return Decision(by_hand, {by_hand: 1.0}, "by rule of thumb")
        with stopping(self.search.stop, turn.stop):
            found = self.search.analyse(state, **analysis_limits(limits))
        move = found.moves[0][0]
        return Decision(move, {move: 1.0}, describe_analysis(found), expected_value(found))

    def hint(self, turn: Turn) -> Decision:
        """The best move, by a search of its own: the game's transposition table stays as it is."""
        kept, self.search = self.search, self._new_search()
        try:
            return super().hint(turn)
        finally:
            self.search = kept

    def _new_search(self) -> ExpendibotsSearch:
        search = ExpendibotsSearch(self._components.evaluation.weights, self._megabytes)
        if self._components.tables is not None:
            search.set_endgame_tables(self._components.tables)
        if self._components.network is not None:
            search.set_network(self._components.network)
        search.set_prune_booms(self._components.prune_booms)
        return search
