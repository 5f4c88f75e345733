"""Clients of UCI and USI engines."""

from __future__ import annotations

import math
import re
import time
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Event
from typing import Any

from sparring.base.clock import GameClock, TimeControl
from sparring.players import SearchLimits
from sparring.players.engines import (
    EngineClient,
    EngineConfig,
    EngineFailure,
    FailureReason,
    PlayResult,
    PositionHistory,
)

_OPTION = re.compile(r"option name (?P<name>.+?) type (?P<type>\w+)(?P<rest>.*)")
_SCORE = re.compile(r"\bscore (cp|mate) ([+-]?\d{0,9})")
_CHANCES = re.compile(r"\bwdl (\d{1,4}) (\d{1,4}) (\d{1,4})\b")
"""Chances of a win, a draw and a loss in thousandths."""
_MATE = 32_000
"""Score of a mate; a mate in n moves is n less."""
_LONGEST_LINE = 64
"""Moves of a reported line that are kept."""
_POLL_SECONDS = 0.02
"""Seconds between checks of the stop event."""
_USI_ALWAYS = ("USI_Hash", "USI_Ponder", "USI_Variant")
"""Options that USI engines have without declaring them."""


@dataclass(frozen=True)
class _Dialect:
    hello: str
    ready: str
    new_game: str
    start: str
    """Keyword before the text of a start position."""
    sides: tuple[str, str]
    """Letters of the clocks of players 0 and 1."""


_DIALECTS = {
    "uci": _Dialect("uci", "uciok", "ucinewgame", "fen", ("w", "b")),
    "usi": _Dialect("usi", "usiok", "usinewgame", "sfen", ("b", "w")),
}


