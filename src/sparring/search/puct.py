"""PUCT search: a native tree, and whoever judges its leaves.

The search knows no networks: it is given a function from states to predictions. Selection, priors and the
choice of a move are arguments (`PuctConfig`, `sparring.search.move_selection`); ACE, KL-regularised search
and
plain AlphaZero differ in nothing else.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctParams
from sparring.games import Move
from sparring.networks.prediction import Prediction

Evaluator = Callable[[Sequence[Any]], Sequence[Prediction]]
"""What each of some states is worth, and what is likely to be played there."""

_POLL_SECONDS = 0.005
"""Seconds between looks at whether to stop."""


@dataclass(frozen=True)
class PuctConfig:
    """The arguments of the search. c_puct and the prior's temperature are those of the ACE paper."""

    c_puct: float = 1.5
    """Exploration; infinity goes by the prior alone."""
    c_base: float = 0.0
    """Where above 0, c_puct grows by c_factor * log((visits + c_base + 1) / c_base), as in AlphaZero."""
    c_factor: float = 0.0
    prior_temperature: float = 1.0
    """t: priors are p^(1/t), brought back to a sum of 1."""
    fpu_reduction: float = 0.3
    """First-play urgency: an unvisited move is worth the parent's value less this times the square root of
    the priors already visited, ..."""
    fpu_absolute: bool = False
    """... or, where this is true, just this."""
    find_immediate_wins: bool = True
    """Whether moves of the root that win at once are seen, however unlikely they are."""
    repetition_draws: bool = True
    """Whether a position that came up before in the tree, or twice before in the game, counts as drawn."""
    draw_value: float = 0.0
    """What a draw is worth to the player who thinks, from -1 to 1."""
    noise: float = 0.0
    """The share of Dirichlet noise in the root's priors: for self-play."""
    noise_alpha: float = 0.3
    batch: int = 16
    """Leaves that are judged together."""
    memory: int = 512
    """Megabytes that the tree may take."""

    def params(self) -> PuctParams:
        """As the native tree takes them. Raises ValueError."""
        if not self.c_puct >= 0 or not self.prior_temperature > 0 or self.batch < 1 or self.memory < 1:
            raise ValueError("c_puct is not below 0; the prior's temperature, batch and memory are above 0")
        return PuctParams(
            c_puct=self.c_puct,
            c_base=self.c_base,
            c_factor=self.c_factor,
            prior_temperature=self.prior_temperature,
            fpu_absolute=self.fpu_absolute,
            fpu_reduction=self.fpu_reduction,
            find_immediate_wins=self.find_immediate_wins,
            repetition_draws=self.repetition_draws,
            draw_value=self.draw_value,
            memory=self.memory << 20,
        )


@dataclass(frozen=True)
class Budget:
    """How long to search: so many visits of the root, so many seconds, or both; neither is until stopped."""

    nodes: int | None = None
    seconds: float | None = None


