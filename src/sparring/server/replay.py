"""Replays of finished games of hidden information: the truth and both sides' beliefs, step by step."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Iterator
from threading import Lock
from typing import Literal

from pydantic import Field

from sparring.server.messages import ApiMessage, Text

_KEPT = 20
"""Replays in memory."""
_SECONDS = 0.5
"""Time that a request computes before it answers with what it has."""


class BeliefView(ApiMessage):
    """What a side believed."""

    possible: int = Field(description="Number of possible boards.")
    exact: bool = Field(description="Whether all possible boards are followed.")
    pieces: list[str] = Field(description="64 squares from a1: the likeliest piece, or an empty text.")
    shares: list[float] = Field(description="64 squares: share of the possible boards that have it.")


class BeliefStep(ApiMessage):
    """The game after a sense or a move; the first step is its beginning."""

    ply: int
    player: int | None = Field(description="Who acted; null at the beginning.")
    phase: Literal["sense", "move"] | None
    text: str | None
    name: str | None
    position: str = Field(description="The true board.")
    note: Text = Field(description="What happened, in a sentence; empty if there is nothing to say.")
    sides: tuple[BeliefView, BeliefView] = Field(description="What each side believed.")


class ReplayView(ApiMessage):
    """The steps so far."""

    total: int
    done: bool
    steps: list[BeliefStep]


class Replay:
    """The steps of one finished game, computed as far as they are asked for. Safe for threads."""

    def __init__(self, total: int, steps: Iterator[BeliefStep]) -> None:
        self._total, self._coming = total, steps
        self._steps: list[BeliefStep] = []
        self._lock = Lock()

    def view(self, since: int) -> ReplayView:
        """The steps from a number on. It computes for half a second at most, and at least one step."""
        with self._lock:
            until = time.monotonic() + _SECONDS
            while len(self._steps) < self._total:
                self._steps.append(next(self._coming))
                if time.monotonic() > until:
                    break
            done = len(self._steps) == self._total
            if done:
                self._coming = iter(())  # releases what it was computed with
            return ReplayView(total=self._total, done=done, steps=self._steps[since:])


class Replays:
    """The replays of the latest games that were asked for."""

    def __init__(self) -> None:
        self._replays: OrderedDict[str, Replay] = OrderedDict()
        self._lock = Lock()

    def of(self, game_id: str, make: Callable[[], Replay]) -> Replay:
        """The replay of a game; `make` is called if it is not in memory."""
        with self._lock:
            replay = self._replays[game_id] = self._replays.get(game_id) or make()
            self._replays.move_to_end(game_id)
            while len(self._replays) > _KEPT:
                self._replays.popitem(last=False)
        return replay
