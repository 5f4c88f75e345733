"""What requests and senses are worth over boards of which one is true. Plain functions of matrices.

Scores of searches become chances of winning, so that a lost king weighs as much as it should and no more.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_SCALE = 350.0
"""Hundredths of a pawn that make a chance of 1/2 one of 0.73."""
_WORST_SHARE = 0.1
"""Of the boards, which are the worst case."""
WIN = 100_000
"""The score of a captured king."""
_FAR = 0.06
"""What separates a won position from a captured king, in chances."""
_FLOOR = 0.02
"""Nothing that is possible is quite unlikely: opponents are surprised, too."""


@dataclass(frozen=True)
class Temper:
    """What a bot makes of its uncertainty."""

    caution: float = 0.2
    """Weight of the worst tenth of the boards against the mean of all."""
    fear: float = 1.0
    """What a likelihood of losing the king at once costs beyond its chances: opponents find kings."""
    sneak: float = 0.15
    """How often an attack on the king is thought to go unseen."""
    curiosity: float = 0.01
    """Chances that a bit of information is worth beyond the next move."""
    trust: float = 4.0
    """How much likelier boards are on which the opponent has played well; 0: all alike."""
    dread: float = 10.0
    """How many times likelier boards are on which the opponent attacks the king; 1: no likelier."""

    def __post_init__(self) -> None:
        for name in ("caution", "sneak"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, where 0 to 1 is expected")
        for name in ("fear", "curiosity", "trust", "dread"):
            if not 0 <= getattr(self, name) <= 100:
                raise ValueError(f"{name} is {getattr(self, name)}, where 0 to 100 is expected")


def chances(scores: NDArray[np.int32], attacks: NDArray[np.bool_], sneak: float) -> Matrix:
    """Chances of winning [boards, requests]; an attack on the king wins where it goes unseen.

    Material alone never makes a win certain, so that there is always something to gain by taking the king.
    """
    weighed = 1 / (1 + np.exp(-np.clip(scores, -5_000, 5_000) / _SCALE))
    seen = _FAR + (1 - 2 * _FAR) * weighed
    seen = np.where(np.abs(scores) > WIN // 2, np.where(scores > 0, 1 - _FAR / 4, _FAR / 4), seen)
    seen = np.where(np.abs(scores) >= WIN - 1, (scores > 0).astype(np.float64), seen)
    return np.asarray(seen + sneak * attacks * (1 - seen))


def likelihoods(
    outlook: Matrix, in_danger: NDArray[np.bool_], share: float, trust: float, dread: float
) -> NDArray[np.float64]:
    """Weights of the boards [boards], which sum to 1.

    Less where the opponent must have blundered. `in_danger` [boards] says where it now attacks the king,
    `share` how many of all boards these are: together they weigh `dread` times as much as they are, since who
    attacks unseen wins and every opponent tries to.
    """
    best = outlook.max(axis=1)
    weights = np.exp(-trust * (best - best.min())) + _FLOOR
    if in_danger.any() and not in_danger.all():
        mass = dread * share / (dread * share + 1 - share)
        weights[in_danger] *= mass / weights[in_danger].sum()
        weights[~in_danger] *= (1 - mass) / weights[~in_danger].sum()
    return np.asarray(weights / weights.sum())


def request_values(outlook: Matrix, weights: NDArray[np.float64], temper: Temper) -> NDArray[np.float64]:
    """Each request's value [requests]: the mean, what it brings on its worst boards, and what it risks."""
    worst = max(1, round(_WORST_SHARE * len(outlook)))
    lowest = np.partition(outlook, worst - 1, axis=0)[:worst].mean(axis=0)
    risk = weights @ (outlook <= 0)
    mean = weights @ outlook
    return np.asarray((1 - temper.caution) * mean + temper.caution * lowest - temper.fear * risk)


def sense_values(
    outlook: Matrix,
    weights: NDArray[np.float64],
    partition: Callable[[int], NDArray[np.uint32]],
    senses: tuple[int, ...],
) -> NDArray[np.float64]:
    """For each of the senses the mean chance of the request that is best once its answer is known."""
    weighed = weights[:, None] * outlook
    values = np.empty(len(senses))
    for i, square in enumerate(senses):
        parts = partition(square)
        together = np.zeros((int(parts.max()) + 1, outlook.shape[1]))
        np.add.at(together, parts, weighed)
        values[i] = together.max(axis=1).sum()
    return values
