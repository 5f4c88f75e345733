"""How shogi pieces move, for messages about moves that are not legal. The native core has the rules."""

from __future__ import annotations

RANKS = "abcdefghi"
"""The ranks of USI, from White's side."""
_STRAIGHT = ((0, 1), (0, -1), (1, 0), (-1, 0))
_DIAGONAL = ((1, 1), (-1, 1), (1, -1), (-1, -1))
_GOLD = (*_STRAIGHT, *_DIAGONAL[:2])
_STEPS = {
    "P": ((0, 1),), "N": ((1, 2), (-1, 2)), "S": ((0, 1), *_DIAGONAL), "G": _GOLD,
    "K": (*_STRAIGHT, *_DIAGONAL),
    "+P": _GOLD, "+L": _GOLD, "+N": _GOLD, "+S": _GOLD, "+B": _STRAIGHT, "+R": _DIAGONAL,
}  # fmt: skip
"""Single steps by piece: files to the left and ranks forward, seen by the player."""
_SLIDES = {"L": ((0, 1),), "B": _DIAGONAL, "R": _STRAIGHT, "+B": _DIAGONAL, "+R": _STRAIGHT}
"""Directions in which a piece goes any distance."""


def squares_between(piece: str, source: str, target: str, player: int) -> list[str] | None:
    """The squares that a piece crosses from one square to another, on an empty board; None if it does not
    move so.

    `piece` is a letter such as B or +B, squares are those of USI such as 7g, `player` is 0 for Black.
    """
    forward = 1 if player == 0 else -1
    files = forward * (int(target[0]) - int(source[0]))
    ranks = forward * (RANKS.index(source[1]) - RANKS.index(target[1]))
    if (files, ranks) in _STEPS.get(piece, ()):
        return []
    distance = max(abs(files), abs(ranks))
    for step in _SLIDES.get(piece, ()):
        if distance and (step[0] * distance, step[1] * distance) == (files, ranks):
            return [_moved(source, step, forward * i) for i in range(1, distance)]
    return None


def _moved(square: str, step: tuple[int, int], times: int) -> str:
    return f"{int(square[0]) + step[0] * times}{RANKS[RANKS.index(square[1]) - step[1] * times]}"
