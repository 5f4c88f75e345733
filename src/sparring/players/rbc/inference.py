"""The bot that keeps all boards: senses for what it will need to know, moves by mean and worst case."""

from __future__ import annotations

import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet
from sparring.belief import Tracker, TrackerOptions, sense_statistics, winning_request, winning_senses
from sparring.games import Move
from sparring.games.rbc import NO_SENSE, SENSE, MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players.player import Decision
from sparring.players.rbc.evaluators import BoardEvaluations, BoardEvaluator
from sparring.players.rbc.guess import Guess
from sparring.players.rbc.utility import (
    WIN,
    Matrix,
    RiskParameters,
    likelihoods,
    request_values,
    sense_values,
    win_probabilities,
)
from sparring.players.time_management import Clock, allocate_time

_INCREMENT = 5.0
"""Seconds a turn that reconchess adds."""
_HURRY = 10.0
"""With fewer seconds left only the least is looked at."""
_DEEPEST = 3
"""Steps deeper than usual, where there is time."""
_FEWEST = 6
"""Boards that are looked at in any case."""
_PATIENT_TURNS, _BOLDER = 12, 0.03
"""After so many turns without a capture attacks are thought likelier to go unseen, so much each turn."""
_FOLLOWED_A_SECOND = 5_000
"""Boards that a clocked bot follows for every second on its clock: their successors take time, too."""
_FEWEST_FOLLOWED = 20_000
_WEIGHED = 200_000
"""Boards on which senses are weighed by what they tell."""
_HUNTED = 20_000
"""Boards on which a sense is sought that makes a king capture certain."""


@dataclass(frozen=True)
class InferenceLimits:
    """How much a bot looks at."""

    boards: int
    """That it follows; of more it follows a sample."""
    sense_boards: int
    """That it judges before a sense."""
    move_boards: int
    """That it judges before a move."""
    use_clock: bool = False
    """Whether it takes these numbers for the most, and uses its clock."""
    threads: int = 1


