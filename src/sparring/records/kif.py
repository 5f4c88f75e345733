"""Reads shogi games from KIF and KI2 files, the notations of Japanese programs. cshogi parses the moves."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any

from sparring.records.dates import parse_date
from sparring.records.kif_start import ANOTHER_START, HANDICAPS, BodDiagram
from sparring.records.record import ParsedGame, Termination
from sparring.records.shogi_builder import ShogiGameBuilder, load_cshogi, read_games
from sparring.records.text_lines import TextLine

_FIRST, _SECOND = ("先手", "下手"), ("後手", "上手")
_HEADERS = ("開始日時", "棋戦", "場所", "持ち時間", "手合割", *_FIRST, *_SECOND)
_NUMBERED = re.compile(r"\s*\d+\s+(\S+)(?:.*?\(\s*(\d+):(\d+)(?:\.(\d))?\s*/)?")
_SIDES = str.maketrans("☗▼☖▽", "▲▲△△")
_RESULT_LINE = re.compile(r"[\s　]*まで")

_MOVER_LOSES, _MOVER_WINS, _DRAW, _NOTHING = 0, 1, 2, 3
_ENDS = {
    "投了": (_MOVER_LOSES, Termination.RESIGNATION),
    "詰み": (_MOVER_LOSES, Termination.NORMAL),
    "切れ負け": (_MOVER_LOSES, Termination.TIME),
    "時間切れ": (_MOVER_LOSES, Termination.TIME),
    "反則負け": (_MOVER_LOSES, Termination.RULES),
    "不戦敗": (_MOVER_LOSES, Termination.ABANDONED),
    "反則勝ち": (_MOVER_WINS, Termination.RULES),
    "不戦勝": (_MOVER_WINS, Termination.ABANDONED),
    "入玉勝ち": (_MOVER_WINS, Termination.DECLARATION),
    "入玉宣言": (_MOVER_WINS, Termination.DECLARATION),
    "千日手": (_DRAW, Termination.REPETITION),
    "持将棋": (_DRAW, Termination.IMPASSE),
    "引き分け": (_DRAW, Termination.NORMAL),
    "中断": (_NOTHING, Termination.ABANDONED),
}


def read_kif(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a KIF file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Kif(load_cshogi()))


def read_ki2(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a KI2 file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Ki2(load_cshogi()))


class _Kif:
    """KIF: headers, then one numbered move per line. Text after the end or a variation's head is skipped."""

    def __init__(self, cshogi: Any) -> None:
        self._cshogi = cshogi
        self.builder: ShogiGameBuilder | None = None
        self._board: Any = None
        self._diagram = BodDiagram()
        self._start_is_drawn = False
        self._over = False

    def starts_new_game(self, text: str) -> bool:
        """Whether the line is a header or a diagram after moves, which begins another game."""
        key, colon, _ = text.partition("：")
        starts = (colon and key.strip() in _HEADERS) or BodDiagram.matches(text)
        return bool(self.builder and self.builder.started and starts)

    def feed(self, text: str, line: TextLine) -> None:
        """Parses a line: a comment, a header, a move or the result."""
        if not text.strip(" 　") or text[0] in "*#&":
            return
        key, colon, value = text.partition("：")
        builder = self.builder
        if colon and key.strip() in _HEADERS:
            self._header(builder or self._begin(line), key.strip(), value.strip(" 　"), line)
        elif text.startswith("変化：") and builder:
            self._over = True
        elif BodDiagram.matches(text):
            self._draw(builder or self._begin(line), text, line)
        elif _RESULT_LINE.match(text) and builder:
            if not self._over:
                _end_by_words(builder, text)
            self._over = True
        elif not self._over or builder is None:
            self._moves(text, line)

    def _begin(self, line: TextLine) -> ShogiGameBuilder:
        self.builder = ShogiGameBuilder(line.number)
        self._diagram = BodDiagram()
        self._start_is_drawn = False
        self._over = False
        return self.builder

    def _draw(self, builder: ShogiGameBuilder, text: str, line: TextLine) -> None:
        try:
            self._diagram.feed(text)
        except ValueError as error:
            builder.fail(line, str(error))

    def _begin_moves(self, line: TextLine) -> ShogiGameBuilder:
        """The game with its initial position: that of the diagram if there is one."""
        builder = self.builder or self._begin(line)
        if builder.started:
            return builder
        builder.started = True
        if self._diagram:
            try:
                builder.set_start(self._diagram.sfen(), line)
            except ValueError as error:
                builder.fail(line, str(error))
        elif self._start_is_drawn:
            builder.fail(line, f"the handicap {ANOTHER_START} comes without a board diagram")
        self._board = self._cshogi.Board(sfen=builder.state.text())
        return builder

    def _header(self, builder: ShogiGameBuilder, key: str, value: str, line: TextLine) -> None:
        if key in _FIRST or key in _SECOND:
            builder.set_player(int(key in _SECOND), value)
        elif key == "開始日時":
            builder.date = parse_date(value)
        elif key == "棋戦":
            builder.event = value or None
        elif key == "場所":
            builder.site = value or None
        elif key == "持ち時間":
            builder.time_control = value or None
        elif key == "手合割":
            self._start_is_drawn = value == ANOTHER_START
            if value in HANDICAPS:
                builder.set_start(HANDICAPS[value], line)
            elif not self._start_is_drawn:
                builder.fail(line, f"the handicap {value[:40]} is not known")

    def _moves(self, text: str, line: TextLine) -> None:
        match = _NUMBERED.match(text)
        if match is None:
            return
        builder = self._begin_moves(line)
        if match[1] in _ENDS:
            _end_by_mover(builder, *_ENDS[match[1]])
            return
        if builder.error or builder.illegal:
            return
        written = text.strip().replace("同 ", "同　")
        try:
            move, _, _ = self._cshogi.KIF.Parser.parse_move_str(written, self._board)
        except (ValueError, IndexError, OverflowError):
            move = None
        if not move:
            builder.fail(line, f"{match[1][:40]} is no move")
        elif builder.play(self._cshogi.move_to_usi(move), line, match[1]):
            self._board.push(move)
            if match[2]:
                seconds = 60 * int(match[2][:6]) + int(match[3][:6])
                builder.spent[builder.state.ply] = 10 * seconds + int(match[4] or 0)


