"""The shipped Expendibots agent: a book, a search with endgame tables, and heuristics for short time."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import permutations
from pathlib import Path
from typing import TypeAlias

from sparring import data
from sparring._core import (
    ExpendibotsEndgameTables,
    ExpendibotsNetwork,
    ExpendibotsSearch,
    ExpendibotsState,
)
from sparring.expendibots.book import ExpendibotsBook, open_expendibots_book
from sparring.expendibots.tables import shipped_tables
from sparring.games import Move
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
from sparring.search.value_network import open_value_network

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


# The agent's value network.


SHIPPED_NETWORK = data.path("value_networks", "expendibots")


def open_network(path: Path = SHIPPED_NETWORK) -> ExpendibotsNetwork:
    """Reads a network. Raises BadFile."""
    network = open_value_network("expendibots", path)
    assert isinstance(network, ExpendibotsNetwork)
    return network


# Endgame heuristics of the Expendibots report (section 2.4): chase a lone stack, close in on two tokens.


Square: TypeAlias = tuple[int, int]
"""(x, y): x from the left, y from White's side."""
_Cost: TypeAlias = Callable[[ExpendibotsState], tuple[float, ...]]

_COVERING = ((0, 3, 6), (1, 4, 7))
"""Columns of three stacks in a row that nothing can pass: two squares between them."""


def endgame_move(state: ExpendibotsState) -> Move | None:
    """The move of the heuristic that applies; None if neither applies or it has no move."""
    own, other = tokens(state)
    if own > 1 and len(stacks(state, 1 - state.to_move)) == 1:
        return chase(state)
    if own > 2 and other == 2:
        return close_in(state)
    return None


def chase(state: ExpendibotsState) -> Move | None:
    """Against one stack: approaches it with the nearest stack until a boom reaches it."""
    if (boom := winning_boom(state)) is not None:
        return boom
    return _best_move(state, lambda after: _hunt(after, 1 - after.to_move))


def close_in(state: ExpendibotsState) -> Move | None:
    """Against two tokens: advances three stacks in a row, two squares apart, row by row."""
    if (boom := winning_boom(state)) is not None:
        return boom
    return _best_move(state, lambda after: _line(after, 1 - after.to_move))


def winning_boom(state: ExpendibotsState) -> Move | None:
    """The cheapest BOOM that costs the opponent tokens and keeps the majority; None if there is none."""
    own, other = tokens(state)
    best: tuple[int, Move] | None = None
    for move in state.legal_moves():
        if state.action(move)[0] != "BOOM":
            break  # BOOMs come first
        left_other, left_own = tokens(state.play(move))
        fine = left_own > 0 if left_other == 0 else left_other < other and left_own > max(1, left_other)
        if fine and (best is None or own - left_own < best[0]):
            best = (own - left_own, move)
    return None if best is None else best[1]


def tokens(state: ExpendibotsState) -> tuple[int, int]:
    """Token counts of the side to move and of the opponent."""
    white = sum(height for row in state.heights for height in row if height > 0)
    black = -sum(height for row in state.heights for height in row if height < 0)
    return (white, black) if state.to_move == 0 else (black, white)


def stacks(state: ExpendibotsState, player: int) -> dict[Square, int]:
    """The heights of a player's stacks by square."""
    sign = 1 if player == 0 else -1
    return {
        (x, y): sign * height
        for y, row in enumerate(state.heights)
        for x, height in enumerate(row)
        if sign * height > 0
    }


def _best_move(state: ExpendibotsState, cost: _Cost) -> Move | None:
    """The MOVE of least cost after which the opponent has no saving BOOM; None if there is none."""
    best: tuple[tuple[float, ...], Move] | None = None
    for move in state.legal_moves():
        if state.action(move)[0] == "BOOM":
            continue
        after = state.play(move)
        if after.outcome is not None or after.repetitions > 1 or _refuted(after):
            continue
        candidate = (cost(after), move)
        if best is None or candidate[0] < best[0]:
            best = candidate
    return None if best is None else best[1]


def _refuted(after: ExpendibotsState) -> bool:
    """Whether the opponent has a BOOM after which it has at least as many tokens."""
    for move in after.legal_moves():
        if after.action(move)[0] != "BOOM":
            return False
        own, other = tokens(after.play(move))
        if own <= other:
            return True
    return False


def _hunt(after: ExpendibotsState, hunter: int) -> tuple[float, ...]:
    """Cost of a chase: king-move distance of the nearest stack, its walking distance, its height."""
    prey = next(iter(stacks(after, 1 - hunter)))
    reach, walk, height = min(
        (max(abs(x - prey[0]), abs(y - prey[1])), abs(x - prey[0]) + abs(y - prey[1]), height)
        for (x, y), height in stacks(after, hunter).items()
    )
    return (max(reach, 1), walk, height)


def _line(after: ExpendibotsState, side: int) -> tuple[float, ...]:
    """Cost of a line: steps to complete the best one, then its distance from the opponent."""
    own, enemies = stacks(after, side), stacks(after, 1 - side)
    return min(
        (float(_steps(own, line)), float(gap), float(-len(own))) for line, gap in _lines(list(enemies))
    )


def _lines(enemies: list[Square]) -> Iterator[tuple[tuple[Square, ...], int]]:
    """Lines with all of the opponent's stacks on one side, each with the rows between."""
    for swapped in (False, True):
        rows = [x if swapped else y for x, y in enemies]
        for row in range(8):
            if not (row < min(rows) or row > max(rows)):
                continue
            gap = min(abs(row - enemy_row) for enemy_row in rows)
            for places in _COVERING:
                yield tuple((row, at) if swapped else (at, row) for at in places), gap


def _steps(own: dict[Square, int], line: tuple[Square, ...]) -> int:
    """Fewest steps that bring three tokens to their squares."""
    token_squares = [square for square, height in own.items() for _ in range(min(height, 3))]
    costs = [[abs(x - at[0]) + abs(y - at[1]) for at in line] for x, y in token_squares]
    near = sorted(range(len(token_squares)), key=lambda i: min(costs[i]))[:5]
    return min(
        (sum(costs[i][j] for j, i in enumerate(chosen)) for chosen in permutations(near, min(3, len(near)))),
        default=99,
    )
