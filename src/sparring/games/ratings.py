"""Rating systems: how the strength of a game's players is written, parsed and grouped.

Inside the package a rating is always an integer: an Elo-like number, or a rank by `ranks.rank_order`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from sparring.games.ranks import parse_rank, rank_order, rank_text


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
