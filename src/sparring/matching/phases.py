"""Opening, middle game and endgame: simple rules that can be looked up."""

from __future__ import annotations

from typing import Any

PHASES = ("opening", "middle game", "endgame")
_BEGINS = {
    "chess": (20, 10**6),
    "rbc": (40, 160),
    "shogi": (40, 100),
    "go": (50, 150),
    "expendibots": (12, 40),
}
"""The plies at which the middle game and the endgame begin; in chess the endgame goes by material."""
_FEW_PIECES = 6


def game_phase(game: str, state: Any, ply: int) -> int:
    """The place in PHASES. Chess is in its endgame with at most six pieces besides kings and pawns."""
    if game == "chess":
        board = state.text().partition(" ")[0]
        if sum(board.count(piece) for piece in "nbrqNBRQ") <= _FEW_PIECES:
            return 2
    middle, end = _BEGINS[game]
    return int(ply >= middle) + int(ply >= end)
