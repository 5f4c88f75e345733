"""Numbers that describe a chess problem for the model of its difficulty.

They are functions of the position, the opponent's last move where it is known, the solution and the two
shipped networks, and of nothing else: no themes, no popularity, no number of plays. Three sources:

- the `human` policy at several ratings: how likely people of a rating play each move of the solution, what
  they play instead, whether their expected result rises after the first move;
- the `strong` policy, and alpha-beta searches of a few positions with a material evaluation: whether the move
  is seen at a glance, and how deep the point of it lies;
- the moves themselves: captures, checks, quiet moves, sacrifices, mates, the piece and its way, the material.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import chess
import numpy as np
from numpy.typing import NDArray

from sparring._core import ChessState, ChessStates
from sparring.chess.game import board_of
from sparring.games import Move
from sparring.networks.codec import PositionBatch
from sparring.policies.policy import Policy, clipped_log, predict_batch

FIRST_RATINGS = (800, 1400, 2000, 2600)
"""Ratings at which people's moves in the first position are predicted."""
LATER_RATINGS = (800, 2000)
"""The same for the solver's later positions."""
_REPLY_RATING = 1400
"""The rating at which the position after the first move is predicted."""
_LATER_POSITIONS = 3
"""Later positions of the solver that are predicted. One puzzle in twenty is longer."""
_SEARCHES = (300, 5000)
"""Positions of the alpha-beta searches."""
_SEARCH_MARGIN = 1000
_MOST_CENTIPAWNS = 2000.0
_PIECE_VALUES = (0, 1, 3, 3, 5, 9, 0)
"""By python-chess piece type, the king as 0."""


@dataclass(frozen=True)
class Problem:
    """A position and the solution of the side to move."""

    state: ChessState
    """With the opponent's last move if it is known: solvers on Lichess see it, and so do the networks."""
    solution: tuple[Move, ...]
    """The solver's first move, the opponent's reply, the solver's second move, and so on. It ends with a move
    of the solver."""

    def states(self) -> list[ChessState]:
        """The position before each move of the solution, and the last one: [moves + 1]."""
        states = [self.state]
        for move in self.solution:
            states.append(states[-1].play_past_end(move))
        return states


def problem_features(
    problems: Sequence[Problem], human: Policy, strong: Policy
) -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """The names of the features and their values [problems, features] for at least one problem.

    `human` and `strong` are the shipped policies with these names.
    """
    lines = [problem.states() for problem in problems]
    rows = [
        _position_features(problem, line) | _search_features(problem, line) | _move_features(problem, line)
        for problem, line in zip(problems, lines, strict=True)
    ]
    for row, more in zip(rows, _policy_features(problems, lines, human, strong), strict=True):
        row.update(more)
    names = tuple(rows[0])
    return names, np.array([[row[name] for name in names] for row in rows], np.float32)


# What the policies say.


@dataclass(frozen=True)
class _Answer:
    """The prediction for one position of a problem."""

    log_probability: float
    """Of the solution's move; of all mates together where the solution mates."""
    rank: float
    """The number of moves that are likelier."""
    wrong: float
    """The probability of the likeliest other move."""
    wrong_move: Move
    entropy: float
    value: float


def _policy_features(
    problems: Sequence[Problem], lines: Sequence[list[ChessState]], human: Policy, strong: Policy
) -> list[dict[str, float]]:
    questions: list[tuple[ChessState, Move, float]] = []
    for problem, line in zip(problems, lines, strict=True):
        questions += [(line[0], problem.solution[0], rating) for rating in FIRST_RATINGS]
        for ply in _later_plies(problem):
            questions += [(line[ply], problem.solution[ply], rating) for rating in LATER_RATINGS]
        if line[1].outcome is None:
            reply = problem.solution[1] if len(problem.solution) > 1 else line[1].legal_moves()[0]
            questions.append((line[1], reply, _REPLY_RATING))
    answers = iter(_ask(human, questions))
    by_strong = _ask(
        strong, [(line[0], p.solution[0], np.nan) for p, line in zip(problems, lines, strict=True)]
    )
    rows = []
    for problem, line, sight in zip(problems, lines, by_strong, strict=True):
        first = {rating: next(answers) for rating in FIRST_RATINGS}
        later = [{rating: next(answers) for rating in LATER_RATINGS} for _ in _later_plies(problem)]
        reply_answer = next(answers) if line[1].outcome is None else None
        rows.append(_policy_row(problem, first, later, sight, reply_answer, line))
    return rows