class UciEngine(EngineClient):
    """A running UCI or USI engine."""

    def __init__(self, entry: EngineConfig) -> None:
        self._dialect = _DIALECTS[entry.protocol]
        super().__init__(entry)

    def new_game(self, start: Any, clocks: GameClock | None) -> None:
        """Begins a game and waits until the engine is ready."""
        deadline = time.monotonic() + self._entry.start_seconds
        if self._entry.protocol == "uci":
            self._process.send(self._dialect.new_game, deadline)
        self._process.send("isready", deadline)
        self._wait_for("readyok", deadline)
        if self._entry.protocol == "usi":  # where `isready` comes first
            self._process.send(self._dialect.new_game, deadline)

    def choose(
        self,
        line: PositionHistory,
        clocks: GameClock | None,
        limits: SearchLimits | None = None,
        stop: Event | None = None,
    ) -> PlayResult:
        """Requests a move.

        `limits` replace those of the configuration. The engine is stopped once `stop` is set.
        """
        limits = limits or self._entry.limits
        self._process.drain()
        self._process.send(self._position(line), time.monotonic() + self._entry.start_seconds)
        began = time.monotonic()
        allowed = self._allowed(line.state.to_move, clocks, limits)
        self._process.send(self._go(line, clocks, limits), began + min(allowed, self._entry.move_seconds))
        score: int | None = None
        expected: float | None = None
        best_line: tuple[str, ...] = ()
        while (reply := self._receive(began + allowed, stop)) is not None:
            if reply.startswith("info ") and (match := _SCORE.search(reply)):
                score = _centipawns(match[1], match[2])
                expected = _expected(reply)
                best_line = tuple(reply.partition(" pv ")[2].split()[:_LONGEST_LINE])
            elif reply.startswith("bestmove"):
                spent = time.monotonic() - began
                if spent > allowed and _timed(clocks, limits):
                    raise EngineFailure(FailureReason.TIME, "")
                return self._answer(reply, score, spent, expected, best_line)
        last = self._stop()
        if stop is not None and stop.is_set():
            return self._answer(last, score, time.monotonic() - began)
        if _timed(clocks, limits):
            raise EngineFailure(FailureReason.TIME, "")
        raise EngineFailure(FailureReason.STALLED, f"no move within {allowed:g} seconds")

    def analyse(self, line: PositionHistory) -> int:
        """The score of the position in centipawns for the player to move, by a search within the limits."""
        score = self.choose(line, None).score
        if score is None:
            raise EngineFailure(FailureReason.PROTOCOL_ERROR, "it reported no score")
        return score

    def game_over(self, score: float) -> None:
        """Sends the result of the game; UCI has no command for it."""
        if self._entry.protocol == "usi":
            word = {1.0: "win", 0.0: "lose"}.get(score, "draw")
            self._process.send(f"gameover {word}", time.monotonic() + self._entry.stop_seconds)

    def _shake_hands(self, deadline: float) -> None:
        self._process.send(self._dialect.hello, deadline)
        declared: dict[str, re.Match[str]] = {}
        while (reply := self._process.receive(deadline)) != self._dialect.ready:
            if reply is None:
                detail = f"no {self._dialect.ready} in {self._entry.start_seconds:g} s"
                raise EngineFailure(FailureReason.STALLED, detail)
            if option := _OPTION.fullmatch(reply):
                declared[option["name"].lower()] = option
        for name, value in self._entry.options.items():
            self._check_option(declared, name, value)
            self._process.send(f"setoption name {name} value {value}", deadline)
        for name, value in self._entry.preferences.items():
            if (option := declared.get(name.lower())) and not _unmet(option["type"], option["rest"], value):
                self._process.send(f"setoption name {name} value {value}", deadline)
        self._process.send("isready", deadline)
        self._wait_for("readyok", deadline)

    def _check_option(self, declared: Mapping[str, re.Match[str]], name: str, value: str) -> None:
        """Checks an option against its declaration, because engines ignore unknown options."""
        option = declared.get(name.lower())
        if "\n" in name + value:
            raise EngineFailure(FailureReason.NOT_STARTED, f"option {name!r} is not one line")
        if option is None:
            if self._entry.protocol == "usi" and name in _USI_ALWAYS:
                return
            names = ", ".join(declaration["name"] for declaration in declared.values()) or "none"
            raise EngineFailure(FailureReason.NOT_STARTED, f"it has no option {name!r}; it has {names}")
        if (wanted := _unmet(option["type"], option["rest"], value)) is not None:
            raise EngineFailure(FailureReason.NOT_STARTED, f"option {name} is {wanted}, not {value!r}")

    def _wait_for(self, word: str, deadline: float) -> None:
        while (reply := self._process.receive(deadline)) != word:
            if reply is None:
                detail = f"no {word} within {self._entry.start_seconds:g} seconds"
                raise EngineFailure(FailureReason.STALLED, detail)

    def _position(self, line: PositionHistory) -> str:
        moves = f" moves {' '.join(line.moves)}" if line.moves else ""
        if line.start == type(line.start).initial():
            return f"position startpos{moves}"
        return f"position {self._dialect.start} {line.start.text()}{moves}"

    def _receive(self, deadline: float, stop: Event | None) -> str | None:
        """The next line; None at the deadline or once `stop` is set."""
        if stop is None:
            return self._process.receive(deadline)
        while not stop.is_set() and (now := time.monotonic()) < deadline:
            if (reply := self._process.receive(min(deadline, now + _POLL_SECONDS))) is not None:
                return reply
        return None

    def _go(self, line: PositionHistory, clocks: GameClock | None, limits: SearchLimits) -> str:
        words = ["go"]
        if limits.infinite:
            words.append("infinite")
        elif limits.bounded:
            milliseconds = None if limits.seconds is None else _milliseconds(limits.seconds)
            bounds = {"nodes": limits.nodes, "depth": limits.depth, "movetime": milliseconds}
            for word, bound in bounds.items():
                words += [] if bound is None else [word, str(bound)]
        elif clocks is not None:
            words += self._clock_words(clocks, line.state.to_move)
        if limits.searchmoves:
            words += ["searchmoves", *(line.state.move_text(move) for move in limits.searchmoves)]
        return " ".join(words)

    def _clock_words(self, clocks: GameClock, player: int) -> list[str]:
        words = []
        for side, left in zip(self._dialect.sides, clocks.left, strict=True):
            words += [f"{side}time", _milliseconds(left)]
        control, clock = clocks.control, clocks.clock(player)
        assert control is not None
        assert clock is not None
        if clock.moves_to_go is not None:
            words += ["movestogo", str(clock.moves_to_go)]
        if clock.byoyomi or (self._entry.protocol == "usi" and not control.increment):
            return [*words, "byoyomi", _milliseconds(clock.byoyomi)]
        for side in self._dialect.sides:
            words += [f"{side}inc", _milliseconds(control.increment)]
        return words

    def _allowed(self, player: int, clocks: GameClock | None, limits: SearchLimits) -> float:
        """Seconds until the engine has failed or lost on time."""
        if limits.infinite:
            return math.inf
        if clocks is not None:
            return clocks.allowed(player)
        if limits.seconds is not None:
            return limits.seconds + max(TimeControl.margin, limits.seconds / 2)
        return self._entry.move_seconds

    def _stop(self) -> str:
        """Stops the search and returns the `bestmove` line. An engine that does not obey has failed."""
        deadline = time.monotonic() + self._entry.stop_seconds
        self._process.send("stop", deadline)
        while (reply := self._process.receive(deadline)) is not None:
            if reply.startswith("bestmove"):
                return reply
        detail = f"it searched on for {self._entry.stop_seconds:g} seconds after 'stop'"
        raise EngineFailure(FailureReason.STALLED, detail)

    def _answer(
        self,
        reply: str,
        score: int | None,
        spent: float,
        expected: float | None = None,
        line: tuple[str, ...] = (),
    ) -> PlayResult:
        words = reply.split()
        if len(words) < 2 or words[0] != "bestmove":
            raise EngineFailure(FailureReason.PROTOCOL_ERROR, f"{reply[:60]!r} is no move")
        return PlayResult(None if words[1] == "resign" else words[1], score, spent, expected, line)


