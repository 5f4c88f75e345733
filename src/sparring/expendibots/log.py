"""Reads and writes logs of the Expendibots course referee.

A log has a start line, a line per action, and an end line:

    [game ] - Start game log at Sun Nov 15 07:25:24 2026
    [white] - MOVE 1 from (0, 1) to (0, 2).
    [black] - BOOM at (6, 1).
    [over ] - winner: white

A file may hold several logs. An illegal action ends a log with `[error]`, and its player loses. A log without
an end (the referee writes none when a player exceeds its time or memory) is a game without a result. The text
of the start line becomes the record's `site`: nothing else distinguishes games of deterministic players.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from sparring._core import ExpendibotsState
from sparring.expendibots.game import Expendibots
from sparring.expendibots.plugin import DESCRIPTION
from sparring.games.states import states_to
from sparring.play.result import GameResult
from sparring.records.record import GameRecord, ParsedGame, Termination, error_text, parse_safely
from sparring.records.sources import TextLine, read_lines

_LONGEST = 1000
"""Maximal bytes of a line; real lines have a tenth of this."""
_LINE = re.compile(r"\[(game |white|black|over |error)\] - (.*)")
_START = "Start game log at "
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_ASCTIME = re.compile(rf"\w{{3}} ({'|'.join(_MONTHS)}) +(\d{{1,2}}) [\d:]{{8}} (\d{{4}})")
_LOSER = re.compile(r"\((white|black)\)")
_ERRORS = {"illegal action": Termination.RULES, "resource limit": Termination.TIME}
_DRAWS = {
    "all tokens gone": "no tokens remaining",
    "repetition": "game state occurred 4 times.",
    "move limit": "maximum number of turns reached.",
}
_PLAYERS = ("white", "black")
_WIDTH = DESCRIPTION.packed_move_bytes


def read_logs(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a file of referee logs, from byte `skip` on (the `end` of an earlier game)."""
    log: _Log | None = None
    end = skip
    for line in read_lines(chunks, skip, _LONGEST):
        text = line.text.decode(errors="replace")
        if text.startswith("[game ]"):
            if log is not None and not log.emitted:
                yield log.parsed(end)
            log = _Log(line)
        elif log is None:
            log = _Log(line) if text.strip() else None
        if log is not None and not log.emitted and text.strip():
            log.feed(text, line)
            if log.over:
                yield log.parsed(line.end)
                log.emitted = True
        end = line.end
    if log is not None and not log.emitted:
        yield log.parsed(end)


class _Log:
    """The parser of one game."""

    def __init__(self, line: TextLine) -> None:
        self.over = False
        self.emitted = False
        """Whether the game was yielded; lines up to the next start are then skipped."""
        self._where = f"line {line.number:,}"
        self._state = Expendibots().initial()
        self._started: str | None = None
        self._result: float | None = None
        self._ending = Termination.UNKNOWN
        self._error = ""

    def feed(self, text: str, line: TextLine) -> None:
        """Parses the next line; an error ends the game."""
        try:
            self._take(text, line)
        except Exception as error:
            self._error = f"line {line.number:,}: {error_text(error)}"
            self.over = True

    def _take(self, text: str, line: TextLine) -> None:
        match = _LINE.fullmatch(text)
        if not match or not line.whole:
            raise ValueError(f"no line of a referee's log: {text[:40]!r}")
        kind, message = match[1].strip(), match[2]
        if kind == "game":
            self._started = message.removeprefix(_START)
        elif kind == "over":
            self._finish(message)
        elif kind == "error":
            self._fail(message)
        elif kind != _PLAYERS[self._state.to_move]:
            raise ValueError(f"it is not {kind}'s turn")
        else:
            self._state = self._state.play(self._state.parse_move(message))

    def _finish(self, message: str) -> None:
        if message != _over(self._state):
            raise ValueError(
                f"{message[:60]!r}, but by the rules {_over(self._state) or 'the game goes on'!r}"
            )
        self._result, self._ending, self.over = _result(self._state), Termination.NORMAL, True

    def _fail(self, message: str) -> None:
        endings = (ending for words, ending in _ERRORS.items() if message.startswith(words))
        self._ending = next(endings, Termination.UNKNOWN)
        loser = _LOSER.search(message)
        self._result = float(loser[1] == "black") if loser else None
        self.over = True

    def parsed(self, end: int) -> ParsedGame:
        """The game so far."""
        if self._error:
            return ParsedGame(None, self._error, self._where, end)
        return parse_safely(self._record, self._where, end)

    def _record(self) -> GameRecord:
        return GameRecord(
            moves=self._state.pack_moves(_WIDTH),
            result=self._result,
            ending=self._ending,
            date=_date(self._started),
            site=self._started,
        )


def _over(state: ExpendibotsState) -> str:
    """The referee's message at the end of the game; empty if the game is not over."""
    if state.outcome is None:
        return ""
    if state.outcome.winner is None:
        return f"draw detected: {_DRAWS[state.outcome.reason]}"
    return f"winner: {_PLAYERS[state.outcome.winner]}"


def _result(state: ExpendibotsState) -> float:
    score = None if state.outcome is None else GameResult.by_rules(state.outcome).score(0)
    return 0.5 if score is None else score


def _date(text: str | None) -> datetime.date | None:
    match = _ASCTIME.fullmatch(text or "")
    try:
        return datetime.date(int(match[3]), _MONTHS.index(match[1]) + 1, int(match[2])) if match else None
    except ValueError:
        return None


def to_log(record: GameRecord) -> str:
    """An Expendibots record as a referee log. Illegal actions are not recorded and not written."""
    state = Expendibots().initial().unpack_moves(record.moves, _WIDTH)
    actions = [
        f"[{_PLAYERS[before.to_move]}] - {_action(before, after.last_move)}\n"
        for before, after in pairwise(states_to(state))
        if after.last_move is not None
    ]
    started = record.site or "an unknown time"
    return f"[game ] - {_START}{started}\n" + "".join(actions) + _last_line(record, state)


def _last_line(record: GameRecord, state: ExpendibotsState) -> str:
    if record.ending is Termination.NORMAL:
        return f"[over ] - {_over(state)}\n"
    loser = {1.0: " (black)", 0.0: " (white)"}.get(-1.0 if record.result is None else record.result, "")
    if record.ending is Termination.RULES:
        return f"[error] - illegal action detected{loser}: not recorded.\n"
    return f"[error] - resource limit exceeded{loser}!\n" if record.ending is Termination.TIME else ""


def _action(state: ExpendibotsState, move: int) -> str:
    action = state.action(move)
    if len(action) == 2:
        return f"BOOM at {action[1]}."
    return f"MOVE {action[1]} from {action[2]} to {action[3]}."
