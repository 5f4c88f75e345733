"""The clock of a game on the server. It can be stopped while nobody looks at the game."""

from __future__ import annotations

import time
from collections.abc import Iterable

from sparring.arena.clocks import Clocks
from sparring.players import SearchLimits, TimeControl
from sparring.server.messages import ClockView


class LiveClock:
    """Both players' time, and the time of the current turn. Without a time control it only measures."""

    def __init__(self, control: TimeControl | None) -> None:
        self._clocks = None if control is None else Clocks.begin(control)
        self._began: float | None = None
        """`time.monotonic()` since when the turn runs; None if it stands."""
        self._before = 0.0
        """Seconds of the turn before that."""

    @property
    def running(self) -> bool:
        """Whether the turn's time runs."""
        return self._began is not None

    def set_left(self, left: Iterable[tuple[int, float | None]]) -> None:
        """Sets the clocks by what each player (0 or 1) had left after each move; None is no change."""
        if self._clocks is None:
            return
        seconds = [self._clocks.control.base] * 2
        for player, after in left:
            seconds[player] = seconds[player] if after is None else after
        self._clocks = Clocks(self._clocks.control, (seconds[0], seconds[1]))

    def begin_turn(self) -> None:
        """Begins a turn, which runs at once."""
        self._before, self._began = 0.0, time.monotonic()

    def start(self) -> None:
        """Lets the turn run on, if it stands."""
        if self._began is None:
            self._began = time.monotonic()

    def stop(self) -> None:
        """Stops the turn's time."""
        self._before, self._began = self._spent(), None

    def spend(self, player: int) -> bool:
        """Takes the turn's time off a player's clock. False if it is more than the player has."""
        if self._clocks is None:
            return True
        if (spent := self._spent()) > self._clocks.allowed(player):
            return False
        self._clocks = self._clocks.after(player, spent)
        return True

    def left(self, player: int) -> float | None:
        """Seconds that a player had left at the end of the last turn; None without a time control."""
        return None if self._clocks is None else self._clocks.left[player]

    def until_flag(self, player: int) -> float | None:
        """Seconds until the flag of the player to move falls; None if the clock stands or there is none."""
        if self._clocks is None or self._began is None:
            return None
        return max(0.0, self._clocks.allowed(player) - self._spent())

    def limits(self, player: int) -> SearchLimits:
        """The clocks as limits of a player's turn."""
        if self._clocks is None:
            return SearchLimits()
        return SearchLimits(clock=self._clocks.clock(player), opponent_clock=self._clocks.clock(1 - player))

    def view(self, to_move: int | None) -> ClockView | None:
        """The clocks now; `to_move` is None when the game is over."""
        if self._clocks is None:
            return None
        left, control = list(self._clocks.left), self._clocks.control
        running = to_move if self._began is not None else None
        if running is not None:
            left[running] = max(0.0, left[running] - self._spent())
        return ClockView(
            left=(left[0], left[1]), running=running, increment=control.increment, byoyomi=control.byoyomi
        )

    def _spent(self) -> float:
        return self._before + (0.0 if self._began is None else time.monotonic() - self._began)
