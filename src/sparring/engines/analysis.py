"""What an engine thinks of the moves, in the words that protocols share: lines, scores, chances."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from sparring.games import Move
from sparring.networks.prediction import Prediction
from sparring.search import SearchResult

Wdl: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class PvLine:
    """A move and what follows."""

    moves: tuple[Move, ...]
    """The move first; never empty."""
    visits: int
    prior: float
    value: float | None
    """For the side to move, from -1 to 1; None where nothing is known."""
    forced: int = 0
    """Plies to the end that the move forces, below 0 to a loss; 0 where no winner is certain."""


def search_pv_lines(found: SearchResult) -> list[PvLine]:
    """Of the moves that a search visited, the most visited first."""
    return [
        PvLine(
            tuple(found.principal_variation(int(found.moves[i]))) or (int(found.moves[i]),),
            int(found.visits[i]),
            float(found.priors[i]),
            float(found.values[i]),
            int(found.forced[i]),
        )
        for i in found.ranked()
        if found.visits[i]
    ]


def policy_pv_lines(prediction: Prediction) -> list[PvLine]:
    """Of all moves, the likeliest first; each is worth what the position is."""
    order = np.argsort(-prediction.probabilities, kind="stable")
    return [
        PvLine((prediction.moves[i],), 0, float(prediction.probabilities[i]), prediction.value) for i in order
    ]


def lc0_centipawns(value: float) -> int:
    """A value from -1 to 1 in hundredths of a pawn, by Lc0's curve: 0.5 is about 1.1 pawns."""
    return round(111.714640912 * math.tan(1.5620688421 * _inside(value)))


def shogi_centipawns(value: float) -> int:
    """A value from -1 to 1 in shogi's hundredths of a pawn, by dlshogi's curve: 0.5 is about 830."""
    return round(756 * 2 * math.atanh(_inside(value)))


def mate_in_moves(forced: int) -> int:
    """UCI counts a mate in the winner's moves, not in plies; below 0 the side to move is mated."""
    return (forced + 1) // 2 if forced > 0 else -(-forced // 2)


def mate_in_plies(forced: int) -> int:
    """USI counts a mate in plies."""
    return forced


def wdl_of(value: float, evaluation: Wdl | None) -> Wdl:
    """Chances of a win, a draw and a loss with this expected result.

    Draws are as likely as the network says of the position, as far as the value leaves room for them.
    """
    drawn = min(evaluation[1] if evaluation is not None else 0.0, 1 - abs(value))
    return (1 - drawn + value) / 2, drawn, (1 - drawn - value) / 2


def permille(wdl: Wdl) -> tuple[int, int, int]:
    """The chances in a thousand, adding up to it."""
    won, lost = round(1000 * wdl[0]), round(1000 * wdl[2])
    return won, 1000 - won - lost, lost


def _inside(value: float) -> float:
    """Away from the ends, where the curves are infinite."""
    return max(-0.9999, min(0.9999, value))
