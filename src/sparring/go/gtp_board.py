"""The GTP commands about the board, the rules and the clock."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from pathlib import Path
from typing import Any, Self, TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.base.clock import GameClock, TimeControl
from sparring.base.errors import UserError
from sparring.engines.server import SendLine
from sparring.games import IllegalMove, Move, ParseError
from sparring.go.counting import dead_stones
from sparring.go.game import Go
from sparring.go.sgf import read_sgf

# The board of a GTP engine: either colour may play at any time; moves and rules can be changed.


COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
_KOMI, _RULES = 6, 7
"""Positions of komi and rules among the words of a state's text."""


@dataclass(frozen=True)
class GtpBoard:
    """A start position and the moves since."""

    start: GoState
    moves: tuple[tuple[int, Move], ...]
    state: GoState

    @classmethod
    def of(cls, start: GoState) -> Self:
        """A board without moves."""
        return cls(start, (), start)

    def played(self, player: int, move: Move) -> GtpBoard:
        """The board after a move of either player. Raises UserError."""
        try:
            state = with_player_to_move(self.state, player).play_past_end(move)
        except IllegalMove:
            raise UserError("illegal move") from None
        return GtpBoard(self.start, (*self.moves, (player, move)), state)

    def without_last_move(self) -> GtpBoard:
        """The board before the last move. Raises UserError."""
        if not self.moves:
            raise UserError("cannot undo")
        return _replayed(self.start, self.moves[:-1])

    def with_komi(self, komi: float) -> GtpBoard:
        """The same game with another komi. Raises UserError."""
        words = self.start.text().split()
        return self._restarted([*words[:_KOMI], f"{komi:g}", *words[_KOMI + 1 :]])

    def with_rules(self, text: str) -> GtpBoard:
        """The same game with other rules: a name, or JSON as in KataGo. Raises UserError."""
        return self._restarted([*self.start.text().split()[:_RULES], *rule_words(text, Go.of(self.state))])

    def with_handicap(self, points: list[Move]) -> GtpBoard:
        """The empty board with handicap stones, White to move. Raises UserError."""
        if self.moves or any(self.state.stones):
            raise UserError("board not empty")
        board = self
        for point in points:
            board = board.played(0, point)
        return GtpBoard.of(with_player_to_move(board.state, 1))

    def rules(self) -> str:
        """The answer of `kata-get-rules`."""
        state = self.state
        rules = {
            "hasButton": False,
            "ko": state.ko.upper(),
            "scoring": state.scoring.upper(),
            "suicide": state.suicide,
            "tax": state.tax.upper(),
            "whiteHandicapBonus": "0",
        }
        return json.dumps(rules, separators=(",", ":"))

    def _restarted(self, start: list[str]) -> GtpBoard:
        """The game from a start given in the words of its text."""
        try:
            return _replayed(GoState.parse(" ".join(start)), self.moves)
        except ParseError as error:
            raise UserError(str(error)) from None


def with_player_to_move(state: GoState, player: int) -> GoState:
    """The position with a player to move. If it was the other's turn, ko and passes are reset."""
    return state if state.to_move == player else without_history(state, player)


def without_history(state: GoState, player: int) -> GoState:
    """The position with a player to move and without the moves before it: ko and passes are reset."""
    rows, _, _, by_black, by_white, _, *rest = state.text().split()
    return GoState.parse(" ".join([rows, "bw"[player], "-", by_black, by_white, "0", *rest]))


def load_sgf(path: Path, before: int | None) -> GtpBoard:
    """The main line of a file's first game, up to the move before number `before`. Raises UserError."""
    try:
        if path.exists() and not path.is_file():
            raise UserError("cannot load file: it is not a regular file")
        with path.open("rb") as file:
            parsed = next(read_sgf(iter(lambda: file.read(1 << 16), b"")), None)
    except OSError as error:
        raise UserError(f"cannot load file: {error.strerror}") from None
    if parsed is None or parsed.record is None:
        raise UserError(f"cannot load file: {parsed.error if parsed else 'it is empty'}")
    states = parsed.record.states("go")
    line = [(state.to_move, after.last_move) for state, after in pairwise(states)]
    return _replayed(states[0], tuple(line if before is None else line[: max(before - 1, 0)]))


def _replayed(start: GoState, moves: tuple[tuple[int, Move], ...]) -> GtpBoard:
    board = GtpBoard.of(start)
    for player, move in moves:
        board = board.played(player, move)
    return board


def rule_words(text: str, now: Go) -> list[str]:
    """The words in a state's text for rules given by a name, or as JSON in KataGo's form. Keys that the JSON
    omits keep their value in `now`. Raises UserError."""
    try:
        is_name = not text.startswith("{")
        game = Go.by_rules(text, now.size, now.komi) if is_name else _of_json(json.loads(text), now)
        return game.initial().text().split()[_RULES:]
    except (ParseError, ValueError, TypeError) as error:
        raise UserError(f"rules: {error}") from None


