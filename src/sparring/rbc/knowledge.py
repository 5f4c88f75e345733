"""What a bot knows: the possible boards of a game, and values of its senses and move requests over them.

`BoardKnowledge` tracks the boards, restarts after lost observations, bounds its work by the clock and rates
senses and requests. The inference bot (bots.py) decides by these ratings alone. The planner (planner.py) has
the boards rated that its belief makes likely, and searches further.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from copy import deepcopy
from dataclasses import dataclass, replace
from threading import Event
from typing import Annotated

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring._core import RbcBoardSet
from sparring.base.config import Fraction, usable_threads
from sparring.games import Move
from sparring.players.player import Decision, Turn
from sparring.rbc.evaluators import BoardEvaluations, BoardEvaluator
from sparring.rbc.game import NO_SENSE, PASS, SENSE, MoveResult, Observation, OpponentMoveResult, SenseResult
from sparring.rbc.tracker import (
    BOARD_BYTES,
    EXPANSION_BYTES,
    Contradiction,
    Guess,
    SenseStatistics,
    Tracker,
    TrackerOptions,
    sense_statistics,
    winning_request,
    winning_senses,
)
from sparring.search import Clock
from sparring.search.limits import allocate_time

Boards = Annotated[int, Meta(ge=1, le=10**8)]
Weight = Annotated[float, Meta(ge=0, le=100)]


@dataclass(frozen=True, kw_only=True)
class KnowledgeOptions:
    """Numbers of boards, and weights of decisions under uncertainty: keys of a bot's file."""

    boards: Boards = 20_000
    """Boards that are tracked; a sample if more are possible."""
    sense_boards: Boards = 16
    """Boards that are evaluated before a sense."""
    move_boards: Boards = 32
    """Boards that are evaluated before a move."""
    use_clock: bool = False
    """Makes the numbers of boards and the depth upper limits, within the time on the clock."""
    threads: Annotated[int, Meta(ge=0, le=1024)] = 1
    """Threads, at most one a core; 0 for one a core."""
    worst_case_weight: Fraction = 0.2
    """Weight of the worst tenth of the boards against the mean of all."""
    king_loss_weight: Weight = 1.0
    """Penalty for the probability of losing the king at once, beyond its effect on the mean."""
    unseen_attack_rate: Fraction = 0.15
    """Assumed probability that the opponent does not see an attack on its king."""
    information_weight: Weight = 0.01
    """Value of a bit of information beyond the next move, in win probability."""
    opponent_rationality: Weight = 4.0
    """Inverse temperature of the opponent's moves; 0 makes all boards equally likely."""
    king_danger_weight: Weight = 10.0
    """Odds factor of boards on which the opponent attacks the king; 1 leaves them as they are."""


# Values of requests and senses over a set of possible boards, as functions of matrices. Search scores are
# mapped to win probabilities, which bounds the weight of a lost king.

Matrix = NDArray[np.float64]

_SCALE = 350.0
"""Centipawns that raise a win probability of 0.5 to 0.73."""
_WORST_SHARE = 0.1
"""Share of the boards that counts as the worst case."""
WIN = 100_000
"""Score of a captured king."""
_FAR = 0.06
"""Win probability between a won position and a captured king."""
_FLOOR = 0.02
"""Smallest weight of a board, before normalisation: opponents blunder, too."""


