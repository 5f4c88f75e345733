"""Problems out of games: positions with one clear answer that people of the level miss.

A review says where a move gave something away; the position before it, and the one after it, may be problems.
A
problem's first move must be clearly better than the second best, by a deeper search, and people of the level
must often play another one. The solution is a tree: after each of the opponent's reasonable replies the
solver's
move, as long as it is the only good one.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import chess
import chess.pgn
import numpy as np

from sparring._core import ChessState
from sparring.chess.game import board_of
from sparring.chess.lines import ChessLines
from sparring.chess.mistake_kinds import chess_move
from sparring.chess.puzzle_features import Problem
from sparring.chess.puzzle_rating import PuzzleRating, rate_puzzles
from sparring.games import Move, describe
from sparring.measure.analysis import ScoredLine
from sparring.measure.mistakes import expected_score
from sparring.measure.review import BLOCK, MoveReview, Reviewer, assumed_ratings
from sparring.networks import Position
from sparring.policies import Policy, load_policy
from sparring.records.readers import RecordedGame

_NODES, _TREE_NODES = 400_000, 120_000
"""Nodes that prove the first move, and those of a later position of the solution."""
_LEAST_LOSS = 0.12
"""Expected score that a move of the game gives away next to a problem."""
_CLEAR = 0.2
"""Expected score by which the answer is better than every other move."""
_ENOUGH = 0.55
"""Expected score that the answer has at least: the solver wins something or saves the game."""
_SEEN = 0.75
"""Probability of the answer for people of the level, from which on they see it."""
_REASONABLE, _USUAL = 0.1, 0.25
"""A reply of the opponent counts if it gives away at most the first, or if people play it with the second."""
_REPLIES, _SOLVER_MOVES = 3, 4


@dataclass(frozen=True)
class Solution:
    """A move of the solver, and the solver's answers to replies."""

    move: Move
    replies: tuple[tuple[Move, Solution], ...] = ()
    """The opponent's replies that need another answer of the solver, the best first."""

    def main_line(self) -> tuple[Move, ...]:
        """The moves of both sides after the best replies; it ends with the solver's."""
        if not self.replies:
            return (self.move,)
        reply, answer = self.replies[0]
        return (self.move, reply, *answer.main_line())


@dataclass(frozen=True)
class GameProblem:
    """A problem out of a game."""

    game: RecordedGame
    ply: int
    """Moves of the game before the problem."""
    state: ChessState
    """The position; it knows the game's moves before it."""
    solution: Solution
    likely: float
    """Probability that people of the level play the first move."""
    missed: bool
    """Whether the player of the game played another move."""
    rating: PuzzleRating

    @property
    def line(self) -> tuple[Move, ...]:
        """The main line of the solution."""
        return self.solution.main_line()

    def pgn(self) -> str:
        """The problem as PGN: the position in the tag FEN, the solution with variations as the moves."""
        game = chess.pgn.Game()
        game.setup(board_of(self.state))
        players = " - ".join(name or "?" for name in self.game.players)
        game.headers["Event"] = f"{players}, move {self.ply // 2 + 1}"
        game.headers["PuzzleRating"] = str(round(self.rating.rating))
        game.headers["Result"] = "*"
        _write(game, self.solution)
        return str(game)


def _write(node: chess.pgn.GameNode, solution: Solution) -> None:
    child = node.add_variation(chess_move(solution.move))
    for reply, answer in solution.replies:
        _write(child.add_variation(chess_move(reply)), answer)


def find_problems(
    games: Iterable[RecordedGame], rating: int | str | None = None, *, threads: int = 1
) -> Iterator[GameProblem]:
    """The problems in games of chess, each position once, game by game.

    `rating` is that of the people who miss them; without it, the players' own.
    """
    finder = ProblemFinder(load_policy("human", "chess"), load_policy("strong", "chess"), threads)
    seen: set[str] = set()
    for game in games:
        for problem in finder.problems(game, rating):
            key = _key(problem.state)
            if key not in seen:
                seen.add(key)
                yield problem


