"""The agent that the package ships: a book, a search that asks tables, and rules for when time is short."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Protocol

from sparring._core import ExpendibotsEndgameTables, ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.games import Move
from sparring.players.expendibots.endgame_heuristics import endgame_move
from sparring.players.learned_player import describe_analysis
from sparring.players.player import Decision
from sparring.search.linear_evaluation import LinearEvaluation

_HURRIED = 0.05
"""Seconds: with less, an ending that no table has is played by rules of thumb."""


class BestMoveBook(Protocol):
    """Moves that were thought about long before the game."""

    def move(self, state: ExpendibotsState) -> Move | None:
        """The book's move, where it has one."""
        ...


@dataclass(frozen=True)
class AlphaBetaLimits:
    """How long a move may take: until the first of these is reached."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


@dataclass(frozen=True)
class AgentComponents:
    """What the agent knows; each part may be left out, which is how the steps of its ladder differ."""

    evaluation: LinearEvaluation
    network: ExpendibotsNetwork | None = None
    """Evaluates instead of the weights."""
    tables: ExpendibotsEndgameTables | None = None
    book: BestMoveBook | None = None


class ExpendibotsAgent:
    """Plays from the book as long as it can, then searches; positions of the tables count as decided."""

    def __init__(
        self, agent_components: AgentComponents, budget: AlphaBetaLimits, *, megabytes: int = 16
    ) -> None:
        self.budget = budget
        self._components = agent_components
        self.search = ExpendibotsSearch(agent_components.evaluation.weights, megabytes)
        if agent_components.tables is not None:
            self.search.set_endgame_tables(agent_components.tables)
        if agent_components.network is not None:
            self.search.set_network(agent_components.network)

    def choose(self, state: ExpendibotsState) -> Decision:
        """The move that it thinks best: with nodes or depth for a budget always the same in the same game."""
        book, tables = self._components.book, self._components.tables
        known = None if book is None else book.move(state)
        if known is not None:
            return Decision(known, {known: 1.0}, "from the book")
        hurried = self.budget.seconds is not None and self.budget.seconds < _HURRIED
        by_hand = endgame_move(state) if hurried and (tables is None or tables.probe(state) is None) else None
        if by_hand is not None:
            return Decision(by_hand, {by_hand: 1.0}, "by rule of thumb")
        found = self.search.analyse(state, **asdict(self.budget))
        move = found.moves[0][0]
        return Decision(move, {move: 1.0}, describe_analysis(found))
