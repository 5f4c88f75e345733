"""Client of GTP engines."""

from __future__ import annotations

import re
import time
from threading import Event
from typing import Any

from sparring.base.clock import GameClock, TimeControl
from sparring.go.game import COLUMNS, RULE_SETS
from sparring.players import SearchLimits
from sparring.players.engines import (
    EngineClient,
    EngineFailure,
    FailureReason,
    PlayResult,
    PositionHistory,
)

_COLORS = ("b", "w")
_ESTIMATE = re.compile(r"([BWbw])\+(\d{1,4}(?:\.\d{1,6})?)")
_VISITS = re.compile(r"\bvisits (\d{1,9})\b")
_LEAD = re.compile(r"\bscoreLead (-?\d{1,4}(?:\.\d{1,9})?)\b")


class GtpEngine(EngineClient):
    """A running GTP engine."""

    stops = False
    _moves_sent = 0
    """Number of moves sent to the engine."""

    def _shake_hands(self, deadline: float) -> None:
        self._commands = frozenset(self._ask("list_commands", deadline).split())
        for command in self._entry.commands:
            self._ask(command, deadline)

    def new_game(self, start: Any, clocks: GameClock | None) -> None:
        """Sets up the board, the time, and the rules if the engine supports `kata-set-rules`."""
        deadline = time.monotonic() + self._entry.start_seconds
        self._moves_sent = 0
        self._ask(f"boardsize {start.size}", deadline)
        self._ask("clear_board", deadline)
        self._ask(f"komi {start.komi:g}", deadline)
        if "kata-set-rules" in self._commands and (rules := _rules_name(start)):
            self._ask(f"kata-set-rules {rules}", deadline)
        for color, points in zip(_COLORS, start.stones, strict=True):
            for point in points:
                self._ask(f"play {color} {_vertex(point, start.size)}", deadline)
        if periods := self._periods_control(clocks):
            settings = f"byoyomi {_whole(periods.base)} {_whole(periods.byoyomi)} {periods.periods}"
            self._ask(f"kgs-time_settings {settings}", deadline)
        elif "time_settings" in self._commands and (settings := self._time_settings(clocks)):
            self._ask(f"time_settings {settings}", deadline)

    def choose(
        self,
        line: PositionHistory,
        clocks: GameClock | None,
        limits: SearchLimits | None = None,
        stop: Event | None = None,
    ) -> PlayResult:
        """Sends the moves since the last call and requests a move.

        GTP has neither limits for a single move nor a command that ends a search: of `limits`, `seconds`
        bounds the wait, and `stop` has no effect.
        """
        deadline = time.monotonic() + self._entry.start_seconds
        player: int = line.state.to_move
        self._catch_up(line, deadline)
        if clocks is not None and "time_left" in self._commands:
            left, stones = clocks.left[player], 0
            control, clock = clocks.control, clocks.clock(player)
            if clock is not None and clock.moves_to_go is not None:
                stones = clock.moves_to_go
            elif control is not None and control.byoyomi and not left:
                left, stones = control.byoyomi, clocks.periods(player) if self._periods_control(clocks) else 1
            self._ask(f"time_left {_COLORS[player]} {int(left)} {stones}", deadline)
        began = time.monotonic()
        allowed, timed = self._allowed(player, clocks, limits or self._entry.limits)
        try:
            move = self._ask(f"genmove {_COLORS[player]}", began + allowed).lower()
        except EngineFailure as error:
            if timed and error.reason is FailureReason.STALLED:
                raise EngineFailure(FailureReason.TIME, "") from None
            raise
        spent = time.monotonic() - began
        self._moves_sent = len(line.moves) + 1
        return PlayResult(None if move == "resign" else move, None, spent)

    def analyse(self, line: PositionHistory) -> int:
        """The score lead of the player to move, in hundredths of a point.

        It comes from `kata-analyze` with the visits of the limits, or from GNU Go's `estimate_score`.
        """
        self._catch_up(line, time.monotonic() + self._entry.start_seconds)
        deadline = time.monotonic() + self._entry.move_seconds
        if "kata-analyze" in self._commands:
            return self._analysed(_COLORS[line.state.to_move], deadline)
        if "estimate_score" not in self._commands:
            raise EngineFailure(
                FailureReason.PROTOCOL_ERROR, "it has neither 'kata-analyze' nor 'estimate_score'"
            )
        answer = self._ask("estimate_score", deadline)
        if not (match := _ESTIMATE.match(answer)):
            raise EngineFailure(FailureReason.PROTOCOL_ERROR, f"{answer[:60]!r} is no score")
        points = round(100 * float(match[2]))
        return points if match[1].lower() == _COLORS[line.state.to_move] else -points

    def ask_about(self, line: PositionHistory, command: str) -> str:
        """The answer to a command about a position, such as `final_score`. Raises EngineFailure."""
        deadline = time.monotonic() + self._entry.move_seconds
        self._catch_up(line, deadline)
        return self._ask(command, deadline)

    def _catch_up(self, line: PositionHistory, deadline: float) -> None:
        """Sends the moves since the last call."""
        for ply in range(self._moves_sent, len(line.moves)):
            try:
                self._ask(f"play {_COLORS[(line.start.to_move + ply) % 2]} {line.moves[ply]}", deadline)
            except EngineFailure as error:
                if error.reason is not FailureReason.PROTOCOL_ERROR:
                    raise
                # The arena checks the rules; an engine that rejects a legal move is wrong.
                raise EngineFailure(FailureReason.FALSE_CLAIM, error.detail) from None
        self._moves_sent = len(line.moves)

    def _analysed(self, color: str, deadline: float) -> int:
        """The lead of the best move once the analysis has its visits; the next command ends the analysis."""
        self._process.drain()
        self._process.send(f"kata-analyze {color} interval 5", deadline)
        match = None
        while match is None:
            if (answer := self._process.receive(deadline)) is None:
                raise EngineFailure(FailureReason.STALLED, "the analysis has not had its visits")
            if answer.startswith("?"):
                raise EngineFailure(
                    FailureReason.PROTOCOL_ERROR, f"{answer[:80]!r} in answer to 'kata-analyze'"
                )
            if sum(map(int, _VISITS.findall(answer))) >= (self._entry.limits.nodes or 1):
                match = _LEAD.search(answer)
        self._process.send("name", deadline)
        while (answer := self._process.receive(deadline)) is not None:
            if answer.startswith("="):
                return round(100 * float(match[1]))
        raise EngineFailure(FailureReason.STALLED, "the analysis does not end")

    def _allowed(self, player: int, clocks: GameClock | None, limits: SearchLimits) -> tuple[float, bool]:
        """Time limit of a move in seconds, and whether exceeding it loses on time."""
        if clocks is not None:
            return clocks.allowed(player), True
        if (seconds := limits.seconds) is not None:
            return seconds + max(TimeControl.margin, seconds / 2), True
        return self._entry.move_seconds, False

    def _periods_control(self, clocks: GameClock | None) -> TimeControl | None:
        """The time control if it has periods of byo-yomi and the engine has KGS's command for them."""
        control = None if clocks is None else clocks.control
        several = (
            control is not None and control.periods > 1 and control.byoyomi and not control.byoyomi_moves
        )
        return control if several and "kgs-time_settings" in self._commands else None

    def _time_settings(self, clocks: GameClock | None) -> str:
        """The arguments of `time_settings`, in whole seconds: main time, byo-yomi, stones."""
        if clocks is not None and (control := clocks.control) is not None:
            stones = control.byoyomi_moves or int(control.byoyomi > 0)
            return f"{_whole(control.base)} {_whole(control.byoyomi)} {stones}"
        seconds = self._entry.limits.seconds
        return "" if seconds is None else f"0 {_whole(seconds)} 1"

    def _ask(self, command: str, deadline: float) -> str:
        """The answer to a command, as one line."""
        self._process.drain()
        self._process.send(command, deadline)
        lines: list[str] = []
        while True:
            line = self._process.receive(deadline)
            if line is None:
                raise EngineFailure(FailureReason.STALLED, f"no answer to {command[:60]!r}")
            if not line and lines:
                break
            if line or lines:
                if not lines and line[0] not in "=?":
                    continue  # some engines print other lines first
                lines.append(line)
        status, text = lines[0][0], " ".join([lines[0][1:].lstrip("0123456789"), *lines[1:]]).strip()
        if status == "?":
            raise EngineFailure(FailureReason.PROTOCOL_ERROR, f"{text[:80]!r} in answer to {command[:60]!r}")
        return text


def _rules_name(state: Any) -> str | None:
    """KataGo's name of a state's rules; None if they have none."""
    facts = (state.ko, state.suicide, state.scoring, state.tax)
    return next((name for name, rules in RULE_SETS.items() if rules[:4] == facts), None)


def _whole(seconds: float) -> int:
    """Whole seconds, rounded down but at least 1 unless 0: GTP takes 0 for no limit."""
    return max(1, int(seconds)) if seconds else 0


def _vertex(point: int, size: int) -> str:
    return f"{COLUMNS[point % size]}{point // size + 1}"