class ProblemFinder:
    """Finds problems in games."""

    def __init__(self, human: Policy, strong: Policy, threads: int = 1) -> None:
        self._human, self._reviewer = human, Reviewer("chess", human, strong, threads=threads)
        self._lines = ChessLines()

    def problems(self, game: RecordedGame, rating: int | str | None = None) -> list[GameProblem]:
        """The problems of a game, in its order. Reviews the game first."""
        ratings = assumed_ratings(game, self._human, rating)
        moves = [
            move
            for begin in range(0, len(game), BLOCK)
            for move in self._reviewer.block(game.states, begin, ratings)
        ]
        return self.problems_of(game, moves, ratings)

    def problems_of(
        self, game: RecordedGame, moves: Iterable[MoveReview], ratings: tuple[int | None, int | None]
    ) -> list[GameProblem]:
        """The problems of a game that is reviewed already, in its order."""
        plies = {ply for move in moves if move.loss >= _LEAST_LOSS for ply in (move.ply, move.ply + 1)}
        candidates = []
        for ply in sorted(plies):
            state = game.states[ply]
            if state.outcome is not None or ply >= len(game):
                continue
            solution = self._clear_answer(state, _NODES)
            if solution is None:
                continue
            likely = self._likely(state, solution, ratings)
            if likely >= _SEEN:
                continue
            tree = Solution(solution, self._replies(state.play(solution), ratings, _SOLVER_MOVES - 1))
            candidates.append((ply, state, tree, likely, game.states[ply + 1].last_move != solution))
        rated = rate_puzzles([Problem(state, tree.main_line()) for _, state, tree, _, _ in candidates])
        return [
            GameProblem(game, ply, state, tree, likely, missed, puzzle)
            for (ply, state, tree, likely, missed), puzzle in zip(candidates, rated, strict=True)
        ]

    def _clear_answer(self, state: ChessState, nodes: int) -> Move | None:
        """The only good move of a position; None if there are several, or none, or no choice."""
        if state.outcome is not None:
            return None
        self._lines.clear()
        lines = self._lines.search(state, nodes, lines=2)
        if len(lines) < 2:
            return None
        best, second = lines
        if _score(best) < _ENOUGH:
            return None
        if _score(best) - _score(second) < _CLEAR and not _mates_alone(best, second):
            return None
        return best.moves[0]

    def _replies(
        self, state: ChessState, ratings: tuple[int | None, int | None], moves_left: int
    ) -> tuple[tuple[Move, Solution], ...]:
        """The opponent's reasonable replies after which the solver has one good move again."""
        if moves_left == 0 or state.outcome is not None:
            return ()
        self._lines.clear()
        lines = self._lines.search(state, _TREE_NODES, lines=_REPLIES)
        (prediction,) = self._human.predict([self._position(state, ratings)])
        shares = dict(zip(prediction.moves, prediction.probabilities.tolist(), strict=True))
        best = _score(lines[0])
        replies = []
        for line in lines:
            reply = line.moves[0]
            if best - _score(line) > _REASONABLE and shares[reply] < _USUAL:
                continue
            after = state.play(reply)
            answer = self._clear_answer(after, _TREE_NODES)
            if answer is None:
                if line is lines[0]:
                    return ()  # the main line ends here
                continue
            further = self._replies(after.play(answer), ratings, moves_left - 1)
            replies.append((reply, Solution(answer, further)))
        return tuple(replies)

    def _likely(self, state: ChessState, move: Move, ratings: tuple[int | None, int | None]) -> float:
        (prediction,) = self._human.predict([self._position(state, ratings)])
        return float(prediction.probabilities[np.searchsorted(prediction.moves, move)])

    @staticmethod
    def _position(state: ChessState, ratings: tuple[int | None, int | None]) -> Position:
        return Position(state, ratings[state.to_move], ratings[1 - state.to_move])


def _mates_alone(best: ScoredLine, second: ScoredLine) -> bool:
    """Whether only the best move mates soon, and the second does not mate at all."""
    return best.mate is not None and 0 < best.mate <= 5 and second.mate is None


def _score(line: ScoredLine) -> float:
    support: Any = describe("chess").engine
    return expected_score(line.centipawns, support.score_scale)


def _key(state: ChessState) -> str:
    """The position without its counters."""
    return " ".join(state.text().split()[:4])