def _unmet(kind: str, declaration: str, value: str) -> str | None:
    """What an option of this declaration must be, in words; None if the value is that."""
    match kind:
        case "spin":
            bounds = [int(number) for number in re.findall(r"\b(?:min|max) (-?\d{1,18})\b", declaration)]
            whole = re.fullmatch(r"-?\d{1,18}", value)
            if not whole or (len(bounds) == 2 and not bounds[0] <= int(value) <= bounds[1]):
                return "a number" + (f" from {bounds[0]} to {bounds[1]}" if len(bounds) == 2 else "")
        case "check" if value not in ("true", "false"):
            return "true or false"
        case "combo" if value not in (choices := re.findall(r"var (.+?)(?= var |$)", declaration)):
            return f"one of {', '.join(choices)}"
    return None


def _timed(clocks: GameClock | None, limits: SearchLimits) -> bool:
    return not limits.infinite and (clocks is not None or limits.seconds is not None)


def _centipawns(kind: str, number: str) -> int | None:
    """A score in centipawns. USI has `mate +` and `mate -` for mates of unknown length."""
    if kind == "mate":
        far = max(-1000, min(1000, int(number))) if number.strip("+-") else 0
        return -_MATE - far if number.startswith("-") else _MATE - far
    return max(-30_000, min(30_000, int(number))) if number.strip("+-") else None


def _expected(line: str) -> float | None:
    """The expected score of an `info` line; None where it has no chances."""
    if (match := _CHANCES.search(line)) is None or not (total := sum(map(int, match.groups()))):
        return None
    return (int(match[1]) + int(match[2]) / 2) / total


def _milliseconds(seconds: float) -> str:
    return str(max(0, round(seconds * 1000)))
