"""Clocks of a game."""

from __future__ import annotations

from dataclasses import dataclass

from sparring.players import Clock, TimeControl


@dataclass(frozen=True)
class Clocks:
    """Remaining seconds of both players; a new value after each move."""

    control: TimeControl
    left: tuple[float, float]

    @classmethod
    def begin(cls, control: TimeControl) -> Clocks:
        """Full clocks."""
        return cls(control, (control.base, control.base))

    def clock(self, player: int) -> Clock:
        """A player's clock."""
        return Clock(self.left[player], self.control.increment, byoyomi=self.control.byoyomi)

    def allowed(self, player: int) -> float:
        """Seconds after which the player's flag falls."""
        return self.left[player] + self.control.byoyomi + self.control.margin

    def after(self, player: int, spent: float) -> Clocks:
        """The clocks after a move that took `spent` seconds, which was allowed."""
        left = list(self.left)
        left[player] = max(0.0, left[player] - spent) + self.control.increment
        return Clocks(self.control, (left[0], left[1]))