@dataclass(frozen=True)
class SearchResult:
    """What a search knows of the root's moves, in ascending order."""

    moves: NDArray[np.int64]
    priors: NDArray[np.float64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    """For the side to move, from -1 to 1; NaN where a move was not visited."""
    forced: NDArray[np.int64]
    """Plies to the end that a move forces, below 0 to a loss; 0 where no winner is certain."""
    value: float
    """Of the root, for its side to move; 1 or -1 where the winner is certain."""
    nodes: int
    """Visits of the root, those of earlier searches included."""
    new_visits: int
    """Visits of this search."""
    depth: int
    seconds: float
    principal_variation: Callable[[Move], list[Move]]
    """The most visited line that begins with a move, a forced end played out; good until the next search."""
    evaluation: Prediction | None
    """What the judge said of the root, where it was asked in this search or an earlier one."""
    memory_used: float = 0.0
    """The share of the memory allowed that the tree takes."""

    def ranked(self) -> NDArray[np.int64]:
        """The indices of the moves, the most visited first; of equals the likelier.

        Moves that win by force come before all others, the quickest first, and moves that lose by force after
        them, the quickest last.
        """
        return np.lexsort((-self.priors, -self.visits, self.forced, -np.sign(self.forced)))


class Puct:
    """A search that keeps its tree from move to move."""

    def __init__(
        self, evaluator: Evaluator, settings: PuctConfig | None = None, rng: np.random.Generator | None = None
    ) -> None:
        self.settings = settings or PuctConfig()
        self._evaluator, self._params = evaluator, self.settings.params()
        self._rng = rng or np.random.default_rng()
        self._tree: Any = None
        self._evaluation: Prediction | None = None
        self._worker = ThreadPoolExecutor(1, thread_name_prefix="evaluator")

    def search(
        self,
        state: Any,
        budget: Budget,
        *,
        searchmoves: Sequence[Move] = (),
        stop: Event | None = None,
        report: Callable[[SearchResult], None] | None = None,
        every: float = 1.0,
    ) -> SearchResult:
        """Searches a state whose game goes on; `report` hears of it every so many seconds.

        `searchmoves` are the moves of the root to search. Setting `stop` ends it within milliseconds. What an
        earlier search knows of the state is kept. A search in which the end of every move has become certain
        is over early. Raises ValueError where the game is over.
        """
        if state.outcome is not None:
            raise ValueError(f"there is nothing to search: the game is over ({state.outcome.reason})")
        started = time.perf_counter()
        tree = self._tree_at(state)
        before, reported = tree.visits, started
        tree.restrict(list(searchmoves))
        if before == 0:
            self._simulate(tree, 1, stop)
        if self.settings.noise and tree.visits:
            self._add_noise(tree)
        while not _ended(tree, before, budget, started, stop):
            left = self.settings.batch if budget.nodes is None else budget.nodes - (tree.visits - before)
            if not self._simulate(tree, min(self.settings.batch, left), stop):
                break
            if report is not None and time.perf_counter() - reported >= every:
                reported = time.perf_counter()
                report(self._result(before, started))
        return self._result(before, started)

    def _simulate(self, tree: Any, count: int, stop: Event | None) -> bool:
        """Up to `count` more visits; whether there were any."""
        before = tree.visits
        leaves = tree.select(count, count)
        if not leaves:
            return bool(tree.visits > before)
        try:
            predictions = (
                self._evaluator(leaves) if stop is None else self._evaluate_unless_stopped(stop, tree, leaves)
            )
        except BaseException:
            tree.cancel()
            raise
        if predictions is None:
            tree.cancel()
            return False
        if before == 0:
            self._evaluation = predictions[0]
        values = [_value(prediction) for prediction in predictions]
        priors = np.concatenate([prediction.probabilities for prediction in predictions])
        tree.evaluate(np.ascontiguousarray(priors, np.float32), np.array(values, np.float32))
        return True

    def _evaluate_unless_stopped(
        self, stop: Event, tree: Any, leaves: list[Any]
    ) -> Sequence[Prediction] | None:
        """What the judge says, or None where it is told to stop first; the root itself is waited for."""
        running = self._worker.submit(self._evaluator, leaves)
        while not running.done():
            wait([running], _POLL_SECONDS)
            if stop.is_set() and tree.visits:
                return None
        return running.result()

    def _tree_at(self, state: Any) -> Any:
        """The tree of the last search, brought to the state if that grew from its root; else a new one."""
        if self._tree is not None and type(self._tree.root) is type(state):
            moves: list[Move] = []
            at = state
            while at is not None and at.ply > self._tree.root.ply:
                moves.append(at.last_move)
                at = at.previous
            if at is not None and at.ply == self._tree.root.ply and at == self._tree.root:
                for move in reversed(moves):
                    self._tree.advance(move)
                    self._evaluation = None
                return self._tree
        self._evaluation = None
        self._tree = state.tree(self._params)
        return self._tree

    def _add_noise(self, tree: Any) -> None:
        count = len(tree.root_moves()[0])
        noise = self._rng.dirichlet(np.full(count, self.settings.noise_alpha))
        tree.add_noise(noise.astype(np.float32), self.settings.noise)

    def _result(self, before: int, started: float) -> SearchResult:
        tree = self._tree
        moves, priors, visits, values, forced = tree.root_moves()
        seconds = time.perf_counter() - started
        new_visits = tree.visits - before
        return SearchResult(
            moves, priors, visits, values, forced, tree.value, tree.visits, new_visits, tree.max_depth,
            seconds,
            tree.pv, self._evaluation, min(tree.bytes / (self.settings.memory << 20), 1.0),
        )  # fmt: skip


def _ended(tree: Any, before: int, budget: Budget, started: float, stop: Event | None) -> bool:
    if stop is not None and stop.is_set():
        return True
    if budget.nodes is not None and tree.visits - before >= budget.nodes:
        return True
    return budget.seconds is not None and time.perf_counter() - started >= budget.seconds


def _value(prediction: Prediction) -> float:
    if prediction.value is None:
        raise ValueError("this network says nothing of who is winning: it cannot be searched with")
    return prediction.value
