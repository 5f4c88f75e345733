"""Planners over all possible boards and the opponent's beliefs: deep synoptic Monte Carlo planning (Clark
2021), and the bot `planner`, which rates requests over the belief of that algorithm and adds short playouts.

The native `RbcPlanner` has the algorithms; this module has the order of a turn, the clock, and the choice.
`BoardKnowledge` tracks the possible boards and rates actions over them.
"""

from __future__ import annotations

import math
import os
import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from threading import Event
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta
from numpy.typing import NDArray

from sparring._core import RbcPlanner, RbcPlannerConfig, RbcState
from sparring.base.config import Fraction, PositiveInt, native_option, native_values
from sparring.games import Move
from sparring.players.player import Decision, GameStart, Player, Turn
from sparring.rbc.evaluators import NetworkEvaluator
from sparring.rbc.game import NO_SENSE, PASS, SENSE, MoveResult, Observation, OpponentMoveResult
from sparring.rbc.knowledge import TIME_TROUBLE_SECONDS, BoardKnowledge, LikelyBoards, Stopped
from sparring.rbc.tracker import BOARD_BYTES
from sparring.search import Clock

# The result of a planner's search, the scores of its actions, and whether the choice is settled.


_LEAST_RATING_SHARE = 0.25
"""A rating counts for at least this share of the playouts: more playouts make the tree less noisy, but do not
correct its evaluations."""
_TOLERANCE = 0.005
"""Win probability that a wrong choice may cost for the search to end early."""
_STANDARD_ERRORS = 2.0
"""The search ends early if the best action leads by so many standard errors, minus the tolerance."""


@dataclass(frozen=True)
class PlannedActions:
    """Result of a search: the actions of the root. Arrays have shape [actions]."""

    actions: NDArray[np.int64]
    priors: NDArray[np.float64]
    visits: NDArray[np.float64]
    values: NDArray[np.float64]
    """Mean values for the player from -1 to 1, NaN without visits."""
    worst: NDArray[np.float64]
    """Smallest values seen."""
    root_value: float
    """The network's value."""
    playouts: int
    nodes: int
    ratings: NDArray[np.float64] | None = None
    """Ratings of the actions over possible boards, in win probability; None if they are not used."""

    @property
    def won(self) -> NDArray[np.float64]:
        """Mean win probabilities of the playouts; 1/2 without visits."""
        return np.asarray((1 + np.nan_to_num(self.values)) / 2)


def action_scores(search: PlannedActions, rating_visits: float) -> NDArray[np.float64]:
    """Scores of the root's actions: the total win probability of the playouts (the paper's argmax of Q at the
    root), or with ratings the mean of ratings and playouts."""
    won, visits = search.won, search.visits
    if search.ratings is None or not rating_visits:
        return np.asarray(visits * won + 1e-3 * search.priors)
    # Playouts of all actions together are made to agree with the ratings, so that only differences count.
    bias = float((visits * (search.ratings - won)).sum() / max(visits.sum(), 1.0))
    counts = _rating_counts(search, rating_visits)
    return np.asarray((counts * search.ratings + visits * (won + bias)) / (counts + visits))


def is_settled(search: PlannedActions, rating_visits: float, remaining: float) -> bool:
    """Whether `remaining` more playouts are not worth their time.

    Without ratings: the best action can no longer be overtaken (smart pruning in Lc0). With ratings: it leads
    each other action by two standard errors of their difference, or would cost little if it were wrong.
    """
    scores = action_scores(search, rating_visits)
    best = int(np.argmax(scores))
    leads = np.delete(scores[best] - scores, best)
    if search.ratings is None or not rating_visits:
        return bool((leads > remaining).all())
    visits = search.visits
    smoothed = (visits * search.won + 1) / (visits + 2)
    share = visits / (_rating_counts(search, rating_visits) + visits)
    variances = share**2 * smoothed * (1 - smoothed) / np.maximum(visits, 1.0)
    errors = np.sqrt(variances[best] + np.delete(variances, best))
    return bool((leads + _TOLERANCE > _STANDARD_ERRORS * errors).all())


def _rating_counts(search: PlannedActions, rating_visits: float) -> float:
    """Playouts that a rating counts for."""
    return max(rating_visits, _LEAST_RATING_SHARE * float(search.visits.sum()))


