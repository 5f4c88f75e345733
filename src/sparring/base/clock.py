"""Clocks and time controls. All times are in seconds.

`TimeControl` is what the players agree on, `Clock` one player's clock at one moment, and `GameClock` the two
clocks of a game. A `GameClock` measures turns in real time, or is given the time that a turn took.
"""

from __future__ import annotations

import math
import re
import time
from dataclasses import dataclass, field, fields
from typing import Annotated, Any, Self, TypeAlias

from msgspec import Meta

from sparring.base.errors import BadConfig
from sparring.base.sentences import Sentence

Seconds = Annotated[float, Meta(ge=0, le=1_000_000)]
_Moves = Annotated[int, Meta(ge=0, le=1_000)]

_WRITTEN = re.compile(
    r"(?:(?P<moves>\d{1,3})/)?(?P<minutes>\d{1,3}(?:\.\d{1,2})?)"
    r"(?:\+(?:(?P<periods>\d{1,2})x(?P<byoyomi>\d{1,3})|(?P<period>\d{1,4})/(?P<stones>\d{1,3})|(?P<inc>\d{1,3})))?",
    re.ASCII,
)
_OPTIONAL = {"optional": True}
"""Keys of kinds of overtime and sessions that most clocks do not have."""


@dataclass(frozen=True)
class TimeControl:
    """A time control: `[clock]` of a tournament's file."""

    base: Seconds
    """Seconds for the game."""
    increment: Seconds = 0.0
    """Seconds added after each move."""
    byoyomi: Seconds = 0.0
    """Seconds of overtime once the base is used up: for each move, or for `byoyomi_moves` moves."""
    margin: Seconds = 0.05
    """Seconds by which a clock may be overstepped, since operating systems lag too."""
    periods: Annotated[int, Meta(ge=1, le=100)] = field(default=1, metadata=_OPTIONAL)
    """Periods of Japanese byo-yomi; a move that takes longer than `byoyomi` uses one up."""
    byoyomi_moves: _Moves = field(default=0, metadata=_OPTIONAL)
    """Canadian overtime: moves that share `byoyomi` seconds; 0 for Japanese byo-yomi."""
    moves: _Moves = field(default=0, metadata=_OPTIONAL)
    """Moves after which the base is added again, such as 40; 0 for the whole game."""

    def __str__(self) -> str:
        """The text in records, in seconds."""
        return self._written(1, "{} byo-yomi", "{} Canadian")

    @property
    def in_minutes(self) -> str:
        """The text in lists of games, such as 5+3: minutes for the game, seconds for all else."""
        return self._written(60, "byo-yomi {}", "{}")

    @property
    def title(self) -> Sentence:
        """The time control in words, for a choice of clocks."""
        minutes, seconds, periods = self.base / 60, self.byoyomi, self.periods
        if self.increment:
            return Sentence("{minutes} min + {seconds} s", minutes=minutes, seconds=self.increment)
        if seconds and periods > 1:
            return Sentence(
                "{minutes} min, then {periods} x {seconds} s",
                minutes=minutes,
                periods=periods,
                seconds=seconds,
            )
        if seconds:
            return Sentence("{minutes} min, then {seconds} s a move", minutes=minutes, seconds=seconds)
        return Sentence("{minutes} min", minutes=minutes)

    def _written(self, unit: int, japanese: str, canadian: str) -> str:
        """The base in units of `unit` seconds, the increment, and the overtime by one of two templates."""
        session = f"{self.moves}/" if self.moves else ""
        overtime = ""
        if self.byoyomi_moves:
            overtime = " " + canadian.format(f"{self.byoyomi:g}/{self.byoyomi_moves}")
        elif self.byoyomi:
            periods = f"{self.periods}x" if self.periods > 1 else ""
            overtime = " " + japanese.format(f"{periods}{self.byoyomi:g}")
        return f"{session}{self.base / unit:g}+{self.increment:g}{overtime}"

    def used_keys(self) -> dict[str, Any]:
        """The values by key, without the optional keys that this clock does not use."""
        values = {entry: getattr(self, entry.name) for entry in fields(self)}
        return {
            entry.name: value
            for entry, value in values.items()
            if not (entry.metadata.get("optional") and value == entry.default)
        }

    @classmethod
    def parse(cls, text: str, byoyomi: float = 0.0) -> Self:
        """The time control of a text, with minutes for the game and seconds for all else.

        Examples: `10`, `5+3` (increment), `40/90+30` (90 minutes for each 40 moves), `20+3x30` (three periods
        of byo-yomi), `10+300/15` (Canadian: 15 moves in 300 seconds). `byoyomi` is a period beside the text.
        Raises BadConfig.
        """
        match = _WRITTEN.fullmatch(text)
        names = ("minutes", "inc", "byoyomi", "period")
        seconds = byoyomi + sum(float(match[name] or 0) for name in names) if match is not None else 0.0
        if match is None or seconds <= 0 or match["stones"] == "0":
            raise BadConfig(f"clock '{text}': expected minutes and seconds a move, such as 10 or 5+3")
        return cls(
            60 * float(match["minutes"]),
            float(match["inc"] or 0),
            float(match["byoyomi"] or match["period"] or byoyomi),
            periods=max(int(match["periods"] or 1), 1),
            byoyomi_moves=int(match["stones"] or 0),
            moves=int(match["moves"] or 0),
        )