def win_probabilities(
    scores: NDArray[np.int32], attacks: NDArray[np.bool_], unseen_attack_rate: float
) -> Matrix:
    """Win probabilities [boards, requests]. An attack on the king wins if it goes unseen.

    Material alone never makes a win certain, so capturing the king is always better.
    """
    weighed = 1 / (1 + np.exp(-np.clip(scores, -5_000, 5_000) / _SCALE))
    seen = _FAR + (1 - 2 * _FAR) * weighed
    seen = np.where(np.abs(scores) > WIN // 2, np.where(scores > 0, 1 - _FAR / 4, _FAR / 4), seen)
    seen = np.where(np.abs(scores) >= WIN - 1, (scores > 0).astype(np.float64), seen)
    return np.asarray(seen + unseen_attack_rate * attacks * (1 - seen))


def likelihoods(
    win_probability: Matrix,
    in_danger: NDArray[np.bool_],
    share: float,
    opponent_rationality: float,
    king_danger_weight: float,
) -> NDArray[np.float64]:
    """Weights of the boards [boards]; they add up to 1.

    Boards on which the opponent must have blundered weigh less. `in_danger` [boards] marks boards on which
    it attacks the king, `share` is their share among all boards: the odds of these boards are multiplied by
    `king_danger_weight`, because opponents seek unseen attacks.
    """
    best = win_probability.max(axis=1)
    weights = np.exp(-opponent_rationality * (best - best.min())) + _FLOOR
    if in_danger.any() and not in_danger.all():
        mass = king_danger_weight * share / (king_danger_weight * share + 1 - share)
        weights[in_danger] *= mass / weights[in_danger].sum()
        weights[~in_danger] *= (1 - mass) / weights[~in_danger].sum()
    return np.asarray(weights / weights.sum())


def request_values(
    win_probability: Matrix,
    weights: NDArray[np.float64],
    options: KnowledgeOptions,
    weighted_worst: bool = False,
) -> NDArray[np.float64]:
    """Values [requests]: the weighted mean and the mean of the worst boards, minus the risk for the king.

    The worst boards are a tenth of the boards, or with `weighted_worst` a tenth of their weight.
    """
    if weighted_worst:
        lowest = _lowest_mean(win_probability, weights)
    else:
        worst = max(1, round(_WORST_SHARE * len(win_probability)))
        lowest = np.partition(win_probability, worst - 1, axis=0)[:worst].mean(axis=0)
    risk = weights @ (win_probability <= 0)
    mean = weights @ win_probability
    return np.asarray(
        (1 - options.worst_case_weight) * mean
        + options.worst_case_weight * lowest
        - options.king_loss_weight * risk
    )


def _lowest_mean(win_probability: Matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the worst boards of each request that have a tenth of the weight together [requests]."""
    order = np.argsort(win_probability, axis=0)
    weighed = weights[order]
    before = np.cumsum(weighed, axis=0) - weighed
    counted = np.clip(_WORST_SHARE - before, 0.0, weighed)
    return np.asarray(
        (counted * np.take_along_axis(win_probability, order, axis=0)).sum(axis=0) / _WORST_SHARE
    )


def sense_entropies(
    weights: NDArray[np.float64], partition: Callable[[int], NDArray[np.uint32]], senses: tuple[int, ...]
) -> NDArray[np.float64]:
    """Entropies of the results of the senses in bits [senses]."""
    entropies = np.empty(len(senses))
    for i, square in enumerate(senses):
        shares = np.bincount(partition(square), weights)
        entropies[i] = -(shares * np.log2(np.maximum(shares, 1e-12))).sum()
    return entropies


def sense_values(
    win_probability: Matrix,
    weights: NDArray[np.float64],
    partition: Callable[[int], NDArray[np.uint32]],
    senses: tuple[int, ...],
) -> NDArray[np.float64]:
    """Values of the senses [senses]: the mean win probability of the best request after the sense result."""
    weighed = weights[:, None] * win_probability
    values = np.empty(len(senses))
    for i, square in enumerate(senses):
        parts = partition(square)
        together = np.zeros((int(parts.max()) + 1, win_probability.shape[1]))
        np.add.at(together, parts, weighed)
        values[i] = together.max(axis=1).sum()
    return values


# What a bot with a clock may compute in a turn: a budget that shrinks with the time left.

TIME_TROUBLE_SECONDS = 2.0
"""Below this time on the clock all parts of a budget shrink, so that a turn costs a few hundredths of it."""
LOW_TIME_SECONDS = 10.0
"""Below this time on the clock, the minimum number of boards is evaluated."""
_TRACKED_PER_SECOND, _LEAST_TRACKED = 5_000, 20_000
_TROUBLED_TRACKED_PER_SECOND, _LEAST_TROUBLED_TRACKED = 2_500, 50
_EVALUATED_PER_SECOND, _MAX_EVALUATED = 40, 6
_AT_ONCE_SECONDS = 0.005
"""Below this time nothing is evaluated."""
_REPAIRED_SHARE = 0.1
"""Boards that are edited after a contradiction: an edit takes as long as ten tracked boards or more."""
_RESAMPLING_SHARE = 0.2
"""Share of a low clock for other samples after a contradiction. In time trouble there are none."""


@dataclass(frozen=True)
class TimeBudget:
    """Bounds of the work of a turn. The defaults are those without a clock."""

    tracked: int | None = None
    """Maximum number of tracked boards; None for the configured one."""
    evaluated: int = _MAX_EVALUATED
    """Minimum number of boards to evaluate; the only number in time trouble. With one board a sense is
    chosen by its information alone, with none a move at random."""
    depth_reduction: int = 0
    """Plies by which evaluations are shallower than configured."""
    resampling_seconds: float = math.inf
    """Time for other samples of boards after a contradiction."""
    repaired: int | None = None
    """Maximum number of boards that are edited after a contradiction; None for the usual one."""
    troubled: bool = False
    """Whether larger sets are cut to `tracked`, too."""


def allot_budget(seconds: float) -> TimeBudget:
    """Returns the budget with so many seconds on the clock."""
    if seconds >= TIME_TROUBLE_SECONDS:
        return TimeBudget(
            tracked=int(max(seconds * _TRACKED_PER_SECOND, _LEAST_TRACKED)),
            resampling_seconds=math.inf if seconds >= LOW_TIME_SECONDS else _RESAMPLING_SHARE * seconds,
        )
    seconds = max(seconds, 0.0)
    tracked = max(int(seconds * _TROUBLED_TRACKED_PER_SECOND), _LEAST_TROUBLED_TRACKED)
    evaluated = math.ceil(_EVALUATED_PER_SECOND * max(seconds - _AT_ONCE_SECONDS, 0.0))
    return TimeBudget(
        tracked,
        evaluated=min(evaluated, _MAX_EVALUATED),
        depth_reduction=int(math.log2(TIME_TROUBLE_SECONDS / max(seconds, _AT_ONCE_SECONDS))),
        resampling_seconds=0.0,
        repaired=max(int(tracked * _REPAIRED_SHARE), 1),
        troubled=True,
    )


_MAX_EXTRA_DEPTH = 3
"""Maximum extra depth of an evaluation if there is time."""
_LEAST_DEEPENED = 0.25
"""Least share of the likely boards that are evaluated deeper than the others."""
_QUIET_TURNS, _RATE_STEP = 12, 0.03
"""After so many turns without a capture, the assumed rate of unseen attacks grows by this each turn."""
_MAX_STATISTICS_BOARDS = 200_000
"""Maximum number of boards for which sense statistics are computed."""
_MAX_WIN_SEARCH_BOARDS = 20_000
"""Maximum number of boards on which senses that force a king capture are searched; a sample of more."""
_CLEAR_LEAD = 0.2
"""With likely boards, a best action that leads by this win probability is not evaluated deeper."""

_UNEVENTFUL: Mapping[str, Observation] = {
    "opponent": OpponentMoveResult(None),
    "sense": SenseResult(()),
    "move": MoveResult(PASS, None, None),
}
"""An observation of each phase that tells nothing."""


_AT_ONCE = 8
"""Boards that are evaluated between two looks at the stop event."""


class Stopped(Exception):
    """The stop event was set while boards were evaluated."""


@dataclass(frozen=True)
class LikelyBoards:
    """Boards that a model of the opponent makes likely, such as the planner's belief."""

    boards: RbcBoardSet
    shares: NDArray[np.float64]
    """Their probabilities [boards]."""
    weight: float = 0.5
    """Weight of these boards against those of a sample of all possible boards."""


@dataclass(frozen=True)
class EvaluatedSample:
    """Boards of a sample with the values of all requests on them."""

    boards: RbcBoardSet
    evaluations: BoardEvaluations
    win_probability: Matrix
    """[boards, requests]."""
    weights: NDArray[np.float64]
    """Probabilities of the boards [boards]."""


class BoardKnowledge:
    """The possible boards of a player, and ratings of its senses and requests. Closes the evaluator."""

    def __init__(self, options: KnowledgeOptions, evaluator: BoardEvaluator) -> None:
        self.options, self.evaluator = options, evaluator
        self.last_sample: EvaluatedSample | None = None
        """The boards of the last ratings, for explanations."""
        self.stop: Event | None = None
        """Ends the evaluation of boards, which then raises Stopped; None if nothing does."""

    def new_game(self, player: int, rng: np.random.Generator) -> None:
        """Begins with the initial board. All samples are drawn from `rng`."""
        self.player, self.rng = player, rng
        self.evaluator.new_game()
        self._tracker_options = TrackerOptions(
            limit=self.options.boards,
            past_limit=2 * self.options.boards,
            threads=usable_threads(self.options.threads),
            seed=self._draw(),
            repair=True,
        )
        self.tracker = Tracker(player, self._tracker_options)
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
        except Contradiction:  # an observation was lost, as with a broken connection
            self.restarts += 1
            guess = Guess(self.player, self.tracker.boards.sample(1, self._draw())[0])
            guess.observe(observation)
            self.tracker = Tracker(self.player, self._tracker_options, guess.state)
            if isinstance(observation, SenseResult):
                self.tracker.sensed(())

    def lost_observations(self, turn: Turn) -> Iterator[Observation]:
        """Yields what is assumed instead of observations that were lost before this turn. The caller observes
        each before it takes the next."""
        due = "sense" if turn.legal_moves[-1] == NO_SENSE else "move"
        while self.tracker.phase != due:
            yield _UNEVENTFUL[self.tracker.phase]

    def follow_clock(self, clock: Clock | None) -> Clock | None:
        """Bounds the work of a turn by the clock. Returns it, or None if the bot plays without."""
        if clock is None or not self.options.use_clock:
            return None
        budget = self._budget = allot_budget(clock.remaining)
        usual = self._tracker_options
        self.tracker.options = replace(
            usual,
            limit=min(budget.tracked or usual.limit, usual.limit),
            resampling_seconds=budget.resampling_seconds,
            repaired=budget.repaired or usual.repaired,
        )
        if budget.troubled:
            self.tracker.cut_to_limit()
        return clock

    @contextmanager
    def preserved(self, rng: np.random.Generator | None = None) -> Iterator[None]:
        """Undoes what decisions change: the generator, the budget, the measured speed. Meanwhile samples are
        drawn from `rng`, by default from a copy of the generator."""
        before = self.rng, self._budget, self.tracker.options, self._seconds_a_board
        self.rng = rng or deepcopy(self.rng)
        try:
            yield
        finally:
            self.rng, self._budget, self.tracker.options, self._seconds_a_board = before

    def ponder(self, stop: Event | None = None) -> None:
        """Computes the successors of an opponent's move without a capture, the most frequent case. The
        computation is not stopped once it runs: the turn needs its result."""
        if stop is None or not stop.is_set():
            self.tracker.precompute_successors()

    def close(self) -> None:
        """Closes the evaluator."""
        self.evaluator.close()

    @property
    def memory_bytes(self) -> int:
        """About what the possible boards and the last ratings hold; 0 before the first game."""
        sample, tracked = self.last_sample, self.tracker.memory_bytes if hasattr(self, "tracker") else 0
        return tracked + (0 if sample is None else sample.win_probability.nbytes + sample.evaluations.nbytes)

    @property
    def search_bytes(self) -> int:
        """About what an expansion of as many boards as are tracked takes."""
        return self.options.boards * (BOARD_BYTES + EXPANSION_BYTES)

    @property
    def boards_text(self) -> str:
        """The number of possible boards in words."""
        count = len(self.tracker.boards)
        return f"{count:,} possible board{'' if count == 1 else 's'}"

    def certain_sense(self) -> Decision | None:
        """The decision if all boards look alike, or if after a sense the king is captured for certain on all
        boards, or on all of a sample; else None."""
        why, boards = self.boards_text, self.tracker.boards
        if not self._sense_statistics().undominated:
            alike = "" if len(boards) == 1 else ", which look alike"
            return Decision(NO_SENSE, {NO_SENSE: 1.0}, f"{why}{alike}")
        where = "all of them"
        if len(boards) > _MAX_WIN_SEARCH_BOARDS:
            boards = boards.subsample(_MAX_WIN_SEARCH_BOARDS, self._draw())
            where = f"all of a sample of {len(boards):,}"
        for square in winning_senses(boards, self._tracker_options.threads):
            return Decision(SENSE + square, {SENSE + square: 1.0}, f"{why}, and the king is found on {where}")
        return None

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
        return sense_statistics(boards, self._tracker_options.threads)

    def choose(self, legal_moves: Sequence[Move], clock: Clock | None) -> Decision:
        """A sense or a move request, whichever is due, by the ratings alone. `clock` is that of
        `follow_clock`."""
        return self._sense(clock) if legal_moves[-1] == NO_SENSE else self._move(legal_moves, clock)

    def _sense(self, clock: Clock | None) -> Decision:
        if (certain := self.certain_sense()) is not None:
            return certain
        squares, values = self.rate_senses(self.planned_seconds(clock, 0.3))
        move = SENSE + squares[int(np.argmax(values))]
        return Decision(move, {move: 1.0}, self.boards_text)

    def rate_senses(
        self, planned: float | None, likely: LikelyBoards | None = None
    ) -> tuple[tuple[int, ...], NDArray[np.float64]]:
        """The squares of the undominated senses and the values of these senses, in win probability.

        `planned` is the time in seconds; None evaluates as many boards as configured. With `likely` boards,
        their entropy counts, too.
        """
        senses = self._sense_statistics()
        if self._budget.evaluated < 2:  # one board does not tell what a sense changes
            return senses.undominated, senses.entropies[list(senses.undominated)]
        for sample in self._deepening(self.options.sense_boards, planned, likely):
            partition, weights = sample.boards.partition, sample.weights
            values = sense_values(sample.win_probability, weights, partition, senses.undominated)
            entropies = senses.entropies[list(senses.undominated)]
            if likely is not None:
                weighted = sense_entropies(weights, partition, senses.undominated)
                entropies = (1 - likely.weight) * entropies + likely.weight * weighted
            values = values + self.options.information_weight * entropies
            if likely is not None and _leads(values):
                break
        return senses.undominated, values

    def _move(self, legal_moves: Sequence[Move], clock: Clock | None) -> Decision:
        if (certain := self.certain_move(legal_moves)) is not None:
            return certain
        if not self._budget.evaluated:
            move = legal_moves[int(self.rng.integers(len(legal_moves)))]
            return Decision(move, {move: 1.0}, "has no time")
        requests, values, means = self.rate_requests(self.planned_seconds(clock, 0.7))
        allowed = np.isin(requests, np.asarray(legal_moves))
        if not allowed.any():  # only if its own pieces stand elsewhere than it believes
            move = legal_moves[int(self.rng.integers(len(legal_moves)))]
            return Decision(move, {move: 1.0}, "has lost track")
        values[~allowed] = -np.inf
        best = int(np.argmax(values))
        move = int(requests[best])
        reason = f"{means[best]:.0%} over {self.boards_text}"
        return Decision(move, {move: 1.0}, reason)

    def rate_requests(
        self, planned: float | None, likely: LikelyBoards | None = None
    ) -> tuple[NDArray[np.uint16], NDArray[np.float64], NDArray[np.float64]]:
        """All requests, their values, and their mean win probabilities; arguments as in `rate_senses`."""
        for sample in self._deepening(self.options.move_boards, planned, likely):
            weighted_worst = likely is not None
            values = request_values(sample.win_probability, sample.weights, self.options, weighted_worst)
            if likely is not None and _leads(values):
                break
        return sample.evaluations.requests, values, sample.weights @ sample.win_probability

    def _deepening(
        self, most: int, planned: float | None, likely: LikelyBoards | None
    ) -> Iterator[EvaluatedSample]:
        """Evaluates a sample of the boards, or the likely ones and a sample of the others:
        at the configured depth, then deeper step by step as far as `planned` seconds allow."""
        boards, count = self.tracker.boards, self._count(most, planned)
        attacked = boards.with_king_attacked()
        if likely is None:
            rated = self._sample(count, attacked)
        elif likely.weight < 1:
            others = max(count - len(likely.boards), self._budget.evaluated)
            rated = self._sample(others, attacked).union(likely.boards)
        else:
            rated = likely.boards
        for evaluations in self._evaluate(rated, planned, None if likely is None else likely.boards):
            rate = self._unseen_attack_rate()
            win_probability = win_probabilities(evaluations.scores, evaluations.attacks, rate)
            in_danger = evaluations.scores[:, 0] <= 1 - WIN  # the first request, the pass, loses the king
            weights = likelihoods(
                win_probability,
                in_danger,
                len(attacked) / len(boards),
                self.options.opponent_rationality,
                self.options.king_danger_weight,
            )
            if likely is not None:
                weights *= 1 - likely.weight
                weights[rated.indices(likely.boards)] += likely.weight * likely.shares / likely.shares.sum()
            self.last_sample = EvaluatedSample(rated, evaluations, win_probability, weights)
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
        grown = _RATE_STEP * max(0, self._quiet_turns - _QUIET_TURNS)
        return min(1.0, self.options.unseen_attack_rate + grown)

    def _evaluate(
        self, boards: RbcBoardSet, planned: float | None, likely: RbcBoardSet | None = None
    ) -> Iterator[BoardEvaluations]:
        """Evaluates boards, deeper step by step as far as `planned` seconds allow; the last step, if there is
        no time for all of them, only on some of the `likely` ones."""
        began = time.perf_counter()
        reduction = self._budget.depth_reduction
        evaluations = self._evaluate_at(boards, -reduction)
        spent = time.perf_counter() - began
        if not reduction:
            self._seconds_a_board += 0.5 * (spent / len(boards) - self._seconds_a_board)
        yield evaluations
        for extra_depth in range(1, _MAX_EXTRA_DEPTH + 1):
            now = time.perf_counter()
            if planned is None:
                return
            if now + spent * self.evaluator.cost_ratio > began + planned:
                count = int(len(boards) * (began + planned - now) / (spent * self.evaluator.cost_ratio))
                if likely is not None and count >= _LEAST_DEEPENED * len(likely):
                    part = likely.subsample(count, self._draw())
                    yield _replaced(evaluations, boards.indices(part), self._evaluate_at(part, extra_depth))
                return
            evaluations = self._evaluate_at(boards, extra_depth)
            spent = time.perf_counter() - now
            yield evaluations

    def _evaluate_at(self, boards: RbcBoardSet, extra_depth: int) -> BoardEvaluations:
        """Evaluates boards at a depth. Raises Stopped."""
        if self.stop is None or len(boards) <= _AT_ONCE:
            return self.evaluator.evaluate(boards, extra_depth)
        states = boards.sample(len(boards), 0)
        rows, parts = [], []
        for first in range(0, len(states), _AT_ONCE):
            if self.stop.is_set():
                raise Stopped
            part = RbcBoardSet.of(states[first : first + _AT_ONCE], boards.player)
            rows.append(boards.indices(part))
            parts.append(self.evaluator.evaluate(part, extra_depth))
        order = np.argsort(np.concatenate(rows))
        scores = np.concatenate([part.scores for part in parts])[order]
        attacks = np.concatenate([part.attacks for part in parts])[order]
        return BoardEvaluations(parts[0].requests, scores, attacks)

    def planned_seconds(self, clock: Clock | None, share: float) -> float | None:
        """Seconds for a part of this turn; None without a clock."""
        if clock is None:
            return None
        if clock.remaining < LOW_TIME_SECONDS:
            return 0.0
        return share * allocate_time(replace(clock, remaining=clock.remaining - LOW_TIME_SECONDS / 2))

    def likely_count(self, moving: bool, planned: float | None, weight: float) -> int:
        """Number of likely boards with this weight that ratings of `planned` seconds evaluate."""
        count = self._count(self.options.move_boards if moving else self.options.sense_boards, planned)
        return max(round(count * weight), self._budget.evaluated, 1)

    def _count(self, most: int, planned: float | None) -> int:
        """Number of boards to evaluate: as many as fit into `planned` seconds, by the time of earlier
        evaluations."""
        if planned is None:
            return most
        return int(np.clip(planned / self._seconds_a_board, min(self._budget.evaluated, most), most))

    def _draw(self) -> int:
        return int(self.rng.integers(2**63))


def _replaced(
    evaluations: BoardEvaluations, rows: NDArray[np.int64], deeper: BoardEvaluations
) -> BoardEvaluations:
    """The evaluations with those of some boards replaced."""
    scores, attacks = evaluations.scores.copy(), evaluations.attacks.copy()
    scores[rows], attacks[rows] = deeper.scores, deeper.attacks
    return BoardEvaluations(evaluations.requests, scores, attacks)


def _leads(values: NDArray[np.float64]) -> bool:
    """Whether the best value is clearly above the second."""
    if len(values) < 2:
        return True
    second, best = np.partition(values, -2)[-2:]
    return bool(best - second >= _CLEAR_LEAD)