def _policy_row(
    problem: Problem,
    first: dict[int, _Answer],
    later: list[dict[int, _Answer]],
    sight: _Answer,
    reply: _Answer | None,
    line: list[ChessState],
) -> dict[str, float]:
    row: dict[str, float] = {}
    for rating, answer in (*first.items(), ("strong", sight)):
        row |= {
            f"log_{rating}": answer.log_probability,
            f"rank_{rating}": answer.rank,
            f"wrong_{rating}": answer.wrong,
            f"odds_{rating}": answer.log_probability - float(np.log(max(answer.wrong, 1e-6))),
            f"entropy_{rating}": answer.entropy,
            f"value_{rating}": answer.value,
        }
    for rating in LATER_RATINGS:
        logs = [answers[rating].log_probability for answers in later]
        row |= {
            f"later_min_{rating}": min(logs, default=0.0),
            f"later_mean_{rating}": float(np.mean(logs)) if logs else 0.0,
            f"later_last_{rating}": logs[-1] if logs else 0.0,
            f"later_rank_{rating}": max((answers[rating].rank for answers in later), default=0.0),
            f"later_wrong_{rating}": max((answers[rating].wrong for answers in later), default=0.0),
            f"later_value_{rating}": later[-1][rating].value if later else 1.0,
            f"line_{rating}": first[rating].log_probability + sum(logs),
            f"line_min_{rating}": min([first[rating].log_probability, *logs]),
        }
    after = 1.0 if reply is None else -reply.value
    row |= {
        "rise_with_rating": first[2600].log_probability - first[800].log_probability,
        "value_after": after,
        "value_gain": after - first[_REPLY_RATING].value,
        "strong_value_gap": sight.value - first[_REPLY_RATING].value,
        "reply_log": reply.log_probability if reply and len(problem.solution) > 1 else 0.0,
        "reply_entropy": 0.0 if reply is None else reply.entropy,
    }
    board, wrong = board_of(line[0]), _as_move(line[0], first[_REPLY_RATING].wrong_move)
    right = _as_move(line[0], problem.solution[0])
    row |= {
        "wrong_captures": _captured(board, wrong),
        "wrong_checks": float(board.gives_check(wrong)),
        "wrong_same_piece": float(wrong.from_square == right.from_square),
        "wrong_same_square": float(wrong.to_square == right.to_square),
    }
    return row


def _later_plies(problem: Problem) -> range:
    return range(2, min(len(problem.solution), 2 + 2 * _LATER_POSITIONS), 2)


def _ask(policy: Policy, questions: Sequence[tuple[ChessState, Move, float]]) -> list[_Answer]:
    """The policy's answers to (position, right move, rating) triples."""
    if not questions:
        return []
    ratings = np.array([[rating, rating] for *_, rating in questions], np.float64)
    states = [state for state, *_ in questions]
    batch = PositionBatch(ChessStates(states), ratings, np.full(len(states), np.nan))
    predictions = predict_batch(policy, batch)
    answers = []
    for i, (state, right, _) in enumerate(questions):
        shares = predictions.probabilities[predictions.offsets[i] : predictions.offsets[i + 1]]
        answers.append(_answer(state, right, shares, float(predictions.values[i])))
    return answers


def _answer(state: ChessState, right: Move, shares: NDArray[np.float32], value: float) -> _Answer:
    moves = state.legal_moves()
    solves = np.array([move == right for move in moves])
    if _mates(state, right):
        solves |= np.array([_mates(state, move) for move in moves])
    share = float(shares[solves].sum())
    others = np.where(solves, -1.0, shares)
    worst = int(np.argmax(others))
    logs = clipped_log(shares)
    return _Answer(
        log_probability=float(np.log(max(share, 1e-9))),
        rank=float((others > shares[solves].max()).sum()),
        wrong=max(float(others[worst]), 0.0),
        wrong_move=moves[worst],
        entropy=float(-(shares * logs).sum()),
        value=value,
    )


