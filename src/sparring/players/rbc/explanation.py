"""Explanations of the planner: a recorded game replayed with its belief and its search before each action."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import numpy as np

from sparring._core import RbcState
from sparring.games.rbc import OpponentSense, Rbc, board_fen
from sparring.players.player import GameStart, Turn
from sparring.players.rbc.planner import PlannerBot

_LIKELY = 3
"""Boards of the belief that an explanation lists."""


@dataclass(frozen=True)
class ConsideredAction:
    """An action of the root of a search."""

    action: str
    prior: float
    """Probability in the network's policy, mixed with the inference bot's if that is configured."""
    visits: int
    value: float | None
    """Mean win probability of its playouts; None without playouts."""
    worst: float | None
    """Smallest win probability of its playouts."""
    rating: float | None
    """The inference bot's value; None if it is not used."""


@dataclass(frozen=True)
class ExplainedAction:
    """A sense or a move of a recorded game, and what the planner thinks of it."""

    turn: int
    """The player's turn, from 1."""
    phase: str
    """`sense` or `move`."""
    played: str
    chosen: str
    """The planner's action."""
    reason: str
    boards: int
    """Number of possible boards."""
    exact: bool
    """True if these are all possible boards."""
    board: str
    """The true board as FEN."""
    true_share: float
    """Share of the particles on the true board."""
    likely: tuple[tuple[str, float], ...]
    """The most frequent boards of the particles as FEN, with their shares."""
    opponent_squares: tuple[float, ...]
    """Probability of a piece of the opponent on each of the 64 squares, by the particles."""
    opponent_boards: float
    """Mean number of boards that the opponent thinks possible, by the particles."""
    value: float | None
    """The network's win probability; None if the decision needed no search."""
    actions: tuple[ConsideredAction, ...]
    """The actions of the search, most visits first; empty if the decision needed no search."""


def explain_game(game: RbcState, bot: PlannerBot, player: int, seed: int = 0) -> Iterator[ExplainedAction]:
    """Replays a game to the bot as `player`; yields an explanation of each of its actions.

    The bot chooses at each action, and then receives what really happened.
    """
    rules = Rbc()
    line = [game]
    while (before := line[-1].previous) is not None:
        line.append(before)
    line.reverse()
    bot.new_game(GameStart(rules, player, seed=seed))
    for state, after in itertools.pairwise(line):
        move = after.last_move
        assert move is not None
        if state.to_move == player:
            yield _explain(bot, state, move)
        if after.outcome is not None:
            return
        observation = rules.observe(state, player, move)
        if not isinstance(observation, OpponentSense):
            bot.observe(observation)


def _explain(bot: PlannerBot, state: RbcState, played: int) -> ExplainedAction:
    tracker = bot.inference.tracker
    decision = bot.choose(Turn(None, state.legal_moves()))
    if bot.last_search is None:  # a certain decision: the belief is drawn for the explanation
        bot.draw_belief()
    fens = Counter(fen.rsplit(" ", 2)[0] for fen in bot.planner.particle_fens())
    total = sum(fens.values())
    opponent = chess.WHITE if bot.inference.player else chess.BLACK
    squares = np.zeros(64)
    for fen, count in fens.items():
        for square in chess.SquareSet(chess.Board(fen + " 0 1").occupied_co[opponent]):
            squares[square] += count / total
    true_fen = board_fen(state)
    return ExplainedAction(
        turn=state.ply // 4 + 1,
        phase="sense" if state.sensing else "move",
        played=state.move_text(played),
        chosen=state.move_text(decision.move),
        reason=decision.reason,
        boards=len(tracker.boards),
        exact=tracker.exact,
        board=true_fen,
        true_share=fens[true_fen.rsplit(" ", 2)[0]] / total,
        likely=tuple((fen, count / total) for fen, count in fens.most_common(_LIKELY)),
        opponent_squares=tuple(squares.tolist()),
        opponent_boards=float(np.mean(bot.planner.particle_sizes())),
        value=None if bot.last_search is None else (1 + bot.last_search.root_value) / 2,
        actions=_considered(bot, state),
    )


def _considered(bot: PlannerBot, state: RbcState) -> tuple[ConsideredAction, ...]:
    found = bot.last_search
    if found is None:
        return ()

    def chance(value: float) -> float | None:
        return None if np.isnan(value) else (1 + value) / 2

    order = np.lexsort((-found.priors, -found.visits))
    return tuple(
        ConsideredAction(
            state.move_text(int(found.actions[i])),
            float(found.priors[i]),
            int(found.visits[i]),
            chance(float(found.values[i])),
            chance(float(found.worst[i])),
            None if found.ratings is None else float(found.ratings[i]),
        )
        for i in order
    )
