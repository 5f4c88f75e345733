"""The initial position of a KIF or KI2 game: a named handicap, or a board diagram (BOD)."""

from __future__ import annotations

import re

from sparring.records.sfen import HAND_KINDS, sfen_text

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

_PIECES = {
    "歩": "P", "香": "L", "桂": "N", "銀": "S", "金": "G", "角": "B", "飛": "R", "玉": "K", "王": "K",
    "と": "+P", "杏": "+L", "圭": "+N", "全": "+S", "馬": "+B", "龍": "+R", "竜": "+R",
}  # fmt: skip
_EMPTY = "・"
_SIDES = {"先手": 0, "下手": 0, "後手": 1, "上手": 1}
_ROW = re.compile(r"\|((?:[ v]\S){9})\|")
_HAND = re.compile(r"(先手|下手|後手|上手)の?持ち?駒[：:](.*)")
_TURN = re.compile(r"(先手|下手|後手|上手)番")
_FRAME = re.compile(r"[\s　]*９[\s　]*８[\s　]*７|\+-+\+|手数＝")
_HELD = re.compile(r"(\S)(\d{1,2}|十?[一二三四五六七八九]?)")
_NINE = " 一二三四五六七八九"


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
        return line.startswith("|") or any(form.match(line) for form in (_HAND, _FRAME)) or _is_turn(line)

    def feed(self, text: str) -> None:
        """Parses a line of the diagram. Raises ValueError."""
        line = text.strip(" 　")
        if match := _HAND.match(line):
            self._hands[_SIDES[match[1]]].update(_held(match[2]))
        elif _is_turn(line):
            self._side = _SIDES[line[:2]]
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


def _is_turn(line: str) -> bool:
    return _TURN.fullmatch(line) is not None


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
    return (10 if text.startswith("十") else 0) + _NINE.index(text.removeprefix("十") or " ") or 1
