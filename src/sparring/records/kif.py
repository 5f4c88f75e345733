"""KIF and KI2, the notations of Japanese shogi programs, to game records; cshogi reads the moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sparring.records.kif_start import ANOTHER_START, HANDICAPS, Diagram
from sparring.records.lines import Line
from sparring.records.record import Ending, Found
from sparring.records.shogi import Draft, load_cshogi, parse_date, read_games

_FIRST, _SECOND = ("先手", "下手"), ("後手", "上手")
_HEADERS = ("開始日時", "棋戦", "場所", "持ち時間", "手合割", *_FIRST, *_SECOND)
_NUMBERED = re.compile(r"\s*\d+\s+(\S+)(?:.*?\(\s*(\d+):(\d+)(?:\.(\d))?\s*/)?")
_SIDES = str.maketrans("☗▼☖▽", "▲▲△△")
_RESULT_LINE = re.compile(r"[\s　]*まで")

_MOVER_LOSES, _MOVER_WINS, _DRAW, _NOTHING = 0, 1, 2, 3
_ENDS = {
    "投了": (_MOVER_LOSES, Ending.RESIGNATION),
    "詰み": (_MOVER_LOSES, Ending.NORMAL),
    "切れ負け": (_MOVER_LOSES, Ending.TIME),
    "時間切れ": (_MOVER_LOSES, Ending.TIME),
    "反則負け": (_MOVER_LOSES, Ending.RULES),
    "不戦敗": (_MOVER_LOSES, Ending.ABANDONED),
    "反則勝ち": (_MOVER_WINS, Ending.RULES),
    "不戦勝": (_MOVER_WINS, Ending.ABANDONED),
    "入玉勝ち": (_MOVER_WINS, Ending.DECLARATION),
    "入玉宣言": (_MOVER_WINS, Ending.DECLARATION),
    "千日手": (_DRAW, Ending.REPETITION),
    "持将棋": (_DRAW, Ending.IMPASSE),
    "引き分け": (_DRAW, Ending.NORMAL),
    "中断": (_NOTHING, Ending.ABANDONED),
}


def read_kif(chunks: Iterable[bytes], skip: int = 0) -> Iterator[Found]:
    """The games of a KIF file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Kif(load_cshogi()))


def read_ki2(chunks: Iterable[bytes], skip: int = 0) -> Iterator[Found]:
    """The games of a KI2 file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Ki2(load_cshogi()))


class _Kif:
    """Headers, then a numbered move a line; what follows the end or a variation's head is skipped."""

    def __init__(self, cshogi: Any) -> None:
        self._cshogi = cshogi
        self.draft: Draft | None = None
        self._board: Any = None
        self._diagram = Diagram()
        self._start_is_drawn = False
        self._over = False

    def begins(self, text: str) -> bool:
        """Whether headers or a diagram stand here although the moves have begun."""
        key, colon, _ = text.partition("：")
        starts = (colon and key.strip() in _HEADERS) or Diagram.draws(text)
        return bool(self.draft and self.draft.begun and starts)

    def take(self, text: str, line: Line) -> None:
        """One line: a comment, a header, a move or the result."""
        if not text.strip(" 　") or text[0] in "*#&":
            return
        key, colon, value = text.partition("：")
        draft = self.draft
        if colon and key.strip() in _HEADERS:
            self._header(draft or self._begin(line), key.strip(), value.strip(" 　"), line)
        elif text.startswith("変化：") and draft:
            self._over = True
        elif Diagram.draws(text):
            self._draw(draft or self._begin(line), text, line)
        elif _RESULT_LINE.match(text) and draft:
            if not self._over:
                _end_by_words(draft, text)
            self._over = True
        elif not self._over or draft is None:
            self._moves(text, line)

    def _begin(self, line: Line) -> Draft:
        self.draft = Draft(line.number)
        self._diagram = Diagram()
        self._start_is_drawn = False
        self._over = False
        return self.draft

    def _draw(self, draft: Draft, text: str, line: Line) -> None:
        try:
            self._diagram.take(text)
        except ValueError as error:
            draft.fail(line, str(error))

    def _begin_moves(self, line: Line) -> Draft:
        """The game, with its first position in place: the diagram's where there is one."""
        draft = self.draft or self._begin(line)
        if draft.begun:
            return draft
        draft.begun = True
        if self._diagram:
            try:
                draft.set_start(self._diagram.sfen(), line)
            except ValueError as error:
                draft.fail(line, str(error))
        elif self._start_is_drawn:
            draft.fail(line, f"the handicap {ANOTHER_START} comes without a board diagram")
        self._board = self._cshogi.Board(sfen=draft.state.text())
        return draft

    def _header(self, draft: Draft, key: str, value: str, line: Line) -> None:
        if key in _FIRST or key in _SECOND:
            draft.set_player(int(key in _SECOND), value)
        elif key == "開始日時":
            draft.date = parse_date(value)
        elif key == "棋戦":
            draft.event = value or None
        elif key == "場所":
            draft.site = value or None
        elif key == "持ち時間":
            draft.time_control = value or None
        elif key == "手合割":
            self._start_is_drawn = value == ANOTHER_START
            if value in HANDICAPS:
                draft.set_start(HANDICAPS[value], line)
            elif not self._start_is_drawn:
                draft.fail(line, f"the handicap {value[:40]} is not known")

    def _moves(self, text: str, line: Line) -> None:
        match = _NUMBERED.match(text)
        if match is None:
            return
        draft = self._begin_moves(line)
        if match[1] in _ENDS:
            _end_by_mover(draft, *_ENDS[match[1]])
            return
        if draft.error or draft.illegal:
            return
        written = text.strip().replace("同 ", "同　")
        try:
            move, _, _ = self._cshogi.KIF.Parser.parse_move_str(written, self._board)
        except (ValueError, IndexError, OverflowError):
            move = None
        if not move:
            draft.fail(line, f"{match[1][:40]} is no move")
        elif draft.play(self._cshogi.move_to_usi(move), line, match[1]):
            self._board.push(move)
            if match[2]:
                seconds = 60 * int(match[2][:6]) + int(match[3][:6])
                draft.spent[draft.state.ply] = 10 * seconds + int(match[4] or 0)