def _of_json(entries: Any, now: Go) -> Go:
    if not isinstance(entries, dict) or entries.get("hasButton"):
        raise ParseError("an object without hasButton is expected")
    given = {key: str(entries[key]).lower() for key in ("ko", "scoring", "tax") if key in entries}
    ko, scoring, tax = (given.get(key, getattr(now, key)) for key in ("ko", "scoring", "tax"))
    return Go(now.size, now.komi, ko, bool(entries.get("suicide", now.suicide)), scoring, tax)


# The clocks of a game of Go, as GTP and KGS set them. GUIs send the time before every move, or only the
# settings.


def time_settings(main: float, period: float, stones: int) -> TimeControl | None:
    """The time control of `time_settings`: seconds of main time, seconds and stones of a Canadian period."""
    if period > 0 and stones == 0:  # GTP's form of no time limit
        return None
    return TimeControl(main, byoyomi=period, byoyomi_moves=stones)


def kgs_time_settings(words: Sequence[str]) -> TimeControl | None:
    """The time control of `kgs-time_settings`: none, absolute, canadian or byoyomi. Raises UserError."""
    kind = words[0].lower() if words else ""
    sizes = {"none": 0, "absolute": 1, "canadian": 3, "byoyomi": 3}
    if kind not in sizes or len(words) != 1 + sizes[kind]:
        raise UserError("syntax error: none, absolute T, canadian T P STONES or byoyomi T P PERIODS")
    try:
        numbers = [float(word) for word in words[1:]]
    except ValueError:
        raise UserError("syntax error: numbers expected") from None
    main, period, count = (*numbers, 0.0, 0.0, 0.0)[:3]
    if kind == "none":
        return None
    if kind == "byoyomi":
        return TimeControl(main, byoyomi=period, periods=max(int(count), 1))
    return TimeControl(main, byoyomi=period, byoyomi_moves=int(count))


def set_time_left(clock: GameClock, player: int, seconds: float, stones: int) -> None:
    """Applies `time_left`; with stones, the time is that of a period. KGS sends periods instead of stones."""
    if clock.control is None:
        clock.control = TimeControl(seconds)
    if clock.control.byoyomi > 0 and not clock.control.byoyomi_moves and stones > 0:
        clock.set_period(player, seconds, stones)
    else:
        clock.set_left(player, seconds, stones)


def spend_time(clock: GameClock, player: int, seconds: float) -> None:
    """Takes the time of a move off a clock, for GUIs that send no `time_left`. They judge fallen flags."""
    if not clock.spend(player, seconds):
        clock.set_left(player, 0.0)


Arguments: TypeAlias = Sequence[str]
GtpResponse: TypeAlias = str | Callable[[SendLine], None] | None
"""An answer, a function that sends one line by line, or None for an empty answer."""

_MOST_STONES = 9
_STATUSES = ("alive", "seki", "dead")


