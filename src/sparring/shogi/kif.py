"""Reads and writes shogi games in KIF files, and reads KI2: the notations of Japanese programs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import pairwise

from sparring._core import ShogiState
from sparring.games import IllegalMove, ParseError
from sparring.records.record import GameRecord, ParsedGame, Termination
from sparring.records.sources import TextLine
from sparring.shogi.notation import (
    HAND_KINDS,
    KANJI,
    hands_of,
    japanese,
    parse_typed,
    pieces_on,
    sfen_text,
    usi_of_kif,
)
from sparring.shogi.records import DRAW, LOSS, WIN, ShogiGameBuilder, read_games, written_facts

# The initial position of a KIF or KI2 game: a named handicap, or a board diagram (BOD).


ANOTHER_START = "その他"
"""The handicap of games that start from a diagram."""
_LOWER = "ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"
_UPPER = {
    "香落ち": "lnsgkgsn1/1r5b1",
    "右香落ち": "1nsgkgsnl/1r5b1",
    "角落ち": "lnsgkgsnl/1r7",
    "飛車落ち": "lnsgkgsnl/7b1",
    "飛香落ち": "lnsgkgsn1/7b1",
    "二枚落ち": "lnsgkgsnl/9",
    "三枚落ち": "lnsgkgsn1/9",
    "四枚落ち": "1nsgkgsn1/9",
    "五枚落ち": "2sgkgsn1/9",
    "左五枚落ち": "1nsgkgs2/9",
    "六枚落ち": "2sgkgs2/9",
    "左七枚落ち": "2sgkg3/9",
    "右七枚落ち": "3gkgs2/9",
    "八枚落ち": "3gkg3/9",
    "十枚落ち": "4k4/9",
}
"""The two incomplete rows of each handicap; White gives the pieces and moves first."""
HANDICAPS = {"平手": f"lnsgkgsnl/1r5b1/{_LOWER} b - 1"} | {
    name: f"{rows}/{_LOWER} w - 1" for name, rows in _UPPER.items()
}
"""The SFEN of each handicap."""

_PIECES = {kanji: letter for letter, kanji in KANJI.items()} | {"王": "K", "竜": "+R"}
_EMPTY = "・"
_NUMBERS = "一二三四五六七八九"
_START_SIDES = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}
_ROW = re.compile(r"\|((?:[ v]\S){9})\|")
_HAND = re.compile(r"(先手|下手|後手|上手)の?持ち?駒[：:](.*)")
_TURN = re.compile(r"(先手|下手|後手|上手)番\Z")
_FRAME = re.compile(r"[\s　]*９[\s　]*８[\s　]*７|\+-+\+|手数＝")
_HELD = re.compile(r"(\S)(\d{1,2}|十?[一二三四五六七八九]?)")


class BodDiagram:
    """A parser of board diagrams."""

    def __init__(self) -> None:
        self._rows = 0
        self._board: dict[tuple[int, int], str] = {}
        self._hands: tuple[dict[str, int], dict[str, int]] = ({}, {})
        self._side = 0

    def __bool__(self) -> bool:
        """Whether a row was read."""
        return self._rows > 0

    @staticmethod
    def matches(text: str) -> bool:
        """Whether a line belongs to a diagram."""
        line = text.strip(" 　")
        return line.startswith("|") or any(form.match(line) for form in (_HAND, _FRAME, _TURN))

    def feed(self, text: str) -> None:
        """Parses a line of the diagram. Raises ValueError."""
        line = text.strip(" 　")
        if match := _HAND.match(line):
            self._hands[_START_SIDES[match[1]]].update(_held(match[2]))
        elif _TURN.match(line):
            self._side = _START_SIDES[line[:2]]
        elif line.startswith("|"):
            self._take_row(line)

    def sfen(self) -> str:
        """The SFEN of the position. Raises ValueError if rows are missing."""
        if self._rows != 9:
            raise ValueError(f"the board diagram has {self._rows} rows, not nine")
        return sfen_text(self._board, self._hands, "bw"[self._side])

    def _take_row(self, line: str) -> None:
        self._rows += 1
        match = _ROW.match(line)
        if match is None or self._rows > 9:
            raise ValueError(f"{line[:40]} is no row of a board diagram of nine by nine squares")
        for column in range(9):
            mark, piece = match[1][2 * column], match[1][2 * column + 1]
            if piece == _EMPTY:
                continue
            if piece not in _PIECES:
                raise ValueError(f"{piece} in a board diagram is no piece")
            letters = _PIECES[piece]
            self._board[9 - column, self._rows] = letters.lower() if mark == "v" else letters


def _held(text: str) -> dict[str, int]:
    """Parses pieces in hand such as 飛　金二　歩十八, or なし. Raises ValueError."""
    hand: dict[str, int] = {}
    for word in text.replace("　", " ").split():
        if word == "なし":
            continue
        match = _HELD.fullmatch(word)
        if match is None or _PIECES.get(match[1], "K") not in HAND_KINDS:
            raise ValueError(f"{word[:20]} cannot be held in hand")
        kind = _PIECES[match[1]]
        hand[kind] = hand.get(kind, 0) + _count(match[2])
    return hand


def _count(text: str) -> int:
    """A number up to 19 in Japanese or in digits; empty is 1."""
    if text.isdecimal():
        return int(text)
    return (10 if text.startswith("十") else 0) + (" " + _NUMBERS).index(text.removeprefix("十") or " ") or 1


_FIRST, _SECOND = ("先手", "下手"), ("後手", "上手")
_FACTS = {"開始日時": "date", "棋戦": "event", "場所": "site", "持ち時間": "time_control"}
_HEADERS = (*_FACTS, "手合割", *_FIRST, *_SECOND)
_NUMBERED = re.compile(r"\s*\d+\s+(\S+)(?:.*?\(\s*(\d+):(\d+)(?:\.(\d))?\s*/)?")
_SIDES = str.maketrans("☗▼☖▽", "▲▲△△")
_RESULT_LINE = re.compile(r"[\s　]*まで")

_ENDS: dict[str, tuple[float | None, Termination]] = {
    "投了": (LOSS, Termination.RESIGNATION),
    "詰み": (LOSS, Termination.NORMAL),
    "切れ負け": (LOSS, Termination.TIME),
    "時間切れ": (LOSS, Termination.TIME),
    "反則負け": (LOSS, Termination.RULES),
    "不戦敗": (LOSS, Termination.ABANDONED),
    "反則勝ち": (WIN, Termination.RULES),
    "不戦勝": (WIN, Termination.ABANDONED),
    "入玉勝ち": (WIN, Termination.DECLARATION),
    "入玉宣言": (WIN, Termination.DECLARATION),
    "千日手": (DRAW, Termination.REPETITION),
    "持将棋": (DRAW, Termination.IMPASSE),
    "引き分け": (DRAW, Termination.NORMAL),
    "中断": (None, Termination.ABANDONED),
}
"""The termination of each last word, and the score of the player to move."""


def read_kif(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a KIF file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Kif())


def read_ki2(chunks: Iterable[bytes], skip: int = 0) -> Iterator[ParsedGame]:
    """The games of a KI2 file's content, from byte `skip` on (the `end` of an earlier game)."""
    return read_games(chunks, skip, _Ki2())