class _Ki2(_Kif):
    """As KIF, but moves stand in a row and name no squares that they come from."""

    def _moves(self, text: str, line: Line) -> None:
        row = text.translate(_SIDES)
        if row.lstrip(" 　")[:1] not in ("▲", "△"):
            return
        draft = self._begin_moves(line)
        for written in re.findall("[▲△][^▲△]*", row):
            if draft.error or draft.illegal:
                return
            word = written.strip(" 　")
            try:
                (move,) = self._cshogi.KI2.Parser.parse_move_str(word, self._board)
            except (ValueError, IndexError, AssertionError):
                draft.fail(line, f"{word[:40]} is no legal move at move {draft.state.ply + 1}")
                return
            draft.play(self._cshogi.move_to_usi(move), line, word)


def _end_by_mover(draft: Draft, how: int, ending: Ending) -> None:
    mover = draft.state.to_move
    first_wins = (how == _MOVER_WINS) == (mover == 0)
    # A move against the rules was made but not played: its maker is still to move here.
    if draft.illegal and ending == Ending.RULES:
        first_wins = mover == 1
    draft.end({_DRAW: 0.5, _NOTHING: None}.get(how, float(first_wins)), ending)


def _end_by_words(draft: Draft, text: str) -> None:
    """A line such as まで85手で先手の勝ち; it knows the winner, the last move's line often the reason."""
    winner = next(
        (side for side, names in enumerate((_FIRST, _SECOND)) if any(n in text for n in names)), None
    )
    if "負け" in text and winner is not None:
        winner = 1 - winner
    reasons = {
        "時間切れ": Ending.TIME,
        "切れ負け": Ending.TIME,
        "反則": Ending.RULES,
        "入玉": Ending.DECLARATION,
        "千日手": Ending.REPETITION,
        "持将棋": Ending.IMPASSE,
        "中断": Ending.ABANDONED,
        "詰": Ending.NORMAL,
    }
    ending = next((ending for word, ending in reasons.items() if word in text), draft.ending)
    if winner is not None:
        draft.end(float(winner == 0), Ending.RESIGNATION if ending == Ending.UNKNOWN else ending)
    elif ending in (Ending.REPETITION, Ending.IMPASSE) or "引き分け" in text:
        draft.end(0.5, ending)
    elif draft.ending == Ending.UNKNOWN:
        draft.end(None, ending)
