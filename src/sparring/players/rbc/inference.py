"""The bot that tracks all possible boards. It senses for its next move, and moves by mean and worst case."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from threading import Event

import numpy as np
from numpy.typing import NDArray

from sparring._core import RbcBoardSet
from sparring.belief import (
    Contradiction,
    OutOfOrder,
    SenseStatistics,
    Tracker,
    TrackerOptions,
    sense_statistics,
    winning_request,
    winning_senses,
)
from sparring.config import usable_threads
from sparring.games import Move
from sparring.games.rbc import NO_SENSE, PASS, SENSE, MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.rbc.evaluators import BoardEvaluations, BoardEvaluator
from sparring.players.rbc.guess import Guess
from sparring.players.rbc.time_budget import LOW_TIME_SECONDS, TimeBudget, allot_budget
from sparring.players.rbc.utility import (
    WIN,
    Matrix,
    RiskParameters,
    likelihoods,
    request_values,
    sense_entropies,
    sense_values,
    win_probabilities,
)
from sparring.players.time_management import allocate_time
from sparring.search import Clock

_MAX_EXTRA_DEPTH = 3
"""Maximum extra depth of an evaluation if there is time."""
_QUIET_TURNS, _RATE_STEP = 12, 0.03
"""After so many turns without a capture, the assumed rate of unseen attacks grows by this each turn."""
_MAX_STATISTICS_BOARDS = 200_000
"""Maximum number of boards for which sense statistics are computed."""
_MAX_WIN_SEARCH_BOARDS = 20_000
"""Maximum number of boards on which senses that force a king capture are searched; a sample of more."""
_CLEAR_LEAD = 0.05
"""With a belief, a best action that leads by this win probability is not evaluated deeper."""

_UNEVENTFUL: Mapping[str, Observation] = {
    "opponent": OpponentMoveResult(None),
    "sense": SenseResult(()),
    "move": MoveResult(PASS, None, None),
}
"""An observation of each phase that tells nothing."""


@dataclass(frozen=True)
class InferenceLimits:
    """Numbers of boards that a bot tracks and evaluates."""

    boards: int
    """Boards that it tracks; a sample if more are possible."""
    sense_boards: int
    """Boards that it evaluates before a sense."""
    move_boards: int
    """Boards that it evaluates before a move."""
    use_clock: bool = False
    """Whether these numbers are upper bounds, within the time on the clock."""
    threads: int = 1


@dataclass(frozen=True)
class Belief:
    """A model of the opponent: which boards are likely, and how much that counts."""

    likeliest: Callable[[int], tuple[RbcBoardSet, NDArray[np.float64]]]
    """Returns up to so many of the likeliest boards, and their probabilities [boards]."""
    weight: float = 0.5
    """Weight of these boards against those of the bot's own sample."""


@dataclass(frozen=True)
class EvaluatedSample:
    """Boards of a sample with the values of all requests on them."""

    boards: RbcBoardSet
    evaluations: BoardEvaluations
    win_probability: Matrix
    """[boards, requests]."""
    weights: NDArray[np.float64]
    """Probabilities of the boards [boards]."""


