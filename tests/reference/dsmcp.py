"""Algorithms 1 and 2 of the DSMCP paper in plain Python, for tiny positions and a uniform policy."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from sparring._core import RbcState
from sparring.rbc.game import NO_SENSE, PASS


def bandit_scores(
    priors: Sequence[float],
    visits: Sequence[float],
    totals: Sequence[float],
    worst: Sequence[float],
    *,
    c: float,
    phi: float = 0.0,
    avop: bool = False,
) -> list[float]:
    """The scores of formula 2; the bandit chooses the highest. Unvisited actions have the node's mean."""
    n = sum(visits)
    mean = sum(totals) / n if n else 0.0
    scores = []
    for prior, n_a, q_a, m_a in zip(priors, visits, totals, worst, strict=True):
        value = q_a / n_a if n_a else mean
        least = min(m_a, value) if n_a else mean
        bonus = math.sqrt(n) / (1 + n_a) if avop else math.sqrt(math.log(max(n, 2)) / max(n_a, 1))
        scores.append((1 - phi) * value + phi * least + c * prior * bonus)
    return scores


def board_key(state: RbcState) -> str:
    """A board without its counters."""
    return state.text().rsplit(" ", 3)[0]


def belief_after_a_known_board(before: RbcState, possible: Iterable[RbcState]) -> dict[str, float]:
    """Algorithm 2 by enumeration: the opponent knows the board `before`, is to sense, and chooses among its
    requests with equal probability; boards that are not possible are rejected.

    Returns the probability of each board by its key. Promotions are to queens.
    """
    allowed = {board_key(state) for state in possible}
    moving = before.play(NO_SENSE)
    found: Counter[str] = Counter()
    for request in moving.legal_moves():
        promotion = request >> 12 & 7
        if request != PASS and promotion not in (0, 4):
            continue
        key = board_key(moving.play(request))
        if key in allowed:
            found[key] += 1
    total = sum(found.values())
    return {key: count / total for key, count in found.items()}
