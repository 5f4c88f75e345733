"""Explanations of the planner: a recorded game replayed with its belief and its search before each action."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import chess
import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcState
from sparring.games import Move
from sparring.players.player import GameStart, Turn
from sparring.rbc.game import NO_SENSE, SENSE, Rbc, board_fen, observed_steps
from sparring.rbc.knowledge import EvaluatedSample, sense_entropies, sense_values
from sparring.rbc.planner import PlannerBot, action_scores

_LIKELY = 3
"""Boards of the belief that an explanation lists."""
_WORTH_NAMING = 0.005
"""Probability of a lost king from which the reason of a choice mentions it."""


@dataclass(frozen=True)
class ConsideredAction:
    """An action of the root of a search."""

    action: str
    prior: float
    """Probability in the network's policy, mixed with the ratings' softmax if that is configured."""
    visits: int
    value: float | None
    """Mean win probability of its playouts; None without playouts."""
    worst: float | None
    """Smallest win probability of its playouts."""
    rating: float | None
    """Its rating over possible boards; None if ratings are not used."""
    score: float
    """The planner takes the action with the highest score: the mean of rating and playouts, or without
    ratings the sum of the win probabilities of its playouts."""
    king_loss: float | None = None
    """Probability that the opponent can take the king after the move, over the rated boards; None for a sense
    and without ratings."""
    information: float | None = None
    """Entropy of a sense's result in bits, over the rated boards; None for a move and without ratings."""
    win_after: float | None = None
    """Mean win probability of the best move after a sense's result, over the rated boards; None for a move
    and without ratings."""


@dataclass(frozen=True)
class KingLoss:
    """The likeliest board on which a move loses the king at once."""

    action: str
    board: str
    """The board before the move as FEN."""
    capture: str | None
    """The opponent's reply that takes the king, such as `d3e1`; None if it is not search."""
    share: float
    """Probability of this board, over the rated boards."""


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
    why: tuple[str, ...]
    """Why the planner prefers its action to the second best, and to the one played; empty if the decision
    needed no search."""
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
    headset: str
    """The network's headset that predicts the opponent."""
    value: float | None
    """The network's win probability; None if the decision needed no search."""
    actions: tuple[ConsideredAction, ...]
    """The actions of the search, highest score first; empty if the decision needed no search."""
    king_loss: KingLoss | None
    """How a move that the planner rejects, or its own, loses the king; None if none of them does."""


def explain_game(
    game: RbcState, bot: PlannerBot, player: int, seed: int = 0, opponent: str = ""
) -> Iterator[ExplainedAction]:
    """Replays a game to the bot as `player`; yields an explanation of each of its actions.

    The bot chooses at each action, and then receives what really happened. It knows the opponent's name, as
    it does in a game: with its own headset the opponent is predicted better.
    """
    bot.new_game(GameStart(Rbc(), player, seed=seed, opponent=opponent))
    for step in observed_steps(game):
        if step.before.to_move == player:
            yield _explain(bot, step.before, step.move)
        if step.after.outcome is not None:
            return
        bot.observe(step.seen[player])


def _explain(bot: PlannerBot, state: RbcState, played: Move) -> ExplainedAction:
    tracker = bot.knowledge.tracker
    decision = bot.choose(Turn(None, state.legal_moves()))
    if bot.last_search is None:  # a certain decision: the belief is drawn for the explanation
        bot.draw_belief()
    fens = Counter(fen.rsplit(" ", 2)[0] for fen in bot.planner.particle_fens())
    total = sum(fens.values())
    opponent = chess.WHITE if bot.knowledge.player else chess.BLACK
    squares = np.zeros(64)
    for fen, count in fens.items():
        for square in chess.SquareSet(chess.Board(fen + " 0 1").occupied_co[opponent]):
            squares[square] += count / total
    true_fen = board_fen(state)
    played_text, chosen = state.move_text(played), state.move_text(decision.move)
    actions = _considered(bot, state)
    return ExplainedAction(
        turn=state.ply // 4 + 1,
        phase="sense" if state.sensing else "move",
        played=played_text,
        chosen=chosen,
        reason=decision.reason,
        why=_why(actions, chosen, played_text),
        boards=len(tracker.boards),
        exact=tracker.exact,
        board=true_fen,
        true_share=fens[true_fen.rsplit(" ", 2)[0]] / total,
        likely=tuple((fen, count / total) for fen, count in fens.most_common(_LIKELY)),
        opponent_squares=tuple(squares.tolist()),
        opponent_boards=float(np.mean(bot.planner.particle_sizes())),
        headset=bot.evaluator.opponent_headset,
        value=None if bot.last_search is None else (1 + bot.last_search.root_value) / 2,
        actions=actions,
        king_loss=_king_loss(bot, state, actions, chosen, played_text),
    )