def _mates(state: ChessState, move: Move) -> bool:
    outcome = state.play_past_end(move).outcome
    return outcome is not None and outcome.reason == "checkmate"


# What a short search says.


def _search_features(problem: Problem, line: list[ChessState]) -> dict[str, float]:
    row: dict[str, float] = {}
    for nodes in _SEARCHES:
        score, gap, rank = _searched(problem.state, problem.solution[0], nodes)
        row |= {f"search_{nodes}_score": score, f"search_{nodes}_gap": gap, f"search_{nodes}_rank": rank}
    later = [_searched(line[ply], problem.solution[ply], _SEARCHES[0]) for ply in _later_plies(problem)]
    row["later_search_gap"] = min((gap for _, gap, _ in later), default=_MOST_CENTIPAWNS)
    row["later_search_rank"] = max((rank for *_, rank in later), default=0.0)
    return row


def _searched(state: ChessState, right: Move, nodes: int) -> tuple[float, float, float]:
    """The right move's score, its lead over the best other move, and the number of better moves."""
    scores = {
        move: float(np.clip(score, -_MOST_CENTIPAWNS, _MOST_CENTIPAWNS))
        for move, score in state.alphabeta(nodes, _SEARCH_MARGIN)
    }
    others = [score for move, score in scores.items() if move != right]
    own = scores[right]
    best = max(others, default=-_MOST_CENTIPAWNS)
    return own, own - best, float(sum(score > own for score in others))


# What the position and the moves are.


