"""How long the moves of a level take on this machine."""

from __future__ import annotations

import time
from collections.abc import Callable
from threading import Event, Lock
from typing import Any

from sparring.base.errors import SparringError
from sparring.games import load_game
from sparring.networks import Position
from sparring.players import LOAD_ERRORS
from sparring.players.levels import LevelTable
from sparring.policies import Policy, rating_range


class Speeds:
    """Seconds that a network needs for a position, each timed once. Safe for threads."""

    def __init__(self, policy: Callable[[str, str], Policy]) -> None:
        """`policy`: (game, name) -> a policy."""
        self._policy = policy
        self._seconds: dict[tuple[str, str], float | None] = {}
        """Of a position, by game and policy; None while it is not known."""
        self.waiting: list[tuple[str, str]] = []
        """Game and name of the policies that somebody asked for and that are not timed."""
        self._lock = Lock()

    def move_seconds(self, table: LevelTable, level: int) -> float | None:
        """About how long a move of a level takes; None until `time_waiting` has timed its policy."""
        row = table.row(level)
        policy = row.policy or table.policy
        with self._lock:
            if (table.game, policy) not in self._seconds:
                self._seconds[table.game, policy] = None
                self.waiting.append((table.game, policy))
            seconds = self._seconds[table.game, policy]
        return None if seconds is None else float(f"{seconds * max(row.nodes, 1):.2g}")

    def time_waiting(self, stop: Event) -> None:
        """Times the policies that wait, one after the other, until `stop` is set."""
        while self.waiting and not stop.is_set():
            game, name = self.waiting[0]
            try:
                seconds = position_seconds(game, self._policy(game, name))
            except (SparringError, *LOAD_ERRORS):  # it cannot be loaded: then nobody plays it
                seconds = None
            if stop.is_set():
                return
            with self._lock:
                self._seconds[game, name] = seconds
                self.waiting.pop(0)


def position_seconds(game: str, policy: Policy) -> float:
    """Seconds that a policy needs for a position, after one for warmth."""
    state: Any = load_game(game).initial()
    for _ in range(2):
        began = time.perf_counter()
        policy.predict([Position(state, *_any_rating(policy))])
        seconds = time.perf_counter() - began
    return seconds


def _any_rating(policy: Policy) -> tuple[int | None, int | None]:
    """A rating of both players that a policy accepts."""
    accepted = rating_range(policy)
    rating = None if accepted is None else int(accepted[0])
    return rating, rating