class InferenceBot:
    """Follows every possible board. The judge is closed with the bot."""

    def __init__(
        self,
        player: int,
        limits: InferenceLimits,
        risk_parameters: RiskParameters,
        evaluator: BoardEvaluator,
        rng: np.random.Generator,
    ) -> None:
        self.player, self.limits, self.risk_parameters, self.evaluator = (
            player,
            limits,
            risk_parameters,
            evaluator,
        )
        self._options = TrackerOptions(
            limit=limits.boards,
            past_limit=2 * limits.boards,
            threads=limits.threads or os.cpu_count() or 1,
            seed=int(rng.integers(2**63)),
            repair=True,
        )
        self.tracker = Tracker(player, self._options)
        self._rng = rng
        self._seconds_a_board = 0.01
        self._quiet_turns = 0
        self.restarts = 0
        """How often it had missed something and began anew from a guess."""

    def observe(self, observation: Observation) -> None:
        """Takes in what it is told. Where that contradicts all boards it goes on with boards made to fit."""
        if isinstance(observation, MoveResult | OpponentMoveResult):
            quiet = isinstance(observation, MoveResult) and observation.capture_square is None
            self._quiet_turns += quiet
            if observation.capture_square is not None:
                self._quiet_turns = 0
        try:
            self.tracker.observe(observation)
        except ValueError:  # something was not told, as when a connection was lost: it begins anew
            self.restarts += 1
            guess = Guess(self.player, self.tracker.boards.sample(1, self._draw())[0])
            guess.observe(observation)
            self.tracker = Tracker(self.player, self._options, guess.state)
            if isinstance(observation, SenseResult):
                self.tracker.sensed(())

    def choose(self, legal_moves: Sequence[Move], seconds: float | None = None) -> Decision:
        """A sense or a request, whichever is due."""
        if self.limits.use_clock and seconds is not None:
            follow = min(max(seconds * _FOLLOWED_A_SECOND, _FEWEST_FOLLOWED), self._options.limit)
            self.tracker.options = replace(self._options, limit=int(follow))
        return self._sense(seconds) if legal_moves[-1] == NO_SENSE else self._move(legal_moves, seconds)

    def ponder(self) -> None:
        """Works out the boards that there will be if nothing is captured, which is so most often."""
        self.tracker.precompute_successors()

    def close(self) -> None:
        """Closes its judge."""
        self.evaluator.close()

    def _sense(self, seconds: float | None) -> Decision:
        boards = self.tracker.boards
        why = f"{len(boards):,} possible boards"
        weighed = boards if len(boards) <= _WEIGHED else boards.subsample(_WEIGHED, 0)
        senses = sense_statistics(weighed, self._options.threads)
        if not senses.undominated:
            return Decision(NO_SENSE, {NO_SENSE: 1.0}, f"{why}, which look alike")
        looked_at, _, win_probability, weights = self._look(
            self.limits.sense_boards, self._planned(seconds, 0.3)
        )
        values = sense_values(win_probability, weights, looked_at.partition, senses.undominated)
        for square in winning_senses(boards.subsample(_HUNTED, self._draw()), self._options.threads):
            return Decision(
                SENSE + square, {SENSE + square: 1.0}, f"{why}, and the king is found on all of them"
            )
        values += self.risk_parameters.information_weight * senses.entropies[list(senses.undominated)]
        move = SENSE + senses.undominated[int(np.argmax(values))]
        return Decision(move, {move: 1.0}, why)

    def _move(self, legal_moves: Sequence[Move], seconds: float | None) -> Decision:
        boards = self.tracker.boards
        winner = winning_request(boards)
        if winner is not None and winner in legal_moves:
            return Decision(winner, {winner: 1.0}, "captures the king")
        _, evaluations, win_probability, weights = self._look(
            self.limits.move_boards, self._planned(seconds, 0.7)
        )
        values = request_values(win_probability, weights, self.risk_parameters)
        allowed = np.isin(evaluations.requests, np.asarray(legal_moves))
        if not allowed.any():  # only where its own pieces are others than it thinks
            move = legal_moves[int(self._rng.integers(len(legal_moves)))]
            return Decision(move, {move: 1.0}, "has lost track")
        values[~allowed] = -np.inf
        best = int(np.argmax(values))
        move = int(evaluations.requests[best])
        chance = float(weights @ win_probability[:, best])
        return Decision(move, {move: 1.0}, f"{chance:.0%} over {len(boards):,} possible boards")

    def _look(
        self, most: int, planned: float | None
    ) -> tuple[RbcBoardSet, BoardEvaluations, Matrix, NDArray[np.float64]]:
        """Some boards, those among them on which the king is attacked even where they are few.

        With what requests come to there, the chances [boards, requests], and how likely the boards are.
        """
        boards, count = self.tracker.boards, self._count(most, planned)
        attacked = boards.with_king_attacked()
        looked_at = boards.subsample(count, self._draw())
        if len(boards) > count and len(attacked):
            states = looked_at.sample(count, 0) + attacked.sample(max(1, count // 4), self._draw())
            looked_at = RbcBoardSet.of(states, self.player)
        evaluations = self._evaluate(looked_at, planned)
        win_probability = win_probabilities(
            evaluations.scores, evaluations.attacks, self._unseen_attack_rate()
        )
        in_danger = evaluations.scores[:, 0] <= 1 - WIN  # the pass comes first: it loses the king
        share = len(attacked) / len(boards)
        weights = likelihoods(
            win_probability,
            in_danger,
            share,
            self.risk_parameters.opponent_rationality,
            self.risk_parameters.threat_weight,
        )
        return looked_at, evaluations, win_probability, weights

    def _unseen_attack_rate(self) -> float:
        """Without captures it grows bolder, lest it be a draw: who only waits sees no attacks either."""
        return min(
            1.0,
            self.risk_parameters.unseen_attack_rate + _BOLDER * max(0, self._quiet_turns - _PATIENT_TURNS),
        )

    def _evaluate(self, boards: RbcBoardSet, planned: float | None) -> BoardEvaluations:
        """In `planned` seconds, if any, as deep as they allow by how long each step took."""
        began = time.perf_counter()
        evaluations = self.evaluator.evaluate(boards)
        spent = time.perf_counter() - began
        self._seconds_a_board += 0.5 * (spent / len(boards) - self._seconds_a_board)
        extra_depth = 0
        while planned is not None and extra_depth < _DEEPEST:
            now = time.perf_counter()
            if now + spent * self.evaluator.cost_ratio > began + planned:
                break
            extra_depth += 1
            evaluations = self.evaluator.evaluate(boards, extra_depth)
            spent = time.perf_counter() - now
        return evaluations

    def _planned(self, seconds: float | None, share: float) -> float | None:
        """Seconds for a part of this turn; None for one who does not use the clock, or has none."""
        if not self.limits.use_clock or seconds is None:
            return None
        return 0.0 if seconds < _HURRY else share * allocate_time(Clock(seconds - _HURRY / 2, _INCREMENT))

    def _count(self, most: int, planned: float | None) -> int:
        """How many boards to look at: as many as the time allows, by how long they took before."""
        return most if planned is None else int(np.clip(planned / self._seconds_a_board, _FEWEST, most))

    def _draw(self) -> int:
        return int(self._rng.integers(2**63))
