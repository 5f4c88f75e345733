"""The board of a GTP engine: either colour may play at any time; moves and rules can be changed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any, Self

from sparring._core import GoState
from sparring.games import Go, IllegalMove, Move, ParseError
from sparring.games.go import DESCRIPTION
from sparring.games.history import states_to
from sparring.records.sgf import read_sgf

COLOURS = {"b": 0, "black": 0, "w": 1, "white": 1}
_KOMI, _RULES = 6, 7
"""Positions of komi and rules among the words of a state's text."""


class GtpError(Exception):
    """A command that fails; the message is the answer to the GUI."""


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

    @property
    def empty(self) -> bool:
        """Whether there are no stones and no moves."""
        return not self.moves and not any(self.state.stones)

    def played(self, player: int, move: Move) -> GtpBoard:
        """The board after a move of either player. Raises GtpError."""
        try:
            state = with_player_to_move(self.state, player).play_past_end(move)
        except IllegalMove:
            raise GtpError("illegal move") from None
        return GtpBoard(self.start, (*self.moves, (player, move)), state)

    def undone(self) -> GtpBoard:
        """The board before the last move. Raises GtpError."""
        if not self.moves:
            raise GtpError("cannot undo")
        return _replayed(self.start, self.moves[:-1])

    def cleared(self) -> GtpBoard:
        """The empty board with the same rules."""
        return GtpBoard.of(Go.of(self.state).initial())

    def with_komi(self, komi: float) -> GtpBoard:
        """The same game with another komi. Raises GtpError."""
        return self._rewritten(_KOMI, [f"{komi:g}"])

    def with_rules(self, text: str) -> GtpBoard:
        """The same game with other rules: a name, or JSON as in KataGo. Raises GtpError."""
        return self._rewritten(_RULES, _rule_words(text, Go.of(self.state)))

    def with_handicap(self, points: list[Move]) -> GtpBoard:
        """The empty board with handicap stones, White to move. Raises GtpError."""
        if not self.empty:
            raise GtpError("board not empty")
        board = self
        for point in points:
            board = board.played(0, point)
        return GtpBoard.of(with_player_to_move(board.state, 1))

    def rules(self) -> str:
        """The answer of `kata-get-rules`."""
        state = self.state
        return json.dumps(
            {
                "hasButton": False,
                "ko": state.ko.upper(),
                "scoring": state.scoring.upper(),
                "suicide": state.suicide,
                "tax": state.tax.upper(),
                "whiteHandicapBonus": "0",
            },
            separators=(",", ":"),
        )

    def _rewritten(self, word: int, words: list[str]) -> GtpBoard:
        before = self.start.text().split()
        after = words if word == _RULES else [*words, *before[word + 1 :]]
        try:
            return _replayed(GoState.parse(" ".join([*before[:word], *after])), self.moves)
        except ParseError as error:
            raise GtpError(str(error)) from None


def with_player_to_move(state: GoState, player: int) -> GoState:
    """The position with a player to move. If it was the other's turn, ko and passes are reset."""
    if state.to_move == player:
        return state
    rows, _, _, by_black, by_white, _, *rest = state.text().split()
    return GoState.parse(" ".join([rows, "bw"[player], "-", by_black, by_white, "0", *rest]))


def resumed(state: GoState) -> GoState:
    """The position with play resumed after two passes, as servers allow."""
    if state.outcome is None:
        return state
    words = state.text().split()
    return GoState.parse(" ".join([*words[:5], "0", *words[6:]]))


def load_sgf(path: Path, before: int | None) -> GtpBoard:
    """The main line of a file's first game, up to the move before number `before`. Raises GtpError."""
    try:
        if path.exists() and not path.is_file():
            raise GtpError("cannot load file: it is not a regular file")
        with path.open("rb") as file:
            found = next(read_sgf(iter(lambda: file.read(1 << 16), b"")), None)
    except OSError as error:
        raise GtpError(f"cannot load file: {error.strerror}") from None
    if found is None or found.record is None:
        raise GtpError(f"cannot load file: {found.error if found else 'it is empty'}")
    start = Go().initial() if found.record.start is None else GoState.parse(found.record.start)
    states = states_to(start.unpack_moves(found.record.moves, DESCRIPTION.packed_move_bytes))
    line = [
        (state.to_move, after.last_move) for state, after in pairwise(states) if after.last_move is not None
    ]
    return _replayed(start, tuple(line if before is None else line[: max(before - 1, 0)]))


def _replayed(start: GoState, moves: tuple[tuple[int, Move], ...]) -> GtpBoard:
    board = GtpBoard.of(start)
    for player, move in moves:
        board = board.played(player, move)
    return board


def _rule_words(text: str, now: Go) -> list[str]:
    """The words for these rules in a state's text."""
    try:
        if not text.startswith("{"):
            game = Go.by_rules(text, now.size, now.komi)
        else:
            game = _of_json(json.loads(text), now)
        return game.initial().text().split()[_RULES:]
    except (ParseError, ValueError, TypeError) as error:
        raise GtpError(f"rules: {error}") from None


def _of_json(entries: Any, now: Go) -> Go:
    if not isinstance(entries, dict) or entries.get("hasButton"):
        raise ParseError("an object without hasButton is expected")
    given = {key: str(entries[key]).lower() for key in ("ko", "scoring", "tax") if key in entries}
    ko, scoring, tax = (given.get(key, getattr(now, key)) for key in ("ko", "scoring", "tax"))
    return Go(now.size, now.komi, ko, bool(entries.get("suicide", now.suicide)), scoring, tax)
