"""Alpha-beta with an evaluation that was learned by TreeStrap."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread
from typing import Any

from sparring._core import Analysis
from sparring.players.player import BasePlayer, Decision, GameStart, Turn
from sparring.players.time_management import resolve_limits
from sparring.reports.numbers import signed
from sparring.search import SearchLimits
from sparring.search.linear_evaluation import AlphaBetaSearcher, LinearEvaluation

_POLL_SECONDS = 0.005
"""Seconds between checks of the stop event."""


class LearnedPlayer(BasePlayer):
    """Searches and draws any of the moves whose value is within `margin` of the best.

    The transposition table is kept from move to move. Values are in hundredths of a win.
    """

    def __init__(
        self,
        evaluation: LinearEvaluation,
        limits: SearchLimits,
        *,
        threads: int = 1,
        margin: float = 0.25,
        megabytes: int = 16,
        prepare: Callable[[Any], None] = lambda searcher: None,
    ) -> None:
        """`limits` apply where a turn has none; `megabytes` is the size of the transposition table.

        `prepare` is called with each new native searcher, such as to add endgame tables.
        """
        super().__init__("alpha-beta with learned weights")
        self._evaluation, self._megabytes, self._prepare = evaluation, megabytes, prepare
        self.limits = limits
        self.searcher = self._new_searcher()
        self._threads, self._margin = threads, margin

    def new_game(self, start: GameStart) -> None:
        """Begins with an empty transposition table and seeds the randomness."""
        super().new_game(start)
        self.searcher = self._new_searcher()

    def choose(self, turn: Turn) -> Decision:
        """Draws one of the best moves; of forced wins it plays the shortest."""
        limits = resolve_limits(turn.limits, self.limits)
        with stopping(self.searcher.stop, turn.stop):
            found = self.searcher.analyse(
                turn.state, margin=self._margin, threads=self._threads, **analysis_limits(limits)
            )
        good = [move for move, value in found.moves if value >= found.value - self._margin]
        if found.plies_to_end is not None:  # values are equal for all forced wins; the first is the shortest
            good = good[:1]
        move = good[int(self._rng.integers(len(good)))]
        return Decision(
            move, dict.fromkeys(good, 1 / len(good)), describe_analysis(found), expected_value(found)
        )

    def hint(self, turn: Turn) -> Decision:
        """The best move, by a search of its own: the game's transposition table stays as it is."""
        kept, self.searcher = self.searcher, self._new_searcher()
        try:
            return super().hint(turn)
        finally:
            self.searcher = kept

    def _new_searcher(self) -> AlphaBetaSearcher:
        searcher = self._evaluation.searcher(self._megabytes)
        self._prepare(searcher)
        return searcher


@contextmanager
def stopping(end_search: Callable[[], None], stop: Event | None) -> Iterator[None]:
    """Calls `end_search` once `stop` is set, from a thread that lives as long as the block."""
    if stop is None:
        yield
        return
    done = Event()

    def watch() -> None:
        while not done.wait(_POLL_SECONDS):
            if stop.is_set():
                end_search()  # repeatedly: a search that starts later clears the request

    watcher = Thread(target=watch, name="stop", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


def analysis_limits(limits: SearchLimits) -> dict[str, Any]:
    """Converts limits to the keyword arguments of the native alpha-beta search."""
    return {"depth": limits.depth, "nodes": limits.nodes, "seconds": limits.seconds}


def expected_value(found: Analysis) -> float:
    """The value of a search, scaled from -1 to 1."""
    return max(-1.0, min(1.0, found.value / 100))


def describe_analysis(found: Analysis) -> str:
    """The value of a search as text; 100 is a win."""
    if found.plies_to_end is not None:
        return f"{'wins' if found.value > 0 else 'loses'} in {found.plies_to_end}, depth {found.depth}"
    return f"{signed(found.value, 1)} of 100, depth {found.depth}"