class GtpGame:
    """The board and the clock of a GTP engine."""

    def __init__(self) -> None:
        self.board = GtpBoard.of(Go().initial())
        self.clock = GameClock(None)
        self.games = 0
        """Number of games that were begun."""
        self.ownership: Callable[[GoState], NDArray[np.float32] | None] = lambda state: None
        """(state) -> the network's ownership for the player to move; None if playouts find dead stones."""

    def commands(self) -> dict[str, Callable[[Arguments], GtpResponse]]:
        """The commands by name."""
        return {
            "boardsize": self._set_size,
            "clear_board": self._clear,
            "komi": self._set_komi,
            "play": self._play,
            "undo": self._undo,
            "fixed_handicap": partial(self._place_handicap, fewer=False),
            "place_free_handicap": partial(self._place_handicap, fewer=True),
            "set_free_handicap": self._set_handicap,
            "time_settings": self._set_time,
            "time_left": self._set_time_left,
            "kgs-time_settings": self._set_kgs_time,
            "final_score": self._score,
            "final_status_list": self._list_statuses,
            "showboard": self._show,
            "loadsgf": self._load_sgf,
            "kgs-rules": self._set_kgs_rules,
            "kata-set-rules": self._set_rules,
            "kata-get-rules": lambda words: self.board.rules(),
        }

    def _set_size(self, words: Arguments) -> None:
        size = parse_int(words, 0)
        now = Go.of(self.board.state)
        try:
            game = Go(size, now.komi, now.ko, now.suicide, now.scoring, now.tax)
        except ParseError:
            raise UserError("unacceptable size") from None
        self._begin(GtpBoard.of(game.initial()))

    def _clear(self, words: Arguments) -> None:
        self._begin(GtpBoard.of(Go.of(self.board.state).initial()))

    def _set_komi(self, words: Arguments) -> None:
        self.board = self.board.with_komi(_number(words, 0))

    def _play(self, words: Arguments) -> None:
        if len(words) != 2:
            raise UserError("syntax error: a colour and a vertex expected")
        self.board = self.board.played(parse_colour(words[0]), self._vertex(words[1]))

    def _undo(self, words: Arguments) -> None:
        self.board = self.board.without_last_move()

    def _place_handicap(self, words: Arguments, *, fewer: bool) -> str:
        """Places handicap stones on the fixed points. With `fewer`, the engine may place fewer stones than
        requested, as GTP allows."""
        requested = parse_int(words, 0)
        counts = range(min(requested, _MOST_STONES), 1, -1)
        for count in counts if fewer or requested <= _MOST_STONES else ():
            try:
                stones = Go(self.board.state.size, handicap=count).initial().stones[0]
            except ParseError:
                if not fewer:
                    break
            else:
                self.board = self.board.with_handicap(stones)
                return self._vertices(stones)
        raise UserError("invalid number of stones")

    def _set_handicap(self, words: Arguments) -> None:
        stones = [self._vertex(word) for word in words]
        if len(stones) < 2 or len(set(stones)) < len(stones) or self.board.state.size**2 in stones:
            raise UserError("bad vertex list")
        self.board = self.board.with_handicap(stones)

    def _set_time(self, words: Arguments) -> None:
        self.clock = GameClock(time_settings(_number(words, 0), _number(words, 1), parse_int(words, 2)))

    def _set_time_left(self, words: Arguments) -> None:
        player = parse_colour(words[0] if words else "")
        set_time_left(self.clock, player, _number(words, 1), parse_int(words, 2))

    def _set_kgs_time(self, words: Arguments) -> None:
        self.clock = GameClock(kgs_time_settings(words))

    def _score(self, words: Arguments) -> str:
        state = self.board.state
        black, white = state.score(self._dead())
        if black == white:
            return "0"
        return f"B+{black - white:g}" if black > white else f"W+{white - black:g}"

    def _list_statuses(self, words: Arguments) -> str:
        """Lists stones by status, as `final_score` counts them. Stones in seki are listed as alive."""
        if len(words) != 1 or words[0].lower() not in _STATUSES:
            raise UserError(f"syntax error: one of {', '.join(_STATUSES)} expected")
        state, status = self.board.state, words[0].lower()
        dead = self._dead() if status in ("alive", "dead") else []
        alive = [point for stones in state.stones for point in stones if point not in dead]
        return self._vertices({"alive": alive, "dead": dead}.get(status, []))

    def _dead(self) -> list[Move]:
        return dead_stones(self.board.state, self.ownership(self.board.state))

    def _show(self, words: Arguments) -> str:
        return f"\n{Go.of(self.board.state).diagram(self.board.state)}"

    def _load_sgf(self, words: Arguments) -> str:
        if not words:
            raise UserError("syntax error: a file expected")
        before = parse_int(words, len(words) - 1) if len(words) > 1 and words[-1].isdecimal() else None
        path = Path(" ".join(words if before is None else words[:-1]))
        self._begin(load_sgf(path, before))
        return "White" if self.board.state.to_move else "Black"

    def _set_kgs_rules(self, words: Arguments) -> None:
        """Sets rules by KGS's names; its Chinese rules have positional superko."""
        name = " ".join(words)
        self._set_rules(["chinese-kgs"] if name.lower() == "chinese" else [name])

    def _set_rules(self, words: Arguments) -> None:
        self.board = self.board.with_rules(" ".join(words))

    def _begin(self, board: GtpBoard) -> None:
        self.board = board
        self.games += 1

    def _vertex(self, text: str) -> Move:
        try:
            return self.board.state.parse_move(text)
        except ParseError:
            raise UserError("invalid color or coordinate") from None

    def _vertices(self, points: Sequence[Move]) -> str:
        return " ".join(self.board.state.move_text(point) for point in points)


def parse_colour(text: str) -> int:
    """The player of a colour. Raises UserError."""
    player = COLOURS.get(text.lower())
    if player is None:
        raise UserError("invalid color or coordinate")
    return player


def parse_int(words: Arguments, index: int) -> int:
    """An integer among the arguments. Raises UserError."""
    number = _number(words, index)
    if number != int(number):
        raise UserError("syntax error: a whole number expected")
    return int(number)


def _number(words: Arguments, index: int) -> float:
    try:
        number = float(words[index])
    except (IndexError, ValueError):
        raise UserError("syntax error: a number expected") from None
    if not math.isfinite(number):
        raise UserError("syntax error: a number expected")
    return number
