"""The GTP commands about the board, the rules and the clock."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from sparring._core import GoState
from sparring.engines.gtp_board import COLOURS, GtpBoard, GtpError, load_sgf
from sparring.engines.gtp_clock import GtpClock
from sparring.engines.stdio import SendLine
from sparring.games import Go, Move, ParseError
from sparring.players.go_dead_stones import dead_stones

Arguments: TypeAlias = Sequence[str]
GtpResponse: TypeAlias = str | Callable[[SendLine], None]
"""An answer, or a function that sends one line by line."""

_MOST_STONES = 9
_STATUSES = ("alive", "seki", "dead")


class GtpGame:
    """The board and the clock of a GTP engine."""

    def __init__(self) -> None:
        self.board = GtpBoard.of(Go().initial())
        self.clock = GtpClock()
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
            "time_left": self._tell_time,
            "kgs-time_settings": self._set_kgs_time,
            "final_score": self._score,
            "final_status_list": self._list_statuses,
            "showboard": self._show,
            "loadsgf": self._load_sgf,
            "kgs-rules": self._set_kgs_rules,
            "kata-set-rules": self._set_rules,
            "kata-get-rules": lambda words: self.board.rules(),
        }

    def _set_size(self, words: Arguments) -> str:
        size = parse_int(words, 0)
        now = Go.of(self.board.state)
        try:
            game = Go(size, now.komi, now.ko, now.suicide, now.scoring, now.tax)
        except ParseError:
            raise GtpError("unacceptable size") from None
        self._begin(GtpBoard.of(game.initial()))
        return ""

    def _clear(self, words: Arguments) -> str:
        self._begin(self.board.cleared())
        return ""

    def _set_komi(self, words: Arguments) -> str:
        self.board = self.board.with_komi(_number(words, 0))
        return ""

    def _play(self, words: Arguments) -> str:
        if len(words) != 2:
            raise GtpError("syntax error: a colour and a vertex expected")
        self.board = self.board.played(parse_colour(words[0]), self._vertex(words[1]))
        return ""

    def _undo(self, words: Arguments) -> str:
        self.board = self.board.undone()
        return ""

    def _place_handicap(self, words: Arguments, *, fewer: bool) -> str:
        """Places handicap stones on the fixed points. With `fewer`, the engine may place fewer stones than
        requested, as GTP allows."""
        requested = parse_int(words, 0)
        size = self.board.state.size
        for count in range(min(requested, _MOST_STONES), 1, -1):
            try:
                stones = Go(size, handicap=count).initial().stones[0]
            except ParseError:
                if fewer:
                    continue
                break
            if count < requested and not fewer:
                break
            self.board = self.board.with_handicap(stones)
            return self._vertices(stones)
        raise GtpError("invalid number of stones")

    def _set_handicap(self, words: Arguments) -> str:
        stones = [self._vertex(word) for word in words]
        if len(stones) < 2 or len(set(stones)) < len(stones) or self.board.state.size**2 in stones:
            raise GtpError("bad vertex list")
        self.board = self.board.with_handicap(stones)
        return ""

    def _set_time(self, words: Arguments) -> str:
        self.clock.set(_number(words, 0), _number(words, 1), parse_int(words, 2))
        return ""

    def _tell_time(self, words: Arguments) -> str:
        self.clock.set_time_left(
            parse_colour(words[0] if words else ""), _number(words, 1), parse_int(words, 2)
        )
        return ""

    def _set_kgs_time(self, words: Arguments) -> str:
        self.clock.set_kgs(words)
        return ""

    def _score(self, words: Arguments) -> str:
        state = self.board.state
        black, white = state.score(self._dead())
        if black == white:
            return "0"
        return f"B+{black - white:g}" if black > white else f"W+{white - black:g}"

    def _list_statuses(self, words: Arguments) -> str:
        """Lists stones by status, as `final_score` counts them. Stones in seki are listed as alive."""
        if len(words) != 1 or words[0].lower() not in _STATUSES:
            raise GtpError(f"syntax error: one of {', '.join(_STATUSES)} expected")
        state, status = self.board.state, words[0].lower()
        dead = self._dead() if status in ("alive", "dead") else []
        alive = [point for stones in state.stones for point in stones if point not in dead]
        return self._vertices({"alive": alive, "dead": dead}.get(status, []))

    def _dead(self) -> list[Move]:
        state = self.board.state
        return dead_stones(state, self.ownership(state))

    def _show(self, words: Arguments) -> str:
        state = self.board.state
        return f"\n{Go.of(state).diagram(state)}"

    def _load_sgf(self, words: Arguments) -> str:
        if not words:
            raise GtpError("syntax error: a file expected")
        before = parse_int(words, len(words) - 1) if len(words) > 1 and words[-1].isdecimal() else None
        path = Path(" ".join(words if before is None else words[:-1]))
        self._begin(load_sgf(path, before))
        return "White" if self.board.state.to_move else "Black"

    def _set_kgs_rules(self, words: Arguments) -> str:
        """Sets rules by KGS's names; its Chinese rules have positional superko."""
        name = " ".join(words)
        return self._set_rules(["chinese-kgs"] if name.lower() == "chinese" else [name])

    def _set_rules(self, words: Arguments) -> str:
        self.board = self.board.with_rules(" ".join(words))
        return ""

    def _begin(self, board: GtpBoard) -> None:
        self.board = board
        self.games += 1

    def _vertex(self, text: str) -> Move:
        try:
            return self.board.state.parse_move(text)
        except ParseError:
            raise GtpError("invalid color or coordinate") from None

    def _vertices(self, points: Sequence[Move]) -> str:
        return " ".join(self.board.state.move_text(point) for point in points)


def parse_colour(text: str) -> int:
    """The player of a colour. Raises GtpError."""
    player = COLOURS.get(text.lower())
    if player is None:
        raise GtpError("invalid color or coordinate")
    return player


def parse_int(words: Arguments, index: int) -> int:
    """An integer among the arguments. Raises GtpError."""
    number = _number(words, index)
    if number != int(number):
        raise GtpError("syntax error: a whole number expected")
    return int(number)


def _number(words: Arguments, index: int) -> float:
    try:
        number = float(words[index])
    except (IndexError, ValueError):
        raise GtpError("syntax error: a number expected") from None
    if not math.isfinite(number):
        raise GtpError("syntax error: a number expected")
    return number