class _Kif:
    """KIF: headers, then one numbered move per line. Text after the end or a variation's head is skipped."""

    def __init__(self) -> None:
        self.builder: ShogiGameBuilder | None = None
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
            builder = builder or self._begin(line)
            try:
                self._diagram.feed(text)
            except ValueError as error:
                builder.fail(line, str(error))
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
        return builder

    def _header(self, builder: ShogiGameBuilder, key: str, value: str, line: TextLine) -> None:
        if key in _FIRST or key in _SECOND:
            builder.set_player(int(key in _SECOND), value)
        elif key in _FACTS:
            builder.set_fact(_FACTS[key], value)
        else:
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
            builder.end_for_mover(*_ENDS[match[1]])
            return
        if builder.error or builder.illegal:
            return
        try:
            usi = usi_of_kif(builder.state, text[match.start(1) :])
        except ParseError:
            builder.fail(line, f"{match[1][:40]} is no move")
            return
        if builder.play(usi, line, match[1]) and match[2]:
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
                move = parse_typed(builder.state, word)
            except (ParseError, IllegalMove):
                builder.fail(line, f"{word[:40]} is no legal move at move {builder.state.ply + 1}")
                return
            builder.play(builder.state.move_text(move), line, word)


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


# Writes shogi records as KIF, the notation of Japanese programs, in UTF-8.


