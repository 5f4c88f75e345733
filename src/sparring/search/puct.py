"""PUCT search: the driver of a native tree.

`Puct` selects leaves, asks an evaluator for their priors and values, and keeps the tree from move to move.
The tree is `core/search/puct.hpp`, bound as one class per game; `PuctConfig` has the parameters. The choice
of a move from the result is in `sparring.search.move_selection`.
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

from sparring._core import PuctConfig
from sparring.games import Move
from sparring.networks.prediction import Prediction

__all__ = ["Budget", "Evaluator", "Puct", "PuctConfig", "SearchResult"]

Evaluator = Callable[[Sequence[Any]], Sequence[Prediction]]
"""Evaluates states: a `Prediction` each, with priors of the legal moves and a value for the side to move."""

_POLL_SECONDS = 0.005
"""Seconds between checks of the stop event."""


@dataclass(frozen=True)
class Budget:
    """Limits of a search. Without limits it runs until it is stopped."""

    nodes: int | None = None
    """New visits of the root."""
    seconds: float | None = None


@dataclass(frozen=True)
class SearchResult:
    """The result of a search. Arrays are over the root's legal moves, in ascending order."""

    moves: NDArray[np.int64]
    priors: NDArray[np.float64]
    visits: NDArray[np.int64]
    values: NDArray[np.float64]
    """Mean values for the side to move, from -1 to 1; NaN without visits."""
    forced: NDArray[np.int64]
    """Plies to a proven win, negative for a proven loss, 0 if neither is proven."""
    value: float
    """The root's value for its side to move; 1 or -1 if proven."""
    nodes: int
    """Visits of the root, including those kept from earlier searches."""
    new_visits: int
    """Visits of the root by this search."""
    depth: int
    """Length of the longest line in plies."""
    seconds: float
    principal_variation: Callable[[Move], list[Move]]
    """The principal variation that begins with a move of the root. Valid until the next search."""
    evaluation: Prediction | None
    """The evaluator's prediction for the root; None if the root was evaluated as an inner node of an earlier
    search."""
    memory_used: float = 0.0
    """The share of the memory limit that is used, from 0 to 1."""

    def ranked(self) -> NDArray[np.int64]:
        """Indices of the moves from best to worst: by visits, then by prior.

        Proven wins come first, from the shortest to the longest; proven losses come last, from the longest to
        the shortest.
        """
        return np.lexsort((-self.priors, -self.visits, self.forced, -np.sign(self.forced)))


class Puct:
    """A PUCT search that keeps its tree from move to move."""

    def __init__(
        self, evaluator: Evaluator, config: PuctConfig | None = None, rng: np.random.Generator | None = None
    ) -> None:
        """`evaluator` is called with up to `config.batch` states at a time; `rng` draws the root noise."""
        self.config = config or PuctConfig()
        self._evaluator = evaluator
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
        """Searches a state and returns the statistics of its moves.

        The tree of the last search is reused if `state` follows from its root. `searchmoves` restricts the
        moves of the root; empty means all. `report` is called with an intermediate result about every `every`
        seconds. The search ends when the budget is spent, within milliseconds after `stop` is set, when the
        memory limit is reached, or when the end of every move is proven. Raises ValueError if the game is
        over or the evaluator gives no value.
        """
        if state.outcome is not None:
            raise ValueError(f"nothing to search: the game is over ({state.outcome.reason})")
        started = time.perf_counter()
        tree = self._tree_at(state)
        before, reported = tree.visits, started
        tree.restrict(list(searchmoves))
        if before == 0:
            self._simulate(tree, 1, stop)
        if self.config.noise and tree.visits:
            self._add_noise(tree)
        while not _ended(tree, before, budget, started, stop):
            left = self.config.batch if budget.nodes is None else budget.nodes - (tree.visits - before)
            if not self._simulate(tree, min(self.config.batch, left), stop):
                break
            if report is not None and time.perf_counter() - reported >= every:
                reported = time.perf_counter()
                report(self._result(before, started))
        return self._result(before, started)

    def _simulate(self, tree: Any, count: int, stop: Event | None) -> bool:
        """Makes up to `count` visits. Returns whether there were any."""
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
        """The predictions, or None if `stop` is set first. The evaluation of the root is always awaited."""
        running = self._worker.submit(self._evaluator, leaves)
        while not running.done():
            wait([running], _POLL_SECONDS)
            if stop.is_set() and tree.visits:
                return None
        return running.result()

    def _tree_at(self, state: Any) -> Any:
        """The last tree advanced to the state if the state follows from its root, else a new tree."""
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
        self._tree = state.tree(self.config)
        return self._tree

    def _add_noise(self, tree: Any) -> None:
        count = len(tree.root_moves()[0])
        noise = self._rng.dirichlet(np.full(count, self.config.noise_alpha))
        tree.add_noise(noise.astype(np.float32), self.config.noise)

    def _result(self, before: int, started: float) -> SearchResult:
        tree = self._tree
        moves, priors, visits, values, forced = tree.root_moves()
        seconds = time.perf_counter() - started
        new_visits = tree.visits - before
        return SearchResult(
            moves, priors, visits, values, forced, tree.value, tree.visits, new_visits, tree.max_depth,
            seconds,
            tree.pv, self._evaluation, min(tree.bytes / (self.config.memory << 20), 1.0),
        )  # fmt: skip


def _ended(tree: Any, before: int, budget: Budget, started: float, stop: Event | None) -> bool:
    if stop is not None and stop.is_set():
        return True
    if budget.nodes is not None and tree.visits - before >= budget.nodes:
        return True
    return budget.seconds is not None and time.perf_counter() - started >= budget.seconds


def _value(prediction: Prediction) -> float:
    if prediction.value is None:
        raise ValueError("the evaluator gives no value (who is winning): it cannot be searched with")
    return prediction.value