class _Ki2(_Kif):
    """KI2: as KIF, but several moves per line, without their source squares."""

    def _moves(self, text: str, line: TextLine) -> None:
        row = text.translate(_SIDES)
        if row.lstrip(" 　")[:1] not in ("▲", "△"):
            return
        builder = self._begin_moves(line)
        for written in re.findall("[▲△][^▲△]*", row):
            if builder.error or builder.illegal:
                return
            word = written.strip(" 　")
            try:
                (move,) = self._cshogi.KI2.Parser.parse_move_str(word, self._board)
            except (ValueError, IndexError, AssertionError):
                builder.fail(line, f"{word[:40]} is no legal move at move {builder.state.ply + 1}")
                return
            builder.play(self._cshogi.move_to_usi(move), line, word)


def _end_by_mover(builder: ShogiGameBuilder, how: int, ending: Termination) -> None:
    mover = builder.state.to_move
    first_wins = (how == _MOVER_WINS) == (mover == 0)
    # A move against the rules was made but not played: its maker is still to move here.
    if builder.illegal and ending == Termination.RULES:
        first_wins = mover == 1
    builder.end({_DRAW: 0.5, _NOTHING: None}.get(how, float(first_wins)), ending)


def _end_by_words(builder: ShogiGameBuilder, text: str) -> None:
    """Parses a line such as まで85手で先手の勝ち. It names the winner, the last move often the reason."""
    winner = next(
        (side for side, names in enumerate((_FIRST, _SECOND)) if any(n in text for n in names)), None
    )
    if "負け" in text and winner is not None:
        winner = 1 - winner
    reasons = {
        "時間切れ": Termination.TIME,
        "切れ負け": Termination.TIME,
        "反則": Termination.RULES,
        "入玉": Termination.DECLARATION,
        "千日手": Termination.REPETITION,
        "持将棋": Termination.IMPASSE,
        "中断": Termination.ABANDONED,
        "詰": Termination.NORMAL,
    }
    ending = next((ending for word, ending in reasons.items() if word in text), builder.ending)
    if winner is not None:
        builder.end(float(winner == 0), Termination.RESIGNATION if ending == Termination.UNKNOWN else ending)
    elif ending in (Termination.REPETITION, Termination.IMPASSE) or "引き分け" in text:
        builder.end(0.5, ending)
    elif builder.ending == Termination.UNKNOWN:
        builder.end(None, ending)
