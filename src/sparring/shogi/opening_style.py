"""Static rook and ranging rook: whether a player will keep its rook on the right side or move it to the left.

A side's style is where its rook stands after ply 24: on files 5 to 8 of its own half, ranging; else static. A
logistic model says after each move of the opening how likely that is, by what people look at: rook, pawns,
bishop, king, and the other rook. By Bayes' rule, people of a style choose a move with the probability of the
policy times that of the style after the move. Players weigh the style more (`_FIRMNESS`).
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring import data
from sparring.games import Move

STYLES = ("static-rook", "ranging-rook")
OPENING_PLIES = 24
"""Ply after which a side's style is decided."""
_PHASE = 6
"""Plies that share the weights of the model."""
_PAWN_FILES = (2, 3, 4, 5, 6, 7, 8)
_LEAST = 1e-4
"""Least probability of a style: no move is impossible."""
_FIRMNESS = 3.0
"""Exponent of the style's probability for a player. At 1, Bayes' rule, a level has its style in five games of
six: it is warmer than people are."""


@dataclass(frozen=True)
class _View:
    """A position as one side sees it: files count from its right, and its own camp is ranks 7 to 9."""

    own: dict[str, list[tuple[int, int]]]
    """Squares (file, rank) of its pieces by letter; promoted ones have a plus sign."""
    other: dict[str, list[tuple[int, int]]]
    """Those of the opponent, on the opponent's own files and ranks."""
    hand: str
    """Letters of the pieces in its hand."""


def _view(sfen: str, side: int) -> _View:
    rows, _, hand, *_ = sfen.split()
    pieces: list[dict[str, list[tuple[int, int]]]] = [{}, {}]
    for y, row in enumerate(rows.split("/"), 1):
        file, promoted = 9, ""
        for letter in row:
            if letter == "+":
                promoted = "+"
            elif letter.isdigit():
                file -= int(letter)
            else:
                owner = int(letter.islower())
                square = (file, y) if owner == 0 else (10 - file, 10 - y)
                pieces[owner].setdefault(promoted + letter.upper(), []).append(square)
                file, promoted = file - 1, ""
    in_hand = "".join(letter for letter in hand if letter.isupper() == (side == 0)).upper()
    return _View(pieces[side], pieces[1 - side], in_hand)


def style_of(state: Any, side: int) -> str | None:
    """The style of a side by where its rook stands; None if it has no unpromoted rook on the board."""
    rooks = _view(state.text(), side).own.get("R", [])
    if not rooks:
        return None
    return STYLES[any(5 <= file <= 8 and rank >= 5 for file, rank in rooks)]


def features(state: Any, side: int) -> list[str]:
    """What the model looks at in a position after a move of this side."""
    view = _view(state.text(), side)
    rook = view.own.get("R", [])
    words = ["bias", f"rook {rook[0][0]} {rook[0][1] >= 7}" if rook else "rook gone"]
    pawns = dict(view.own.get("P", []))
    words += [f"pawn {file} {max(pawns[file], 4) if file in pawns else 0}" for file in _PAWN_FILES]
    bishop = view.own.get("B", [])
    where = "hand" if "B" in view.hand else "gone"
    words.append(f"bishop {bishop[0][0]} {bishop[0][1]}" if bishop else f"bishop {where}")
    king = view.own["K"][0]
    words += [
        f"king {king[0]} {king[1] == 9}",
        f"silvers {sorted(file for file, _ in view.own.get('S', []))}",
    ]
    enemy = view.other.get("R", [])
    words.append(f"enemy {5 <= enemy[0][0] <= 8}" if enemy else "enemy gone")
    phase = min(state.ply, OPENING_PLIES) // _PHASE
    return [f"{phase} {word}" for word in words]


@dataclass(frozen=True)
class StyleModel:
    """The probability of ranging rook after a move."""

    weights: dict[str, float]
    """By feature; one that is not here counts nothing."""

    def ranging(self, state: Any, side: int) -> float:
        """The probability, from 0 to 1, that this side's rook will range."""
        logit = sum(self.weights.get(word, 0.0) for word in features(state, side))
        return float(1 / (1 + np.exp(-np.clip(logit, -30, 30))))

    def factors(self, style: str, state: Any, moves: Sequence[Move]) -> NDArray[np.float64] | None:
        """The probability [moves] of a style after each move of the side to move; None after the opening."""
        side: int = state.to_move
        if state.ply >= OPENING_PLIES:
            return None
        chances = np.array([self.ranging(state.play(move), side) for move in moves])
        wanted: NDArray[np.float64] = chances if style == STYLES[1] else 1 - chances
        return wanted.clip(_LEAST)


@cache
def shipped_model() -> StyleModel:
    """The model that is part of the package. Raises OSError where a build left it out."""
    content = json.loads(data.path("opening_styles", "shogi").read_text(encoding="utf-8"))
    return StyleModel(content["weights"])


def style_factors(style: str, state: Any, moves: Sequence[Move]) -> NDArray[np.float64] | None:
    """The weights [moves] of a player's moves by the shipped model; None after the opening."""
    factors = shipped_model().factors(style, state, moves)
    return None if factors is None else factors**_FIRMNESS
