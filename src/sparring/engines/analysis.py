"""Principal variations and scores of an engine, as protocols report them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from sparring.games import Move
from sparring.networks.prediction import Prediction
from sparring.search import SearchResult

Wdl: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class PvLine:
    """A principal variation with its statistics."""

    moves: tuple[Move, ...]
    """The move and the line after it; never empty."""
    visits: int
    prior: float
    value: float | None
    """For the side to move, from -1 to 1; None if unknown."""
    forced: int = 0
    """Plies to the forced end: positive for a win, negative for a loss, 0 if nothing is proven."""
    wdl: Wdl | None = None
    """Probabilities of a win, a draw and a loss after the move; None if unknown."""


def search_pv_lines(found: SearchResult, searchmoves: Sequence[Move] = ()) -> list[PvLine]:
    """Lines of the moves that a search visited, the most visited first.

    `searchmoves` restricts the moves; empty for all. A tree of an earlier search may have visited others.
    """
    return [
        PvLine(
            tuple(found.principal_variation(int(found.moves[i]))) or (int(found.moves[i]),),
            int(found.visits[i]),
            float(found.priors[i]),
            float(found.values[i]),
            int(found.forced[i]),
        )
        for i in found.ranked()
        if found.visits[i] and (not searchmoves or int(found.moves[i]) in searchmoves)
    ]


def policy_pv_lines(prediction: Prediction, searchmoves: Sequence[Move] = ()) -> list[PvLine]:
    """A line of one move for each legal move, the likeliest first; each has the value of the position.
    `evaluated_lines` gives each its own. `searchmoves` restricts the moves; empty for all."""
    order = np.argsort(-prediction.probabilities, kind="stable")
    return [
        PvLine((prediction.moves[i],), 0, float(prediction.probabilities[i]), prediction.value)
        for i in order
        if not searchmoves or prediction.moves[i] in searchmoves
    ]


def evaluated_lines(
    state: Any, lines: Sequence[PvLine], predict: Callable[[Sequence[Any]], Sequence[Prediction]]
) -> list[PvLine]:
    """The lines of a policy with the value and the chances of the position after each one's move."""
    after = [state.play_past_end(line.moves[0]) for line in lines]
    going_on = [each for each in after if each.outcome is None]
    predictions = iter(predict(going_on) if going_on else ())
    evaluated = []
    for line, each in zip(lines, after, strict=True):
        if each.outcome is None:
            reply = next(predictions)
            value = None if reply.value is None else -reply.value
            evaluated.append(replace(line, value=value, wdl=None if reply.wdl is None else reply.wdl[::-1]))
        elif each.outcome.winner is None:
            evaluated.append(replace(line, value=0.0, wdl=(0.0, 1.0, 0.0)))
        else:
            won = 1 if each.outcome.winner == state.to_move else -1
            evaluated.append(replace(line, value=float(won), forced=won))
    return evaluated


def lc0_centipawns(value: float) -> int:
    """A value from -1 to 1 in centipawns, by Lc0's curve: 0.5 is about 110."""
    return round(111.714640912 * math.tan(1.5620688421 * _inside(value)))


def shogi_centipawns(value: float) -> int:
    """A value from -1 to 1 in shogi centipawns, by dlshogi's curve: 0.5 is about 830."""
    return round(756 * 2 * math.atanh(_inside(value)))


def mate_in_moves(forced: int) -> int:
    """A forced mate as UCI counts it: in the winner's moves, negative if the side to move is mated."""
    return (forced + 1) // 2 if forced > 0 else -(-forced // 2)


def mate_in_plies(forced: int) -> int:
    """A forced mate as USI counts it: in plies."""
    return forced


def wdl_of(value: float, evaluation: Wdl | None) -> Wdl:
    """Probabilities of a win, a draw and a loss for a value from -1 to 1.

    The draw probability is that of the network's evaluation, as far as the value leaves room for it.
    """
    drawn = min(evaluation[1] if evaluation is not None else 0.0, 1 - abs(value))
    return (1 - drawn + value) / 2, drawn, (1 - drawn - value) / 2


def permille(wdl: Wdl) -> tuple[int, int, int]:
    """The probabilities in permille; they add up to 1000."""
    won, lost = round(1000 * wdl[0]), round(1000 * wdl[2])
    return won, 1000 - won - lost, lost


def _inside(value: float) -> float:
    """Keeps a value away from -1 and 1, where the curves are infinite."""
    return max(-0.9999, min(0.9999, value))