def _position_features(problem: Problem, line: list[ChessState]) -> dict[str, float]:
    state, board = problem.state, board_of(problem.state)
    moves = state.legal_moves()
    us, them = board.turn, not board.turn
    king, other_king = board.king(us), board.king(them)
    row = {
        "legal_moves": float(len(moves)),
        "legal_captures": float(sum(map(board.is_capture, board.legal_moves))),
        "legal_checks": float(sum(state.play(move).in_check for move in moves)),
        "in_check": float(state.in_check),
        "phase": float(sum(_PIECE_VALUES[piece.piece_type] for piece in board.piece_map().values())),
        "balance": _balance(board, us),
        "own_loose": _loose(board, us),
        "their_loose": _loose(board, them),
        "their_king_rank": float(_from_own_side(other_king, them)),
        "own_king_attackers": float(_king_attackers(board, king, them)),
        "their_king_attackers": float(_king_attackers(board, other_king, us)),
    }
    for piece, name in enumerate(("pawns", "knights", "bishops", "rooks", "queens"), 1):
        row[f"own_{name}"] = float(len(board.pieces(piece, us)))
        row[f"their_{name}"] = float(len(board.pieces(piece, them)))
    end = line[-1].outcome
    row["mate"] = float(end is not None and end.reason == "checkmate")
    row["solver_moves"] = float(len(problem.solution) // 2 + 1)
    return row


def _move_features(problem: Problem, line: list[ChessState]) -> dict[str, float]:
    """The first move, and counts over the solver's moves."""
    boards = [board_of(state) for state in line]
    moves = [_as_move(state, move) for state, move in zip(line, problem.solution, strict=False)]
    us = boards[0].turn
    solver = list(zip(boards[:-1:2], moves[::2], boards[1::2], strict=True))
    captures = [_captured(board, move) for board, move, _ in solver]
    checks = [after.is_check() for *_, after in solver]
    balances = [_balance(board, us) for board in boards]
    quiet = [
        not (taken or check or m.promotion)
        for taken, check, (_, m, _) in zip(captures, checks, solver, strict=True)
    ]
    recaptures = [now.to_square == before.to_square for before, now in pairwise(moves)]
    replies = [state.legal_moves() for state in line[1:-1:2]]
    board, move, _ = solver[0]
    them = not us
    piece = board.piece_type_at(move.from_square) or chess.PAWN
    attackers = board.attackers(them, move.to_square)
    threats = [_PIECE_VALUES[board.piece_type_at(square) or 0] or 10 for square in attackers]
    king = board.king(them)
    way = _from_own_side(move.to_square, us) - _from_own_side(move.from_square, us)
    row = {
        "captures": float(sum(map(bool, captures))),
        "checks": float(sum(checks)),
        "quiet_moves": float(sum(quiet)),
        "first_captures": captures[0],
        "first_checks": float(checks[0]),
        "first_quiet": float(quiet[0]),
        "first_piece": float(piece),
        "first_distance": float(chess.square_distance(move.from_square, move.to_square)),
        "first_forward": float(way),
        "first_promotes": float(move.promotion or 0),
        "first_was_attacked": float(board.is_attacked_by(them, move.from_square)),
        "first_attackers": float(len(attackers)),
        "first_least_attacker": float(min(threats, default=11)),
        "first_defenders": float(len(board.attackers(us, move.to_square))),
        "first_to_king": 8.0 if king is None else float(chess.square_distance(move.to_square, king)),
        "last_quiet": float(quiet[-1]),
        "last_checks": float(checks[-1]),
        "last_captures": captures[-1],
        "second_quiet": float(quiet[1]) if len(quiet) > 1 else -1.0,
        "second_captures": captures[1] if len(captures) > 1 else -1.0,
        "second_checks": float(checks[1]) if len(checks) > 1 else -1.0,
        "promotions": float(sum(bool(m.promotion) for m in moves[::2])),
        "reply_is_recapture": float(bool(recaptures) and recaptures[0]),
        "recaptures": float(sum(recaptures)),
        "replies_first": float(len(replies[0])) if replies else 0.0,
        "replies_most": float(max(map(len, replies), default=0)),
        "replies_forced": float(sum(len(reply) == 1 for reply in replies)),
        "gain_end": balances[-1] - balances[0],
        "gain_after_reply": balances[min(2, len(balances) - 1)] - balances[0],
        "gain_least": min(balances[1:]) - balances[0],
        "sacrifices": float(sum(after < before for before, after in pairwise(balances[::2]))),
        "pieces_used": float(len(_pieces_used(moves[::2]))),
    }  # fmt: skip
    return row


def _as_move(state: ChessState, move: Move) -> chess.Move:
    return chess.Move.from_uci(state.move_text(move))


def _captured(board: chess.Board, move: chess.Move) -> float:
    """The value of the captured piece, 0 without a capture."""
    if not board.is_capture(move):
        return 0.0
    return float(_PIECE_VALUES[board.piece_type_at(move.to_square) or chess.PAWN])


def _balance(board: chess.Board, color: chess.Color) -> float:
    """Material of a side minus that of the other."""
    return float(
        sum(
            _PIECE_VALUES[piece.piece_type] * (1 if piece.color == color else -1)
            for piece in board.piece_map().values()
        )
    )


def _loose(board: chess.Board, color: chess.Color) -> float:
    """The value of the pieces that are attacked and not defended."""
    return float(
        sum(
            _PIECE_VALUES[piece.piece_type]
            for square, piece in board.piece_map().items()
            if piece.color == color
            and board.is_attacked_by(not color, square)
            and not board.is_attacked_by(color, square)
        )
    )


def _from_own_side(square: chess.Square | None, color: chess.Color) -> int:
    """The rank of a square, counted from a side's first rank as 0."""
    if square is None:
        return 0
    return chess.square_rank(square) if color else 7 - chess.square_rank(square)


def _king_attackers(board: chess.Board, king: chess.Square | None, by: chess.Color) -> int:
    """Attacks of a side on the squares around the other king."""
    if king is None:
        return 0
    return sum(len(board.attackers(by, square)) for square in chess.SquareSet(chess.BB_KING_ATTACKS[king]))


def _pieces_used(moves: Sequence[chess.Move]) -> set[chess.Square]:
    """The squares on which the pieces that move began."""
    origin: dict[chess.Square, chess.Square] = {}
    used = set()
    for move in moves:
        start = origin.pop(move.from_square, move.from_square)
        origin[move.to_square] = start
        used.add(start)
    return used
