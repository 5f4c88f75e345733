"""Writes a shogi position as SFEN, for readers of other board formats."""

from __future__ import annotations

import re
from collections.abc import Mapping

HAND_KINDS = "RBGSNLP"
"""Pieces that can be held in hand, in the order of SFEN."""


def sfen_text(
    board: Mapping[tuple[int, int], str], hands: tuple[Mapping[str, int], Mapping[str, int]], side: str
) -> str:
    """The SFEN of a position.

    `board` maps (file, rank), from (1, 1) to (9, 9), to SFEN's letters, White's in lower case; `hands` are
    Black's and White's, by capital letter; `side` is b or w.
    """
    rows = ["".join(board.get((file, rank), " ") for file in range(9, 0, -1)) for rank in range(1, 10)]
    text = "/".join(re.sub(" +", lambda run: str(len(run[0])), row) for row in rows)
    return f"{text} {side} {_hand(hands[0]) + _hand(hands[1]).lower() or '-'} 1"


def _hand(hand: Mapping[str, int]) -> str:
    held = ((hand.get(kind, 0), kind) for kind in HAND_KINDS)
    return "".join(f"{count if count > 1 else ''}{kind}" for count, kind in held if count)