class InferenceBot(BasePlayer):
    """Tracks all possible boards. The evaluator is closed with the bot."""

    def __init__(
        self, limits: InferenceLimits, risk_parameters: RiskParameters, evaluator: BoardEvaluator
    ) -> None:
        super().__init__()
        self.limits, self.risk_parameters, self.evaluator = limits, risk_parameters, evaluator
        self.last_sample: EvaluatedSample | None = None
        """The boards of the last ratings, for explanations."""

    def new_game(self, start: GameStart) -> None:
        """Begins with the initial board."""
        super().new_game(start)
        self.evaluator.new_game()
        self.player = start.player or 0
        self._options = TrackerOptions(
            limit=self.limits.boards,
            past_limit=2 * self.limits.boards,
            threads=usable_threads(self.limits.threads),
            seed=self._draw(),
            repair=True,
        )
        self.tracker = Tracker(self.player, self._options)
        self.last_sample = None
        self._budget = TimeBudget()
        self._seconds_a_board = 0.01
        self._quiet_turns = 0
        self.restarts = 0
        """How often an observation contradicted all boards and it began anew from a guess."""

    def observe(self, observation: Observation) -> None:
        """Updates the boards. If an observation contradicts all of them, tracking restarts from a guess."""
        if isinstance(observation, MoveResult | OpponentMoveResult):
            quiet = isinstance(observation, MoveResult) and observation.capture_square is None
            self._quiet_turns += quiet
            if observation.capture_square is not None:
                self._quiet_turns = 0
        try:
            self.tracker.observe(observation)
        except (Contradiction, OutOfOrder):  # an observation was lost, as with a broken connection
            self.restarts += 1
            guess = Guess(self.player, self.tracker.boards.sample(1, self._draw())[0])
            guess.observe(observation)
            self.tracker = Tracker(self.player, self._options, guess.state)
            if isinstance(observation, SenseResult):
                self.tracker.sensed(())

    def lost_observations(self, turn: Turn) -> Iterator[Observation]:
        """Yields what is assumed instead of observations that were lost before this turn. The caller observes
        each before it takes the next."""
        due = "sense" if turn.legal_moves[-1] == NO_SENSE else "move"
        while self.tracker.phase != due:
            yield _UNEVENTFUL[self.tracker.phase]

    def choose(self, turn: Turn) -> Decision:
        """Returns a sense or a move request, whichever is due."""
        for lost in self.lost_observations(turn):
            self.observe(lost)
        clock = self.follow_clock(turn.limits.clock)
        if turn.legal_moves[-1] == NO_SENSE:
            return self._sense(clock)
        return self._move(turn.legal_moves, clock)

    def hint(self, turn: Turn) -> Decision:
        """The move of `choose`, without its effects."""
        with self.preserved():
            return super().hint(turn)

    @contextmanager
    def preserved(self) -> Iterator[None]:
        """Undoes what decisions change: the generator, the budget, the measured speed."""
        before = self._rng, self._budget, self.tracker.options, self._seconds_a_board
        self._rng = deepcopy(self._rng)
        try:
            yield
        finally:
            self._rng, self._budget, self.tracker.options, self._seconds_a_board = before

    def follow_clock(self, clock: Clock | None) -> Clock | None:
        """Bounds the work of a turn by the clock. Returns it, or None if the bot plays without."""
        if clock is None or not self.limits.use_clock:
            return None
        budget = self._budget = allot_budget(clock.remaining)
        usual = self._options
        self.tracker.options = replace(
            usual,
            limit=min(budget.tracked or usual.limit, usual.limit),
            resampling_seconds=budget.resampling_seconds,
            repaired=budget.repaired or usual.repaired,
        )
        if budget.troubled:
            self.tracker.cut_to_limit()
        return clock

    def ponder(self, stop: Event | None = None) -> None:
        """Computes the successors of an opponent's move without a capture, the most frequent case. The
        computation is not stopped once it runs: the turn needs its result."""
        if stop is None or not stop.is_set():
            self.tracker.precompute_successors()

    def close(self) -> None:
        """Closes the evaluator."""
        self.evaluator.close()

    @property
    def boards_text(self) -> str:
        """The number of possible boards in words."""
        count = len(self.tracker.boards)
        return f"{count:,} possible board{'' if count == 1 else 's'}"

    def certain_sense(self) -> Decision | None:
        """The decision if all boards look alike, or if a sense makes a king capture certain; else None."""
        why = self.boards_text
        if not self._sense_statistics().undominated:
            alike = "" if len(self.tracker.boards) == 1 else ", which look alike"
            return Decision(NO_SENSE, {NO_SENSE: 1.0}, f"{why}{alike}")
        return self._winning_sense(why)

    def certain_move(self, legal_moves: Sequence[Move]) -> Decision | None:
        """The request that captures the king on every board, or None."""
        winner = winning_request(self.tracker.boards)
        if winner is None or winner not in legal_moves:
            return None
        return Decision(winner, {winner: 1.0}, "captures the king")

    def _sense_statistics(self) -> SenseStatistics:
        boards = self.tracker.boards
        if len(boards) > _MAX_STATISTICS_BOARDS:
            boards = boards.subsample(_MAX_STATISTICS_BOARDS, 0)
        return sense_statistics(boards, self._options.threads)

    def _sense(self, clock: Clock | None) -> Decision:
        if (certain := self.certain_sense()) is not None:
            return certain
        squares, values = self.rate_senses(self.planned_seconds(clock, 0.3))
        move = SENSE + squares[int(np.argmax(values))]
        return Decision(move, {move: 1.0}, self.boards_text)

    def rate_senses(
        self, planned: float | None, belief: Belief | None = None
    ) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The squares of the undominated senses and the values of these senses, in win probability.

        `planned` is the time in seconds; None evaluates as many boards as configured. `belief` gives
        likely boards, whose entropy counts, too.
        """
        senses = self._sense_statistics()
        if self._budget.evaluated < 2:  # one board does not tell what a sense changes
            return senses.undominated, senses.entropies[list(senses.undominated)]
        for sample in self._deepening(self.limits.sense_boards, planned, belief):
            partition, weights = sample.boards.partition, sample.weights
            values = sense_values(sample.win_probability, weights, partition, senses.undominated)
            entropies = senses.entropies[list(senses.undominated)]
            if belief is not None:
                likely = sense_entropies(weights, partition, senses.undominated)
                entropies = (1 - belief.weight) * entropies + belief.weight * likely
            values = values + self.risk_parameters.information_weight * entropies
            if belief is not None and _leads(values):
                break
        return senses.undominated, values

    def _winning_sense(self, why: str) -> Decision | None:
        """A sense after which the king is captured for certain on all boards, or on all of a sample; None if
        there is none."""
        boards, where = self.tracker.boards, "all of them"
        if len(boards) > _MAX_WIN_SEARCH_BOARDS:
            boards = boards.subsample(_MAX_WIN_SEARCH_BOARDS, self._draw())
            where = f"all of a sample of {len(boards):,}"
        for square in winning_senses(boards, self._options.threads):
            return Decision(SENSE + square, {SENSE + square: 1.0}, f"{why}, and the king is found on {where}")
        return None

    def _move(self, legal_moves: Sequence[Move], clock: Clock | None) -> Decision:
        if (certain := self.certain_move(legal_moves)) is not None:
            return certain
        if not self._budget.evaluated:
            move = legal_moves[int(self._rng.integers(len(legal_moves)))]
            return Decision(move, {move: 1.0}, "has no time")
        requests, values, means = self.rate_requests(self.planned_seconds(clock, 0.7))
        allowed = np.isin(requests, np.asarray(legal_moves))
        if not allowed.any():  # only if its own pieces stand elsewhere than it believes
            move = legal_moves[int(self._rng.integers(len(legal_moves)))]
            return Decision(move, {move: 1.0}, "has lost track")
        values[~allowed] = -np.inf
        best = int(np.argmax(values))
        move = int(requests[best])
        reason = f"{means[best]:.0%} over {self.boards_text}"
        return Decision(move, {move: 1.0}, reason)

    def rate_requests(
        self, planned: float | None, belief: Belief | None = None
    ) -> tuple[NDArray[np.uint16], NDArray[np.float64], NDArray[np.float64]]:
        """All requests, their values, and their mean win probabilities; arguments as in `rate_senses`."""
        for sample in self._deepening(self.limits.move_boards, planned, belief):
            weighted_worst = belief is not None
            values = request_values(
                sample.win_probability, sample.weights, self.risk_parameters, weighted_worst
            )
            if belief is not None and _leads(values):
                break
        return sample.evaluations.requests, values, sample.weights @ sample.win_probability

    def _deepening(
        self, most: int, planned: float | None, belief: Belief | None
    ) -> Iterator[EvaluatedSample]:
        """Evaluates a sample of the boards, or with a belief the likely ones and a sample of the others:
        at the configured depth, then deeper step by step as far as `planned` seconds allow."""
        boards, count = self.tracker.boards, self._count(most, planned)
        attacked = boards.with_king_attacked()
        if belief is None:
            looked_at = self._sample(count, attacked)
        else:
            least = self._budget.evaluated
            likely, shares = belief.likeliest(max(round(count * belief.weight), least))
            looked_at = likely
            if belief.weight < 1:
                looked_at = self._sample(max(count - len(likely), least), attacked).union(likely)
        for evaluations in self._evaluate(looked_at, planned):
            win_probability = win_probabilities(
                evaluations.scores, evaluations.attacks, self._unseen_attack_rate()
            )
            in_danger = evaluations.scores[:, 0] <= 1 - WIN  # the first request, the pass, loses the king
            weights = likelihoods(
                win_probability,
                in_danger,
                len(attacked) / len(boards),
                self.risk_parameters.opponent_rationality,
                self.risk_parameters.threat_weight,
            )
            if belief is not None:
                weights *= 1 - belief.weight
                weights[looked_at.indices(likely)] += belief.weight * shares / shares.sum()
            self.last_sample = EvaluatedSample(looked_at, evaluations, win_probability, weights)
            yield self.last_sample

    def _sample(self, count: int, attacked: RbcBoardSet) -> RbcBoardSet:
        """A sample of the boards; a fifth of it has an attacked king, if there are such boards."""
        boards = self.tracker.boards
        sample = boards.subsample(count, self._draw())
        if len(boards) <= count or not len(attacked):
            return sample
        states = sample.sample(count, 0) + attacked.sample(max(1, count // 4), self._draw())
        return RbcBoardSet.of(states, self.player)

    def _unseen_attack_rate(self) -> float:
        """The rate of unseen attacks that it assumes. It grows without captures, which avoids draws."""
        return min(
            1.0,
            self.risk_parameters.unseen_attack_rate + _RATE_STEP * max(0, self._quiet_turns - _QUIET_TURNS),
        )

    def _evaluate(self, boards: RbcBoardSet, planned: float | None) -> Iterator[BoardEvaluations]:
        """Evaluates boards, deeper step by step as far as `planned` seconds allow."""
        began = time.perf_counter()
        reduction = self._budget.depth_reduction
        evaluations = self.evaluator.evaluate(boards, -reduction)
        spent = time.perf_counter() - began
        if not reduction:
            self._seconds_a_board += 0.5 * (spent / len(boards) - self._seconds_a_board)
        yield evaluations
        for extra_depth in range(1, _MAX_EXTRA_DEPTH + 1):
            now = time.perf_counter()
            if planned is None or now + spent * self.evaluator.cost_ratio > began + planned:
                return
            evaluations = self.evaluator.evaluate(boards, extra_depth)
            spent = time.perf_counter() - now
            yield evaluations

    def planned_seconds(self, clock: Clock | None, share: float) -> float | None:
        """Seconds for a part of this turn; None without a clock."""
        if clock is None:
            return None
        if clock.remaining < LOW_TIME_SECONDS:
            return 0.0
        return share * allocate_time(replace(clock, remaining=clock.remaining - LOW_TIME_SECONDS / 2))

    def _count(self, most: int, planned: float | None) -> int:
        """Number of boards to evaluate: as many as fit into `planned` seconds, by the time of earlier
        evaluations."""
        if planned is None:
            return most
        return int(np.clip(planned / self._seconds_a_board, min(self._budget.evaluated, most), most))

    def _draw(self) -> int:
        return int(self._rng.integers(2**63))


def _leads(values: NDArray[np.float64]) -> bool:
    """Whether the best value is clearly above the second."""
    if len(values) < 2:
        return True
    second, best = np.partition(values, -2)[-2:]
    return bool(best - second >= _CLEAR_LEAD)