def _considered(bot: PlannerBot, state: RbcState) -> tuple[ConsideredAction, ...]:
    search = bot.last_search
    if search is None:
        return ()

    def chance(value: float) -> float | None:
        return None if np.isnan(value) else (1 + value) / 2

    scores = action_scores(search, bot.options.rating_visits)
    sample = bot.knowledge.last_sample if search.ratings is not None else None
    considered = []
    for i in np.lexsort((-search.priors, -scores)):
        move = int(search.actions[i])
        sensed = sample if state.sensing and move != NO_SENSE else None
        moved = None if state.sensing else sample
        considered.append(
            ConsideredAction(
                state.move_text(move),
                float(search.priors[i]),
                int(search.visits[i]),
                chance(float(search.values[i])),
                chance(float(search.worst[i])),
                None if search.ratings is None else float(search.ratings[i]),
                float(scores[i]),
                None if moved is None else float(_losing(moved, move).sum()),
                *((None, None) if sensed is None else _sense_worth(sensed, move - SENSE)),
            )
        )
    return tuple(considered)


def _sense_worth(sample: EvaluatedSample, square: chess.Square) -> tuple[float, float]:
    """The information of a sense in bits, and the mean win probability of the best move after it."""
    partition, weights = sample.boards.partition, sample.weights
    bits = sense_entropies(weights, partition, (square,))[0]
    return float(bits), float(sense_values(sample.win_probability, weights, partition, (square,))[0])


def _losing(sample: EvaluatedSample, request: Move) -> NDArray[np.float64]:
    """The weights of the boards on which a request loses the king at once; 0 on the others [boards]."""
    column = sample.win_probability[:, sample.evaluations.requests == request]
    return np.asarray(sample.weights * (column <= 0).any(axis=1))


def _why(actions: tuple[ConsideredAction, ...], chosen: str, played: str) -> tuple[str, ...]:
    """Compares the chosen action with the best other one and with the one played."""
    by_name = {action.action: action for action in actions}
    best = by_name.pop(chosen, None)
    if best is None:
        return ()
    others = list(by_name.values())[:1]
    if played in by_name and by_name[played] not in others:
        others.append(by_name[played])
    lines = [_comparison(best, other) for other in others]
    if not by_name:
        lines.append(f"{chosen} is the only action.")
    elif played != chosen and played not in by_name:
        because = ": another sense shows at least as much" if played.startswith("sense") else ""
        lines.append(f"{played} was not considered{because}.")
    return tuple(lines)


def _comparison(best: ConsideredAction, other: ConsideredAction) -> str:
    parts = [f"{best.action} rather than {other.action}: score {best.score:.3f} to {other.score:.3f}"]
    details = []
    if best.rating is not None and other.rating is not None and best.visits + other.visits:
        details.append(f"rating {best.rating:.1%} to {other.rating:.1%}")
    if best.visits + other.visits and (best.rating is None or not (best.visits and other.visits)):
        details.append(f"{best.visits:,} to {other.visits:,} playouts")
    if best.value is not None and other.value is not None:
        details.append(f"{best.value:.0%} to {other.value:.0%} in the playouts")
    if best.win_after is not None and other.win_after is not None:
        details.append(f"{best.win_after:.1%} to {other.win_after:.1%} with the best move after it")
    if best.information is not None and other.information is not None:
        details.append(f"{best.information:.1f} to {other.information:.1f} bits of information")
    if details:
        parts[0] += f" ({', '.join(details)})"
    risks = [action for action in (other, best) if (action.king_loss or 0.0) >= _WORTH_NAMING]
    if risks:
        lost = ", ".join(f"after {action.action} on {action.king_loss:.1%} of the boards" for action in risks)
        parts.append(f"the king can be taken {lost}")
    return "; ".join(parts) + "."


def _king_loss(
    bot: PlannerBot, state: RbcState, actions: tuple[ConsideredAction, ...], chosen: str, played: str
) -> KingLoss | None:
    """The king loss of the move played, of the best move that the planner rejects, or of its own."""
    sample = bot.knowledge.last_sample
    risky = {action.action for action in actions if (action.king_loss or 0.0) >= _WORTH_NAMING}
    rejected = next((action.action for action in actions if action.action != chosen), "")
    named = next((name for name in (played, rejected, chosen) if name in risky), None)
    if sample is None or named is None:
        return None
    request = state.parse_move(named)
    weights = _losing(sample, request)
    likeliest = int(np.argmax(weights))
    fen = sample.boards.fens()[likeliest]
    capture = _king_capture(Rbc().parse(fen), request)
    return KingLoss(named, fen, capture, float(weights[likeliest]))


def _king_capture(state: RbcState, request: Move) -> str | None:
    """The opponent's move that takes the king after a request."""
    board = chess.Board(board_fen(state.play(NO_SENSE).play_past_end(request)))
    king = board.king(not board.turn)
    if king is None:
        return None
    return next((chess.Move(square, king).uci() for square in board.attackers(board.turn, king)), None)
