"""The GTP commands about the board, the rules and the clock: what needs no thought."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeAlias

from sparring.engines.gtp_board import COLOURS, Board, Refused, board_of_sgf
from sparring.engines.gtp_time import GameClock
from sparring.engines.pipes import Say
from sparring.games import BadText, Go, Move

Words: TypeAlias = Sequence[str]
Answer: TypeAlias = str | Callable[[Say], None]
"""An answer, or what says one line by line until it ends."""

_MOST_STONES = 9
_STATUSES = ("alive", "seki", "dead")


class Table:
    """A board and a clock."""

    def __init__(self) -> None:
        self.board = Board.of(Go().initial())
        self.clock = GameClock()
        self.games = 0
        """How often another game was begun."""

    def commands(self) -> dict[str, Callable[[Words], Answer]]:
        """By name."""
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

    def _set_size(self, words: Words) -> str:
        size = whole(words, 0)
        now = Go.of(self.board.state)
        try:
            game = Go(size, now.komi, now.ko, now.suicide, now.scoring, now.tax)
        except BadText:
            raise Refused("unacceptable size") from None
        self._begin(Board.of(game.initial()))
        return ""

    def _clear(self, words: Words) -> str:
        self._begin(self.board.cleared())
        return ""

    def _set_komi(self, words: Words) -> str:
        self.board = self.board.with_komi(_number(words, 0))
        return ""

    def _play(self, words: Words) -> str:
        if len(words) != 2:
            raise Refused("syntax error: a colour and a vertex expected")
        self.board = self.board.played(colour(words[0]), self._vertex(words[1]))
        return ""

    def _undo(self, words: Words) -> str:
        self.board = self.board.undone()
        return ""

    def _place_handicap(self, words: Words, *, fewer: bool) -> str:
        """Stones on the usual points; GTP lets an engine place fewer than asked where it chooses itself."""
        asked = whole(words, 0)
        size = self.board.state.size
        for count in range(min(asked, _MOST_STONES), 1, -1):
            try:
                stones = Go(size, handicap=count).initial().stones[0]
            except BadText:
                if fewer:
                    continue
                break
            if count < asked and not fewer:
                break
            self.board = self.board.with_handicap(stones)
            return self._vertices(stones)
        raise Refused("invalid number of stones")

    def _set_handicap(self, words: Words) -> str:
        stones = [self._vertex(word) for word in words]
        if len(stones) < 2 or len(set(stones)) < len(stones) or self.board.state.size**2 in stones:
            raise Refused("bad vertex list")
        self.board = self.board.with_handicap(stones)
        return ""

    def _set_time(self, words: Words) -> str:
        self.clock.set(_number(words, 0), _number(words, 1), whole(words, 2))
        return ""

    def _tell_time(self, words: Words) -> str:
        self.clock.tell(colour(words[0] if words else ""), _number(words, 1), whole(words, 2))
        return ""

    def _set_kgs_time(self, words: Words) -> str:
        self.clock.set_kgs(words)
        return ""

    def _score(self, words: Words) -> str:
        black, white = self.board.state.score()
        if black == white:
            return "0"
        return f"B+{black - white:g}" if black > white else f"W+{white - black:g}"

    def _list_statuses(self, words: Words) -> str:
        """Every stone that stands counts as alive, as in `final_score`."""
        if len(words) != 1 or words[0].lower() not in _STATUSES:
            raise Refused(f"syntax error: one of {', '.join(_STATUSES)} expected")
        black, white = self.board.state.stones
        return self._vertices([*black, *white]) if words[0].lower() == "alive" else ""

    def _show(self, words: Words) -> str:
        state = self.board.state
        return f"\n{Go.of(state).diagram(state)}"

    def _load_sgf(self, words: Words) -> str:
        if not words:
            raise Refused("syntax error: a file expected")
        before = whole(words, len(words) - 1) if len(words) > 1 and words[-1].isdecimal() else None
        path = Path(" ".join(words if before is None else words[:-1]))
        self._begin(board_of_sgf(path, before))
        return "White" if self.board.state.to_move else "Black"

    def _set_kgs_rules(self, words: Words) -> str:
        """KGS plays its Chinese rules with positional superko."""
        name = " ".join(words)
        return self._set_rules(["chinese-kgs"] if name.lower() == "chinese" else [name])

    def _set_rules(self, words: Words) -> str:
        self.board = self.board.with_rules(" ".join(words))
        return ""

    def _begin(self, board: Board) -> None:
        self.board = board
        self.games += 1

    def _vertex(self, text: str) -> Move:
        try:
            return self.board.state.parse_move(text)
        except BadText:
            raise Refused("invalid color or coordinate") from None

    def _vertices(self, points: Sequence[Move]) -> str:
        return " ".join(self.board.state.move_text(point) for point in points)


def colour(text: str) -> int:
    """The player that a colour names. Raises Refused."""
    player = COLOURS.get(text.lower())
    if player is None:
        raise Refused("invalid color or coordinate")
    return player


def whole(words: Words, index: int) -> int:
    """A whole number among the arguments. Raises Refused."""
    number = _number(words, index)
    if number != int(number):
        raise Refused("syntax error: a whole number expected")
    return int(number)


def _number(words: Words, index: int) -> float:
    try:
        number = float(words[index])
    except (IndexError, ValueError):
        raise Refused("syntax error: a number expected") from None
    if not math.isfinite(number):
        raise Refused("syntax error: a number expected")
    return number
