"""A bot that follows a single board, as reconchess's TroutBot: strong chess on its best guess."""

from __future__ import annotations

from collections.abc import Sequence

import chess
import numpy as np

from sparring._core import RbcBoardSet
from sparring.games import Move
from sparring.games.rbc import NO_SENSE, SENSE, Observation, OpponentMoveResult
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.rbc.evaluators import BoardEvaluator
from sparring.players.rbc.guess import Guess


class GuesserBot(BasePlayer):
    """Plays the best move on its guess. It senses where that move captures, or where it lost a piece."""

    def __init__(self, evaluator: BoardEvaluator) -> None:
        """The evaluator is closed with the bot."""
        super().__init__()
        self._evaluator = evaluator

    def new_game(self, start: GameStart) -> None:
        """Begins with the initial board for its guess."""
        super().new_game(start)
        self._evaluator.new_game()
        self._guess = Guess(start.player or 0)
        self._lost: int | None = None

    def observe(self, observation: Observation) -> None:
        """Updates its guess."""
        if isinstance(observation, OpponentMoveResult):
            self._lost = observation.capture_square
        self._guess.observe(observation)

    def choose(self, turn: Turn) -> Decision:
        """Returns a sense or a move request, whichever is due."""
        move = self._sense() if turn.legal_moves[-1] == NO_SENSE else self._best(turn.legal_moves)
        return Decision(move, {move: 1.0}, "believes in one board")

    def close(self) -> None:
        """Closes the evaluator."""
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
