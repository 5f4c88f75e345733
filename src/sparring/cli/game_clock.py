"""The clock of a game in the terminal."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager

from sparring.arena.clocks import Clocks
from sparring.cli.errors import UserError
from sparring.players import SearchLimits, TimeControl

_WRITTEN = re.compile(r"(\d{1,3}(?:\.\d{1,2})?)(?:\+(\d{1,3}))?")


class FlagFell(Exception):
    """A player's time is up."""


def parse_clock(text: str, byoyomi: float = 0) -> TimeControl:
    """The time control of a text such as 5+3: minutes for the game, seconds added after each move.

    Raises UserError.
    """
    match = _WRITTEN.fullmatch(text)
    if match is None or float(match[1]) + byoyomi <= 0:
        raise UserError(f"clock '{text}': expected minutes and seconds a move, such as 10 or 5+3")
    return TimeControl(60 * float(match[1]), float(match[2] or 0), byoyomi)


def clock_text(seconds: float) -> str:
    """Minutes and seconds, such as 4:32; 0:00 if the time is up."""
    left = max(0, int(seconds))
    return f"{left // 60}:{left % 60:02}"


class GameClock:
    """Both players' time. One side's clock runs from `start` to `stop`."""

    def __init__(self, control: TimeControl) -> None:
        self.clocks = Clocks.begin(control)
        self._began = time.monotonic()

    def start(self) -> None:
        """Starts the clock of the side to move."""
        self._began = time.monotonic()

    def stop(self, player: int) -> float:
        """Ends a player's turn; returns the seconds that it has left. Raises FlagFell."""
        spent = time.monotonic() - self._began
        if spent > self.clocks.allowed(player):
            raise FlagFell
        self.clocks = self.clocks.after(player, spent)
        return self.clocks.left[player]

    def limits(self, player: int) -> SearchLimits:
        """The clocks as limits of a player's turn."""
        return SearchLimits(clock=self.clocks.clock(player), opponent_clock=self.clocks.clock(1 - player))

    def text(self, player: int) -> str:
        """The time that a player has left, such as 4:32; the player to move."""
        return clock_text(self.clocks.left[player] - (time.monotonic() - self._began))

    @contextmanager
    def alarm(self, player: int) -> Iterator[None]:
        """Raises FlagFell within the block when the player's time is up."""
        if not hasattr(signal, "setitimer"):
            yield
            return

        def fall(*_: object) -> None:
            raise FlagFell

        before = signal.signal(signal.SIGALRM, fall)
        seconds = self.clocks.allowed(player) - (time.monotonic() - self._began)
        signal.setitimer(signal.ITIMER_REAL, max(seconds, 0.001))
        try:
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
            signal.signal(signal.SIGALRM, before)
