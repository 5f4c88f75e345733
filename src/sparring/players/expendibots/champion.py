"""The agent that the package ships: a book, a search that asks tables, and rules for when time is short."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Protocol

from sparring._core import ExpendibotsEndgames, ExpendibotsNetwork, ExpendibotsSearch, ExpendibotsState
from sparring.games import Move
from sparring.players.agent import in_words
from sparring.players.expendibots.strategies import ending_move
from sparring.players.player import Choice
from sparring.search.evaluations import Evaluation

_HURRIED = 0.05
"""Seconds: with less, an ending that no table has is played by rules of thumb."""


class OpeningBook(Protocol):
    """Moves that were thought about long before the game."""

    def move(self, state: ExpendibotsState) -> Move | None:
        """The book's move, where it has one."""
        ...


@dataclass(frozen=True)
class Budget:
    """How long a move may take: until the first of these is reached."""

    seconds: float | None = None
    nodes: int | None = None
    depth: int | None = None


@dataclass(frozen=True)
class Knowledge:
    """What the agent knows; each part may be left out, which is how the steps of its ladder differ."""

    evaluation: Evaluation
    network: ExpendibotsNetwork | None = None
    """Evaluates instead of the weights."""
    tables: ExpendibotsEndgames | None = None
    book: OpeningBook | None = None


class Champion:
    """Plays from the book as long as it can, then searches; positions of the tables count as decided."""

    def __init__(self, knowledge: Knowledge, budget: Budget, *, megabytes: int = 16) -> None:
        self.budget = budget
        self._knowledge = knowledge
        self.search = ExpendibotsSearch(knowledge.evaluation.weights, megabytes)
        if knowledge.tables is not None:
            self.search.consult(knowledge.tables)
        if knowledge.network is not None:
            self.search.use(knowledge.network)

    def choose(self, state: ExpendibotsState) -> Choice:
        """The move that it thinks best: with nodes or depth for a budget always the same in the same game."""
        book, tables = self._knowledge.book, self._knowledge.tables
        known = None if book is None else book.move(state)
        if known is not None:
            return Choice(known, {known: 1.0}, "from the book")
        hurried = self.budget.seconds is not None and self.budget.seconds < _HURRIED
        by_hand = ending_move(state) if hurried and (tables is None or tables.probe(state) is None) else None
        if by_hand is not None:
            return Choice(by_hand, {by_hand: 1.0}, "by rule of thumb")
        found = self.search.analyse(state, **asdict(self.budget))
        move = found.moves[0][0]
        return Choice(move, {move: 1.0}, in_words(found))
