"""A bot with a single board in mind, as reconchess's TroutBot: strong chess on what it believes."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import numpy as np

from sparring._core import RbcBoardSet
from sparring.games import Move
from sparring.games.rbc import NO_SENSE, SENSE, Observation, OpponentMoveResult
from sparring.players.player import Decision
from sparring.players.rbc.evaluators import BoardEvaluator
from sparring.players.rbc.guess import Guess


class GuesserBot:
    """Plays the best move on its guess, and looks where that captures or where it lost a piece."""

    def __init__(self, player: int, evaluator: BoardEvaluator, rng: np.random.Generator) -> None:
        self._guess = Guess(player)
        self._evaluator, self._rng = evaluator, rng
        self._lost: int | None = None

    def observe(self, observation: Observation) -> None:
        """Takes in what it is told."""
        if isinstance(observation, OpponentMoveResult):
            self._lost = observation.capture_square
        self._guess.observe(observation)

    def choose(self, legal_moves: Sequence[Move], seconds: float | None = None) -> Decision:
        """A sense or a request, whichever is due."""
        move = self._sense() if legal_moves[-1] == NO_SENSE else self._best(legal_moves)
        return Decision(move, {move: 1.0}, "believes in one board")

    def ponder(self) -> None:
        """Nothing."""

    def close(self) -> None:
        """Closes its judge."""
        self._evaluator.close()

    def _sense(self) -> Move:
        board = self._guess.board
        if self._lost is not None:
            return SENSE + self._lost
        target = self._best(None) & 63
        if board.color_at(target) is (not self._guess.color):
            return SENSE + target
        elsewhere = [s for s in chess.SQUARES if board.color_at(s) is not self._guess.color]
        return SENSE + elsewhere[int(self._rng.integers(len(elsewhere)))]

    def _best(self, legal_moves: Sequence[Move] | None) -> Move:
        evaluations = self._evaluator.evaluate(RbcBoardSet.of([self._guess.state], self._guess.player))
        order = np.argsort(-evaluations.scores[0], kind="stable")
        ranked = [int(evaluations.requests[i]) for i in order]
        possible = [move for move in ranked if legal_moves is None or move in legal_moves]
        return possible[0] if possible else (legal_moves or [0])[-1]