@dataclass(frozen=True)
class Clock:
    """A player's clock at one moment, as searches and engines receive it."""

    remaining: float
    increment: float = 0.0
    """Added after every move."""
    moves_to_go: int | None = None
    """Moves until more time is added; None for the rest of the game."""
    byoyomi: float = 0.0
    """Time for every move once `remaining` is used up."""
    periods: int = 1
    """Periods of byo-yomi: a move that takes longer than `byoyomi` uses one up."""


ClockSnapshot: TypeAlias = tuple[tuple[Any, ...], ...]
"""Time left, moves to go, periods and overtime of both players."""


def clock_text(seconds: float) -> str:
    """Minutes and seconds, such as 4:32; 0:00 if the time is up."""
    left = max(0, int(seconds))
    return f"{left // 60}:{left % 60:02}"


class GameClock:
    """Both players' clocks, and the time of the current turn. Without a time control it only measures."""

    def __init__(self, control: TimeControl | None, left: tuple[float, float] | None = None) -> None:
        """`left`: seconds that the players have left; None for full clocks."""
        self.control = control
        base = 0.0 if control is None else control.base
        self.left = [base, base] if left is None else list(left)
        """Seconds of the base, or of the Canadian period, at the end of the last turn."""
        self._to_go = [0 if control is None else control.moves] * 2
        """Moves left of the session or of the Canadian period; 0 if they are not counted."""
        self._periods = [1 if control is None else control.periods] * 2
        self._overtime = [False, False]
        """Whether a player is in Canadian overtime."""
        self.held = False
        """Whether no time runs and none is spent: before the clocks are started."""
        self._began: float | None = None
        """`time.monotonic()` since when the turn runs; None if it stands."""
        self._before = 0.0
        """Seconds of the turn before that."""

    def snapshot(self) -> ClockSnapshot:
        """Both clocks at the end of a turn, for `restore`."""
        return tuple(self.left), tuple(self._to_go), tuple(self._periods), tuple(self._overtime)

    def restore(self, snapshot: ClockSnapshot) -> None:
        """Sets both clocks as they were."""
        self.left, self._to_go, self._periods, self._overtime = (list(part) for part in snapshot)

    # The turn in real time

    @property
    def running(self) -> bool:
        """Whether the turn's time runs."""
        return self._began is not None

    def begin_turn(self) -> None:
        """Begins a turn, which runs at once."""
        self._before, self._began = 0.0, None if self.held else time.monotonic()

    def start(self) -> None:
        """Lets the turn run on, if it stands."""
        if self._began is None and not self.held:
            self._began = time.monotonic()

    def stop(self) -> None:
        """Stops the turn's time."""
        self._before, self._began = self.turn_seconds, None

    @property
    def turn_seconds(self) -> float:
        """Seconds that the turn has taken."""
        return self._before + (0.0 if self._began is None else time.monotonic() - self._began)

    # The clocks

    def allowed(self, player: int) -> float:
        """Seconds of a turn after which the player's flag falls; infinity without a time control."""
        control = self.control
        if control is None:
            return math.inf
        overtime = 0.0 if self._overtime[player] else control.byoyomi * self._periods[player]
        return self.left[player] + overtime + control.margin

    def spend(self, player: int, seconds: float | None = None) -> bool:
        """Takes the time of a turn off a player's clock and adds what the time control grants for the move.

        `seconds` is the time that the turn took; None for the measured time. Returns False, and changes
        nothing, if the flag has fallen.
        """
        control = self.control
        if control is None or self.held:
            return True
        spent = self.turn_seconds if seconds is None else seconds
        if spent > self.allowed(player):
            return False
        left = self.left[player] - spent
        if left < 0 and control.byoyomi and not self._overtime[player]:
            left = self._enter_overtime(player, control, -left)
        self.left[player] = max(0.0, left) + control.increment
        if self._to_go[player]:
            self._count_move(player, control)
        return True

    def clock(self, player: int) -> Clock | None:
        """A player's clock; None without a time control."""
        control = self.control
        if control is None:
            return None
        left, moves = self.left[player], self._to_go[player] or None
        if control.byoyomi_moves:
            if left <= 0 and not self._overtime[player]:  # the next move is the first of the overtime
                left, moves = control.byoyomi, control.byoyomi_moves
            return Clock(left, control.increment, moves)
        byoyomi = control.byoyomi + min(left, 0.0)
        return Clock(max(left, 0.0), control.increment, moves, byoyomi, self._periods[player])

    def text(self, player: int, spent: float = 0.0) -> str:
        """What a player has left after `spent` seconds of a turn, such as `4:32`, `0:30 (3 periods)` or
        `4:32 for 12 moves`; empty without a time control."""
        control = self.control
        if control is None:
            return ""
        left, moves = self.left[player] - spent, self._to_go[player]
        if left > 0 or not control.byoyomi or self._overtime[player]:
            return clock_text(left) + (f" for {moves} move{'' if moves == 1 else 's'}" if moves else "")
        if control.byoyomi_moves:
            return f"{clock_text(control.byoyomi + left)} for {control.byoyomi_moves} moves"
        periods = self._periods[player]
        begun = min(periods - 1, int(-left // control.byoyomi))
        shown = clock_text(control.byoyomi * (begun + 1) + left)
        return f"{shown} ({periods - begun} periods)" if periods - begun > 1 else shown

    def periods(self, player: int) -> int:
        """Periods of overtime that follow the time left of a player; 0 without overtime, and in Canadian
        overtime, whose period is the time left."""
        control = self.control
        if control is None or not control.byoyomi or self._overtime[player]:
            return 0
        return self._periods[player]

    def set_left(self, player: int, seconds: float, period_moves: int = 0) -> None:
        """Sets a player's clock. With `period_moves` it is in Canadian overtime, with so many moves to go."""
        self.left[player] = seconds
        self._overtime[player] = period_moves > 0
        self._to_go[player] = period_moves

    def set_period(self, player: int, seconds: float, periods: int) -> None:
        """Sets the clock of a player in byo-yomi: seconds left of the present period, and periods with it."""
        assert self.control is not None, "byo-yomi needs a time control"
        self.set_left(player, min(seconds - self.control.byoyomi, 0.0))
        self.set_periods(player, periods)

    def set_periods(self, player: int, periods: int) -> None:
        """Sets the periods of byo-yomi that a player has, the present one included."""
        self._periods[player] = max(periods, 1)

    def until_flag(self, player: int) -> float | None:
        """Seconds until the flag of the player to move falls; None if the clock stands or there is none."""
        if self.control is None or self._began is None:
            return None
        return max(0.0, self.allowed(player) - self.turn_seconds)

    def _enter_overtime(self, player: int, control: TimeControl, over: float) -> float:
        """Seconds left after a move that took `over` seconds more than the base."""
        if control.byoyomi_moves:
            self._overtime[player], self._to_go[player] = True, control.byoyomi_moves
            return control.byoyomi - over
        used = math.ceil(over / control.byoyomi) - 1
        self._periods[player] = max(1, self._periods[player] - used)
        return 0.0

    def _count_move(self, player: int, control: TimeControl) -> None:
        """A move of a session or of a Canadian period. The last one renews it."""
        self._to_go[player] -= 1
        if self._to_go[player] == 0:
            if self._overtime[player]:
                self.left[player], self._to_go[player] = control.byoyomi, control.byoyomi_moves
            else:
                self.left[player] += control.base
                self._to_go[player] = control.moves
