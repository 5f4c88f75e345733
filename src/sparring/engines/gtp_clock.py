"""The clocks of a game of Go, as GTP and KGS set them."""

from __future__ import annotations

from collections.abc import Sequence

from sparring.engines.gtp_board import GtpError
from sparring.search import Clock


class GtpClock:
    """Both players' clocks. GUIs send the time before every move, or only the settings."""

    def __init__(self) -> None:
        self._running = False
        self._japanese = False
        self._period = 0.0
        self._stones = 0
        """Canadian overtime: moves of a period."""
        self._left = [0.0, 0.0]
        self._to_go = [0, 0]
        """Moves left in a period of Canadian overtime; 0 in the main time."""

    def set(self, main: float, period: float, stones: int) -> None:
        """Applies `time_settings`: seconds of main time, seconds of a period, stones of a period."""
        self._running = not (period > 0 and stones == 0)
        self._japanese = False
        self._period, self._stones = period, stones
        self._left, self._to_go = [main, main], [0, 0]

    def set_kgs(self, words: Sequence[str]) -> None:
        """Applies `kgs-time_settings`: none, absolute, canadian or byoyomi. Raises GtpError."""
        kind = words[0].lower() if words else ""
        sizes = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
        if kind not in sizes or len(words) != 1 + sizes[kind]:
            raise GtpError("syntax error: none, absolute T, canadian T P STONES or byoyomi T P PERIODS")
        try:
            numbers = [float(word) for word in words[1:]]
        except ValueError:
            raise GtpError("syntax error: numbers expected") from None
        main, period, count = (*numbers, 0.0, 0.0, 0.0)[:3]
        self.set(main, period, int(count) if kind == "canadian" else 0)
        self._running = kind != "none"
        self._japanese = kind == "byoyomi"

    def set_time_left(self, player: int, seconds: float, stones: int) -> None:
        """Applies `time_left`; with stones, the time is that of a period."""
        self._running = True
        overtime_of_japan = self._japanese and stones > 0
        self._left[player] = 0.0 if overtime_of_japan else seconds
        self._to_go[player] = 0 if overtime_of_japan else stones

    def spend(self, player: int, seconds: float) -> None:
        """Subtracts the time of a move, for GUIs that do not send `time_left`."""
        self._left[player] = max(self._left[player] - seconds, 0.0)
        if self._to_go[player] > 1:
            self._to_go[player] -= 1
        elif self._stones and (self._left[player] == 0 or self._to_go[player] == 1):
            self._left[player], self._to_go[player] = self._period, self._stones

    def clock(self, player: int) -> Clock | None:
        """A player's clock; None without time limits."""
        if not self._running:
            return None
        if self._japanese:
            return Clock(self._left[player], byoyomi=self._period)
        return Clock(self._left[player], moves_to_go=self._to_go[player] or None)
