"""The ladder: every step of the Expendibots agent's improvement as a player, by name.

The lower rungs are baselines, up to the agent of the Expendibots report; the upper ones are the agent with
some of its parts.
"""

from __future__ import annotations

from dataclasses import replace

from sparring._core import ExpendibotsSearch, ExpendibotsState
from sparring.expendibots.agent import (
    AgentComponents,
    ExpendibotsAgent,
    Square,
    endgame_move,
    shipped_components,
    stacks,
    tokens,
)
from sparring.games import Move
from sparring.players.player import Decision, Player, Turn
from sparring.players.small_players import RandomPlayer, random_decision
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import LinearEvaluation, open_evaluation

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


def agent_components(name: str) -> AgentComponents:
    """The parts of a rung from `hand` up. Raises KeyError for an unknown name."""
    if name not in LADDER:
        raise KeyError(name)
    parts = list(LADDER).index(name) - list(LADDER).index("learned")
    if parts < 0:
        return AgentComponents(open_evaluation("expendibots", "start"), prune_booms=name == "hand")
    shipped = shipped_components()
    return replace(
        shipped,
        tables=shipped.tables if parts >= 1 else None,
        network=shipped.network if parts >= 2 else None,
        book=shipped.book if parts >= 3 else None,
    )


class GreedyPlayer(Player):
    """Maximises the balance of tokens after one action; draws among equal actions."""

    def __init__(self) -> None:
        super().__init__("greedy")

    def choose(self, turn: Turn) -> Decision:
        """One of the moves with the best balance."""
        state: ExpendibotsState = turn.state
        moves = state.legal_moves()
        balances = [self._balance(state.play(move)) for move in moves]
        best = max(balances)
        good = [move for move, balance in zip(moves, balances, strict=True) if balance == best]
        return random_decision(good, self._rng, f"{best:+d} tokens")

    @staticmethod
    def _balance(after: ExpendibotsState) -> int:
        other, own = tokens(after)
        if after.outcome is not None and after.outcome.winner is not None:
            return 100 if own else -100
        return own - other


class ReportAgent(Player):
    """The agent of the Expendibots report: its opening, its endgame heuristics, two plies of alpha-beta.

    It has the report's pruning, features and stages, and no quiescence search. It draws nothing at random.
    """

    _WIN = 200.0
    """Value of a won game: more than any evaluation."""

    def __init__(self, evaluation: LinearEvaluation) -> None:
        super().__init__("report")
        self._search = ExpendibotsSearch(evaluation.weights, 1)
        self._search.set_prune_booms(True)

    def choose(self, turn: Turn) -> Decision:
        """Returns the agent's move. The move depends on the state alone."""
        state: ExpendibotsState = turn.state
        for move, why in ((opening_move(state), "the report's opening"), (endgame_move(state), "by hand")):
            if move is not None:
                return Decision(move, {move: 1.0}, why)
        best_move, best = None, -2 * self._WIN
        for move in self._search.candidate_moves(state):
            value = -self._value(state.play(move), 1, -2 * self._WIN, -best)
            if best_move is None or value > best:
                best_move, best = move, value
        assert best_move is not None  # a player with a token has an action
        return Decision(best_move, {best_move: 1.0}, f"{best:+.1f} of 100")

    def _value(self, state: ExpendibotsState, depth: int, alpha: float, beta: float) -> float:
        if state.outcome is not None:
            winner = state.outcome.winner
            return 0.0 if winner is None else self._WIN if winner == state.to_move else -self._WIN
        if depth == 0:
            return self._search.evaluate(state)
        best = -2 * self._WIN
        for move in self._search.candidate_moves(state):
            best = max(best, -self._value(state.play(move), depth - 1, -beta, -max(alpha, best)))
            if best >= beta:
                break
        return best


_OPENING = ((1, (4, 0), (4, 1)), (2, (4, 1), (4, 3)), (2, (4, 3), (4, 5)))
"""Section 2.3 in the referee's coordinates: tokens, from and to, from the own side."""
_HOME = tuple((x, y) for x in (0, 1, 3, 4, 6, 7) for y in (0, 1))


def opening_move(state: ExpendibotsState) -> Move | None:
    """The report's opening move, as long as the player's tokens stand as the opening leaves them;
    else None."""
    own = {_seen(square, state): height for square, height in stacks(state, state.to_move).items()}
    expected = dict.fromkeys(_HOME, 1)
    for count, start, end in _OPENING:
        if own == {square: height for square, height in expected.items() if height}:
            wanted = ("MOVE", count, _seen(start, state), _seen(end, state))
            return next((move for move in state.legal_moves() if state.action(move) == wanted), None)
        expected[start] -= count
        expected[end] = expected.get(end, 0) + count
    return None


def _seen(square: Square, state: ExpendibotsState) -> Square:
    """A square from the point of view of the side to move, or back."""
    return square if state.to_move == 0 else (square[0], 7 - square[1])