_SENSE_SHARE, _MOVE_SHARE = 0.4, 0.5
"""Shares of a turn's time for the choice of the sense and of the move; the rest is for tracking."""
_PONDER_SHARE = 0.05
"""Share of the remaining time that pondering may take: a front end may wait for its end."""
_BELIEF_SHARE = 0.5
"""Share of a decision's time for the opponent's turn, unless pondering has evaluated it."""
_LEAST_PLAYOUTS = 64
"""Playouts before a search with a clock may end because its choice is settled."""
_EXPECTED_TURNS = 12
"""Turns over which the time beyond the reserve is spread. A longer game lives on its increments."""
_RESERVE_SECONDS = 1.0
"""Time above time trouble, beside an increment, that is kept for turns that take longer than planned."""
_LONG_GAME_TURNS = 100
"""Turns whose cost is kept on a server that is so slow that a turn costs more than its increment."""
_INCREMENT_SHARE, _MOST_SHARE = 0.9, 0.3
"""Share of the increment that a turn takes, and the most of the time beyond the reserve."""
_LEAST_BELIEF_SECONDS = 1.0
"""Below this time on the clock the belief is not followed. It begins anew when there is more time."""
_MAX_SLOWDOWN, _LEAST_MEASURED = 10.0, 0.01
"""Bound of the measured slowdown, and processor time in seconds that a decision needs to measure it."""
_RATING_TEMPERATURE = 0.02
"""Softmax temperature, in win probability, that turns ratings into prior weights."""

_SLOT_BYTES, _NODE_BYTES = 184, 1024
"""Bytes of an empty slot of the table, and about what the actions of a node take."""

_CHANGED_BY_DECISIONS = (
    "planner", "last_search", "_ponder_seconds", "_slowdown", "_follows_belief"
)  # fmt: skip


def _native(name: str) -> Any:
    return native_option(RbcPlannerConfig, name)


@dataclass(frozen=True)
class PaperVariants:
    """The keys of the table `[planner.paper]`: what the paper varies in its tables 3 and 4, and we do not."""

    caution: float = _native("caution")
    paranoia: float = _native("paranoia")
    avop: bool = _native("avop")
    untried_first: bool = _native("untried_first")
    static_analysis: bool = _native("static_analysis")
    bandit_belief: bool = _native("bandit_belief")


@dataclass(frozen=True)
class PlannerOptions:
    """The keys of the table `[planner]`: constants of the paper's table 5, and ours."""

    network: str = ""
    """Path of the network; without it the shipped one."""
    backend: Literal["onnxruntime", "openvino", "torch"] = "onnxruntime"
    """Runtime of the network."""
    playouts: PositiveInt = 256
    """Playouts for a decision without a clock."""
    seconds: Annotated[float, Meta(ge=0, le=3600)] = 0.0
    """Most time of a turn, in place of `playouts`; 0 for no such limit."""
    batch: int = _native("batch")
    exploration: float = _native("exploration")
    mixing: float = _native("mixing")
    sense_depth: int = _native("sense_depth")
    move_depth: int = _native("move_depth")
    states: int = _native("states")
    particles: int = _native("particles")
    persistence: int = _native("persistence")
    native_weight: float = _native("native_weight")
    belief_noise: float = _native("belief_noise")
    attack_weight: float = _native("attack_weight")
    rationality: float = _native("rationality")
    table_size: int = _native("table_size")
    inference_weight: Fraction = 0.0
    """Weight of the best rated actions in the prior of the root: ratings are those of the inference bot."""
    rating_visits: Annotated[float, Meta(ge=0, le=1_000_000)] = 0.0
    """Playouts that the rating of an action counts for in the decision, if there are few."""
    rating_share: Fraction = 0.4
    """Share of a move's time for ratings; 1 leaves no playouts. Senses with ratings need none."""
    belief_weight: Fraction = 0.5
    """Weight of the belief in ratings, against a sample of all possible boards."""
    ponder: bool = True
    """Computes the opponent's possible turns on its time."""
    paper: PaperVariants = field(default_factory=PaperVariants)
    """Variants of the paper, for studies."""

    def native(self, threads: int) -> RbcPlannerConfig:
        """The configuration of the native planner."""
        return RbcPlannerConfig(threads=threads, **native_values(self), **native_values(self.paper))


