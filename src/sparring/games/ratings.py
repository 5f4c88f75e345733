"""Rating systems: how the strength of a game's players is written, parsed and grouped.

Inside the package a rating is always an integer: an Elo-like number, or a rank by `ranks.rank_order`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

# Ranks of Go and shogi players in one form: 3k, 6d, or 9p for professionals.


_WRITTEN = re.compile(
    r"(?P<p>[Pp])?\s*(?P<number>\d{1,2}|[初一二三四五六七八九十]{1,3})\s*-?"
    r"(?P<kind>kyu|k|dan|d|pro|p|段|级|級|급|단)\.?",
    re.IGNORECASE,
)
_KANJI = "一二三四五六七八九"
_KINDS = {"k": "k", "级": "k", "級": "k", "급": "k", "d": "d", "段": "d", "단": "d", "p": "p"}
_WIDE = str.maketrans("０１２３４５６７８９", "0123456789")
_HIGHEST = {"k": 50, "d": 10, "p": 10}


def parse_rank(text: str) -> str | None:
    """Parses a rank as servers and records write it; None if it is not a rank.

    Examples: 3k?, 3 kyu, 3级 and 三級 are 3k; 9段 and 9 dan are 9d; P9段 and 9d pro are 9p.
    """
    words = text.strip().translate(_WIDE).rstrip("?*+ ").strip()
    professional = words.lower().endswith((" pro", " p"))
    match = _WRITTEN.fullmatch(re.sub(r"\s*(pro|p)$", "", words, flags=re.I) if professional else words)
    if match is None:
        return None
    kind = _KINDS[match["kind"][0].lower()]
    if kind == "d" and (professional or match["p"]):
        kind = "p"
    number = _number(match["number"])
    return f"{number}{kind}" if 1 <= number <= _HIGHEST[kind] else None


def rank_order(rank: str) -> int:
    """A rank as a number, in ascending order of strength: 30k is -30, 1k is -1, 1d is 1, 1p is 101."""
    number = int(rank[:-1])
    return {"k": -number, "d": number, "p": 100 + number}[rank[-1]]


def rank_text(order: int) -> str:
    """The rank of a number; the inverse of `rank_order`."""
    if order > 100:
        return f"{order - 100}p"
    return f"{order}d" if order > 0 else f"{-order}k"


def _number(text: str) -> int:
    """Parses a number in digits or in kanji up to 99; 初 is 1."""
    if text.isdigit():
        return int(text)
    if text == "初":
        return 1
    tens, ten, ones = text.rpartition("十")
    if any(len(part) > 1 or part not in _KANJI for part in (tens, ones)):
        return 0
    return (10 * (_KANJI.index(tens) + 1 if tens else 1) if ten else 0) + (
        _KANJI.index(ones) + 1 if ones else 0
    )


@dataclass(frozen=True)
class RatingSystem:
    """One way to write players' strength."""

    word: Literal["rating", "rank"]
    """The system's word in messages and options. Records have the columns `first_<word>` and
    `second_<word>`."""
    example: str
    """Texts that `parse` reads, for messages."""
    parse: Callable[[str], int | None]
    """Converts a text to a number; None if the text is not a rating of this system."""
    format: Callable[[int], str]
    """Converts a number to a text."""
    group_width: int
    """Ratings that share a group in reports: [0, width), [width, 2 * width) and so on."""
    lowest: int
    highest: int
    """Upper end of the range that options accept; `lowest` is the lower end. Both are included."""

    def nearest(self, value: float) -> str:
        """Returns the text of the rating nearest to a number, such as the mean of several."""
        number = round(value)
        if self.word == "rank" and number == 0:  # there is no rank between 1k and 1d
            number = 1 if value >= 0 else -1
        return self.format(number)

    def number(self, value: object) -> int | None:
        """Converts a rating from TOML, JSON or the command line to a number; None if it is not a rating.

        Elo-like ratings are integers (not booleans) in range; ranks are texts such as 3d.
        """
        if self.word == "rank":
            return self.parse(value) if isinstance(value, str) else None
        if not isinstance(value, int) or isinstance(value, bool):
            return None
        return value if self.lowest <= value <= self.highest else None


def _parse_elo(text: str) -> int | None:
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= 6 else None


def _parse_go_rank(text: str) -> int | None:
    rank = parse_rank(text)
    return None if rank is None else rank_order(rank)


ELO = RatingSystem("rating", "1500", _parse_elo, str, group_width=100, lowest=0, highest=4000)
"""Elo, Glicko and their kind: numbers."""
GO_RANKS = RatingSystem("rank", "5k or 3d", _parse_go_rank, rank_text, group_width=1, lowest=-50, highest=110)
"""Kyu, dan and professional ranks: 30k is -30, 1d is 1, 1p is 101."""
