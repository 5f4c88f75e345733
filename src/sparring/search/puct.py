"""PUCT search: the driver of a native tree.

`Puct` selects leaves, evaluates them with an evaluator (priors and values), and keeps the tree from move to
move. The tree is `core/search/puct.hpp`, bound as one class per game; `PuctConfig` has the parameters. The
choice of a move from the result is in `sparring.search.move_selection`.

This is the search of one player: it stops on a clock or an event in the middle of a slow evaluation, keeps
its tree, and reads full predictions (wdl, lead) at the root. `lockstep.py` is the search of many positions in
full batches of arrays, with none of these. The trees are the same native class.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from dataclasses import dataclass
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring._core import PuctConfig
from sparring.games import Move
from sparring.networks.codec import Prediction
from sparring.search.limits import SearchLimits
from sparring.search.trees import make_tree

__all__ = ["Evaluator", "Puct", "PuctConfig", "SearchResult"]

Evaluator = Callable[[Sequence[Any]], Sequence[Prediction]]
"""Evaluates states: a `Prediction` each, with priors of the legal moves and a value for the side to move."""

_POLL_SECONDS = 0.005
"""Seconds between checks of the stop event."""
_HEADROOM = 1.5
"""Factor by which the search may still get faster: batches grow with the tree."""


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
        self._worker: ThreadPoolExecutor | None = None
        self._evaluating = Lock()
        self._bytes = 0

    def search(
        self,
        state: Any,
        limits: SearchLimits,
        *,
        stop: Event | None = None,
        report: Callable[[SearchResult], None] | None = None,
        every: float = 1.0,
        until_decided: bool = False,
    ) -> SearchResult:
        """Searches a state whose game is not over.

        Args:
            state: the root. The tree of an earlier search is kept if this state was reached from its root.
            limits: `nodes` (visits of this search), `seconds` and `searchmoves` count; `infinite` lifts the
                first two. The search ends early when the memory limit is reached or the end of every root
                move is proven.
            stop: setting it ends the search within milliseconds, also during an evaluation. Evaluations
                then run in a thread that lives as long as the search.
            report: receives an intermediate result every `every` seconds.
            until_decided: whether the search ends as soon as the visits that are left cannot change which
                move has the most. What is left of a time limit is estimated from the speed so far.

        Raises ValueError if the game is over or the evaluator gives no value.
        """
        if state.outcome is not None:
            raise ValueError(f"nothing to search: the game is over ({state.outcome.reason})")
        started = time.perf_counter()
        tree = self._tree_at(state)
        before, reported = tree.visits, started
        tree.restrict(list(limits.searchmoves))
        self._worker = None if stop is None else ThreadPoolExecutor(1, thread_name_prefix="evaluator")
        try:
            if before == 0:
                self._simulate(tree, 1, stop)
            if self.config.noise and tree.visits:
                noise = np.full(len(tree.root_moves()[0]), self.config.noise_alpha)
                tree.add_noise(self._rng.dirichlet(noise).astype(np.float32), self.config.noise)
            while not _ended(tree, before, limits, started, stop):
                if until_decided and tree.lead > _visits_left(tree, before, limits, started):
                    break
                batch = self.config.batch_size(tree.visits)
                if limits.nodes is not None and not limits.infinite:
                    batch = min(batch, limits.nodes - (tree.visits - before))
                if not self._simulate(tree, batch, stop):
                    break
                if report is not None and time.perf_counter() - reported >= every:
                    reported = time.perf_counter()
                    report(self._result(before, started))
        finally:
            if self._worker is not None:
                self._worker.shutdown(wait=False)
                self._worker = None
        return self._result(before, started)

    @property
    def memory_bytes(self) -> int:
        """The size of the tree after its last batch. Any thread may ask: the tree is the searcher's."""
        return self._bytes

    def _simulate(self, tree: Any, count: int, stop: Event | None) -> bool:
        """Makes up to `count` visits. Returns whether there were any."""
        before = tree.visits
        leaves = tree.select(count, count)
        if not leaves:
            return bool(tree.visits > before)
        try:
            predictions = (
                self._evaluate(leaves) if stop is None else self._evaluate_unless_stopped(stop, tree, leaves)
            )
            if predictions is None:
                tree.cancel()
                return False
            values = [prediction.value for prediction in predictions]
            if None in values:
                raise ValueError("the evaluator gives no value (who is winning): it cannot be searched with")
            priors = np.concatenate([prediction.probabilities for prediction in predictions])
            tree.evaluate(np.ascontiguousarray(priors, np.float32), np.array(values, np.float32))
        except BaseException:
            tree.cancel()  # the tree stays usable
            raise
        finally:
            self._bytes = int(tree.bytes)
        if before == 0:
            self._evaluation = predictions[0]
        return True

    def _evaluate(self, leaves: list[Any]) -> Sequence[Prediction]:
        with self._evaluating:  # an evaluation that a stopped search left behind ends first
            return self._evaluator(leaves)

    def _evaluate_unless_stopped(
        self, stop: Event, tree: Any, leaves: list[Any]
    ) -> Sequence[Prediction] | None:
        """The evaluations, or None if `stop` is set first; the evaluation of the root is always awaited."""
        assert self._worker is not None
        running = self._worker.submit(self._evaluate, leaves)
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
        self._tree = make_tree(state, self.config)
        self._bytes = int(self._tree.bytes)
        return self._tree

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


def _ended(tree: Any, before: int, limits: SearchLimits, started: float, stop: Event | None) -> bool:
    if stop is not None and stop.is_set():
        return True
    if limits.infinite:
        return False
    if limits.nodes is not None and tree.visits - before >= limits.nodes:
        return True
    return limits.seconds is not None and time.perf_counter() - started >= limits.seconds


def _visits_left(tree: Any, before: int, limits: SearchLimits, started: float) -> float:
    """An upper estimate of the visits that the limits still allow."""
    if limits.infinite:
        return math.inf
    left = math.inf if limits.nodes is None else float(limits.nodes - (tree.visits - before))
    if limits.seconds is not None:
        spent = max(time.perf_counter() - started, 1e-3)
        left = min(left, _HEADROOM * (tree.visits - before + 1) * max(limits.seconds / spent - 1, 0))
    return left