def turn_seconds(clock: Clock) -> float:
    """Seconds for a turn: a share of what is left beyond a reserve, and most of the increment.

    A negative increment is what a turn costs beyond its thinking, on a slow server. In a game of usual length
    most of the time is spent; in any, the reserve remains. Least is a fiftieth of the clock, because a belief
    needs some inference, or the increment up to a tenth of the clock.
    """
    increment, cost = max(clock.increment, 0.0), max(-clock.increment, 0.0)
    reserve = TIME_TROUBLE_SECONDS + _RESERVE_SECONDS + increment + _LONG_GAME_TURNS * cost
    spare = max(clock.remaining - reserve, 0.0)
    planned = min(spare / _EXPECTED_TURNS + _INCREMENT_SHARE * increment, _MOST_SHARE * spare)
    return max(planned, 0.02 * clock.remaining, min(0.8 * increment, 0.1 * clock.remaining), 0.0)


class PlannerBot(Player):
    """Plays by DSMCP, or by ratings over its belief. The knowledge is closed with the bot."""

    def __init__(
        self,
        options: PlannerOptions,
        knowledge: BoardKnowledge,
        evaluator: NetworkEvaluator,
        threads: int = 1,
    ) -> None:
        super().__init__("planner")
        self.options, self.knowledge, self.evaluator = options, knowledge, evaluator
        self._config = options.native(threads or os.cpu_count() or 1)
        self.last_search: PlannedActions | None = None
        """The last search, for explanations; None if the last decision needed none."""

    def new_game(self, start: GameStart) -> None:
        """Begins with the initial board."""
        super().new_game(start)
        self.knowledge.new_game(start.player or 0, np.random.default_rng(self._draw()))
        self.evaluator.recognise(start.opponent)
        self.planner = self._new_planner(RbcState.initial())
        self._restarts = 0
        self._follows_belief = True
        self._ponder_seconds = math.inf
        self._slowdown = 1.0  # wall time of a decision over the processor time of all threads

    def observe(self, observation: Observation) -> None:
        """Updates the possible boards and the belief. After lost observations both begin anew."""
        self.knowledge.observe(observation)
        if not self._follows_belief:
            return
        if self.knowledge.restarts > self._restarts:
            self._restart_belief()
        elif isinstance(observation, MoveResult):
            taken = PASS if observation.taken is None else observation.taken
            self.planner.moved(observation.request, taken, observation.capture_square)
        elif isinstance(observation, OpponentMoveResult):
            self.planner.opponent_moved(observation.capture_square)

    def choose(self, turn: Turn) -> Decision:
        """Returns a sense or a move request, whichever is due."""
        self._catch_up(turn)
        wall, processor = time.perf_counter(), time.process_time()
        self.knowledge.stop = turn.stop
        try:
            decision = self._choose(turn)
        finally:
            self.knowledge.stop = None
        wall, processor = time.perf_counter() - wall, time.process_time() - processor
        if processor > _LEAST_MEASURED:
            slowdown = min(max(wall / processor, 1.0), _MAX_SLOWDOWN)
            self._slowdown += 0.5 * (slowdown - self._slowdown)
        return decision

    def _catch_up(self, turn: Turn) -> None:
        for lost in self.knowledge.lost_observations(turn):
            self.observe(lost)

    def _choose(self, turn: Turn) -> Decision:
        self.last_search = None
        clock = self.knowledge.follow_clock(turn.limits.clock)
        if clock is not None:
            self._ponder_seconds = _PONDER_SHARE * clock.remaining
            seconds = clock.remaining / self._slowdown
            if seconds < TIME_TROUBLE_SECONDS:
                return self._choose_in_time_trouble(turn, replace(clock, remaining=seconds))
        if not self._follows_belief:
            self._restart_belief()
        moving = turn.legal_moves[-1] != NO_SENSE
        share = _MOVE_SHARE if moving else _SENSE_SHARE
        certain = self._certain_action(turn.legal_moves, moving)
        if certain is not None:
            return certain
        planned = None if clock is None else share * turn_seconds(clock)
        if self.options.seconds:
            planned = min(math.inf if planned is None else planned, share * self.options.seconds)
        return self._decide(turn.legal_moves, self._search(moving, planned, turn.stop), moving, planned)

    def _certain_action(self, legal_moves: Sequence[Move], moving: bool) -> Decision | None:
        """The static analysis of section 5.4 at the root: the action that forces a win, or None."""
        if not self.options.paper.static_analysis:
            return None
        return self.knowledge.certain_move(legal_moves) if moving else self.knowledge.certain_sense()

    def _choose_in_time_trouble(self, turn: Turn, clock: Clock) -> Decision:
        """The decision by ratings alone, which needs a fifth of the processor's time or less.

        On a machine with other work, `clock` has the share of the time that the bot gets."""
        self._ponder_seconds = 0.0
        if clock.remaining < _LEAST_BELIEF_SECONDS:
            self._follows_belief = False
        elif self._follows_belief:
            self.draw_belief(time.perf_counter())  # as far as it is known, for the next turn
        return self.knowledge.choose(turn.legal_moves, self.knowledge.follow_clock(clock))

    def hint(self, turn: Turn) -> Decision:
        """The move of `choose` with a copy of the planner, without its effects."""
        self._catch_up(turn)
        before = {name: getattr(self, name) for name in _CHANGED_BY_DECISIONS}
        self.planner = self.planner.copy()
        try:
            with self.knowledge.preserved():
                return super().hint(turn)
        finally:
            vars(self).update(before)

    def ponder(self, stop: Event | None = None) -> None:
        """Computes the successors of our move, and what the opponent may sense and move after it."""
        self.knowledge.ponder(stop)
        if self.options.ponder and self._ponder_seconds > 0:
            self._complete_belief(time.perf_counter() + self._ponder_seconds, stop)

    @property
    def memory_bytes(self) -> int:
        """About what the possible boards, the network, the belief and the table hold."""
        nodes = self.planner.tree_size if hasattr(self, "planner") else 0
        known = self.knowledge.memory_bytes + self.evaluator.memory_bytes
        return known + self._belief_bytes + self._table_bytes(nodes)

    @property
    def search_bytes(self) -> int:
        """About what the possible boards, the belief and a full table take."""
        return self.knowledge.search_bytes + self._belief_bytes + self._table_bytes(self.options.table_size)

    @property
    def _belief_bytes(self) -> int:
        """Bytes of the particles, and of the candidates for the next ones."""
        return 2 * self.options.particles * (self.options.states * BOARD_BYTES + _NODE_BYTES)

    def _table_bytes(self, nodes: int) -> int:
        return self.options.table_size * _SLOT_BYTES + nodes * _NODE_BYTES

    def close(self) -> None:
        """Closes the evaluator of boards."""
        self.knowledge.close()

    def _restart_belief(self) -> None:
        """Begins anew with a single board, of those that are possible now."""
        self._restarts = self.knowledge.restarts
        self._follows_belief = True
        self.planner = self._new_planner(self.knowledge.tracker.boards.sample(1, self._draw())[0])

    def _new_planner(self, state: RbcState) -> RbcPlanner:
        return RbcPlanner(self._config, self.knowledge.player, state, self._draw())

    def draw_belief(self, ends: float | None = None) -> None:
        """Draws the particles that agree with the possible boards. Ends a search.

        `ends` is the time, of `time.perf_counter`, after which the opponent's turn is not evaluated further.
        """
        self._complete_belief(ends)
        self.planner.draw(self.knowledge.tracker.boards, self.knowledge.tracker.exact)

    def _complete_belief(self, ends: float | None = None, stop: Event | None = None) -> None:
        """Evaluates the opponent's possible turns, as far as they are not known yet."""
        self.planner.end_search()
        stop = stop or self.knowledge.stop
        while (ends is None or time.perf_counter() < ends) and not (stop and stop.is_set()):
            if not self._step():
                return

    def _step(self) -> bool:
        """Evaluates one batch. Returns False if there is nothing to evaluate."""
        synopses, opponent = self.planner.select()
        if not len(synopses):
            return False
        self.planner.evaluate(*self.evaluator.evaluate(synopses, opponent))
        return True

    def _search(self, moving: bool, planned: float | None, stop: Event | None) -> PlannedActions:
        """Draws the belief and runs playouts for `planned` seconds, or the configured number of them."""
        ends = None if planned is None else time.perf_counter() + planned
        self.draw_belief(None if planned is None else time.perf_counter() + _BELIEF_SHARE * planned)
        self.planner.begin_search(self.knowledge.tracker.boards, moving)
        self._step()  # the policy of the root
        try:
            ratings = self._rate(moving, None if ends is None else max(ends - time.perf_counter(), 0.0))
        except Stopped:
            ratings = None
        alone = len(self.planner.root_actions()[0]) == 1
        decided = ratings is not None and self.options.rating_visits > 0
        rated = decided and (self.options.rating_share == 1 or not moving)
        if not (alone or rated):
            self._play_out(ends, stop, ratings)
        self.last_search = self._planned_actions(ratings)
        return self.last_search

    def _planned_actions(self, ratings: NDArray[np.float64] | None) -> PlannedActions:
        counts = self.planner.value, self.planner.playouts, self.planner.nodes
        return PlannedActions(*self.planner.root_actions(), *counts, ratings)

    def _play_out(self, ends: float | None, stop: Event | None, ratings: NDArray[np.float64] | None) -> None:
        """Runs the configured number of playouts, or until `ends` or until the choice is settled."""
        began, next_check = time.perf_counter(), _LEAST_PLAYOUTS
        while stop is None or not stop.is_set():
            now, playouts = time.perf_counter(), self.planner.playouts
            if playouts >= self.options.playouts if ends is None else now > ends:
                return
            if ends is not None and playouts >= next_check:
                next_check = playouts + playouts // 4
                remaining = playouts * (ends - now) / (now - began)
                if is_settled(self._planned_actions(ratings), self.options.rating_visits, remaining):
                    return
            self._step()

    def _rate(self, moving: bool, planned: float | None) -> NDArray[np.float64] | None:
        """Ratings of the root's actions, over boards of the belief and others. Mixes their softmax into the
        root's prior."""
        weight = self.options.inference_weight
        if not (weight or self.options.rating_visits):
            return None
        share = planned
        if share is not None and moving:
            share *= self.options.rating_share
        actions, priors, *_ = self.planner.root_actions()
        count = self.knowledge.likely_count(moving, share, self.options.belief_weight)
        likely = LikelyBoards(*self.planner.particle_boards(count), self.options.belief_weight)
        if moving:
            requests, values, _ = self.knowledge.rate_requests(share, likely)
            rated = dict(zip(requests.tolist(), values.tolist(), strict=True))
        else:
            squares, values = self.knowledge.rate_senses(share, likely)
            rated = {SENSE + square: value for square, value in zip(squares, values.tolist(), strict=True)}
        ratings = np.array([rated.get(action, -1.0) for action in actions.tolist()])
        best = np.exp((ratings - ratings.max()) / _RATING_TEMPERATURE)
        mixed = (1 - weight) * priors + weight * best / best.sum()
        self.planner.set_priors(mixed.astype(np.float32))
        return ratings

    def _decide(
        self, legal_moves: Sequence[Move], search: PlannedActions, moving: bool, planned: float | None
    ) -> Decision:
        """The action with the greatest total win probability (the paper's argmax of Q at the root)."""
        allowed = np.isin(search.actions, np.asarray(legal_moves))
        if not allowed.any():  # only if its own pieces stand elsewhere than it believes
            move = legal_moves[int(self._rng.integers(len(legal_moves)))]
            return Decision(move, {move: 1.0}, "has lost track")
        scores = action_scores(search, self.options.rating_visits)
        scores[~allowed] = -np.inf
        best = int(np.argmax(scores))
        move = int(search.actions[best])
        value = float(np.nan_to_num(search.values[best], nan=search.root_value))
        count = self.knowledge.boards_text
        if search.ratings is not None and not search.playouts:
            with_bonus = "" if moving else " with its information"
            reason = f"rated {search.ratings[best]:.0%}{with_bonus} over {count}"
        else:
            reason = f"{(1 + value) / 2:.0%} over {count}, {search.playouts:,} playouts"
        return Decision(move, {move: 1.0}, reason, value)

    def _draw(self) -> int:
        return int(self._rng.integers(2**63))