_WRITTEN_ENDS = {
    Termination.RESIGNATION: "投了",
    Termination.NORMAL: "詰み",
    Termination.TIME: "切れ負け",
    Termination.RULES: "反則負け",
    Termination.DECLARATION: "入玉勝ち",
    Termination.REPETITION: "千日手",
    Termination.IMPASSE: "持将棋",
    Termination.ABANDONED: "中断",
}


def to_kif(record: GameRecord) -> str:
    """A shogi record as KIF, with the time that each move took if it is known."""
    states = record.states("shogi")
    headers = [f"{key}：{value}" for key, value in written_facts(record, _FACTS)]
    lines = ["#KIF version=2.0 encoding=UTF-8", *headers, *_start(states[0]), *_players(record)]
    lines.append("手数----指手---------消費時間--")
    line = zip(pairwise(states), record.numbers("spent"), strict=False)
    for number, ((before, after), tenths) in enumerate(line, 1):
        lines.append(f"{number:4} {_move(before, after)}{_time(tenths)}")
    if end := _end(record):
        lines.append(f"{len(states):4} {end}")
    if record.result in (0.0, 1.0):
        lines.append(f"まで{len(states) - 1}手で{'先手' if record.result else '後手'}の勝ち")
    return "\n".join(lines) + "\n"


def _players(record: GameRecord) -> list[str]:
    names = (("先手", record.first, record.first_rating), ("後手", record.second, record.second_rating))
    return [
        f"{key}：{name}" + ("" if rating is None else f"({rating})") for key, name, rating in names if name
    ]


def _start(start: ShogiState) -> list[str]:
    """The handicap's name, or a diagram (BOD)."""
    for name, sfen in HANDICAPS.items():
        if ShogiState.parse(sfen) == start:
            return [f"手合割：{name}"]
    board = pieces_on(start)
    rows = [
        "|" + "".join(_on_square(board.get(f"{file}{rank}")) for file in range(9, 0, -1)) + f"|{number}"
        for rank, number in zip("abcdefghi", _NUMBERS, strict=True)
    ]
    return [
        f"手合割：{ANOTHER_START}",
        f"後手の持駒：{_hand(start, 1)}",
        "  ９ ８ ７ ６ ５ ４ ３ ２ １",
        "+---------------------------+",
        *rows,
        "+---------------------------+",
        f"先手の持駒：{_hand(start, 0)}",
        *(["後手番"] if start.to_move else []),
    ]


def _on_square(piece: str | None) -> str:
    if piece is None:
        return " ・"
    return ("v" if piece[-1].islower() else " ") + KANJI[piece.upper()]


def _hand(start: ShogiState, owner: int) -> str:
    held = []
    for letter, count in hands_of(start)[owner].items():
        tens = "十" if count >= 10 else ""
        ones = _NUMBERS[count % 10 - 1] if count % 10 and count > 1 else ""
        held.append(KANJI[letter] + tens + ones)
    return "　".join(held) or "なし"


def _move(before: ShogiState, after: ShogiState) -> str:
    move = after.last_move
    assert move is not None
    written = japanese(before, move, source=True)
    usi = before.move_text(move)
    if before.previous is not None and before.last_move is not None:
        last = before.previous.move_text(before.last_move)
        if last[2:4] == usi[2:4]:
            written = f"同　{written[2:]}"
    return written


def _time(tenths: int | None) -> str:
    if tenths is None:
        return ""
    minutes, seconds = divmod(tenths // 10, 60)
    return f"   ({minutes:2}:{seconds:02}/)"


def _end(record: GameRecord) -> str | None:
    if record.result is None:
        return _WRITTEN_ENDS[Termination.ABANDONED]
    if record.result == 0.5 and record.ending in (Termination.NORMAL, Termination.UNKNOWN):
        return "引き分け"
    return _WRITTEN_ENDS.get(record.ending)
