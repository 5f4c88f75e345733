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
class RiskParameters:
    """What a bot makes of its uncertainty."""

    worst_case_weight: float = 0.2
    """Weight of the worst tenth of the boards against the mean of all."""
    king_loss_weight: float = 1.0
    """What a likelihood of losing the king at once costs beyond its chances: opponents find kings."""
    unseen_attack_rate: float = 0.15
    """How often an attack on the king is thought to go unseen."""
    information_weight: float = 0.01
    """Chances that a bit of information is worth beyond the next move."""
    opponent_rationality: float = 4.0
    """How much likelier boards are on which the opponent has played well; 0: all alike."""
    threat_weight: float = 10.0
    """How many times likelier boards are on which the opponent attacks the king; 1: no likelier."""

    def __post_init__(self) -> None:
        for name in ("worst_case_weight", "unseen_attack_rate"):
            if not 0 <= getattr(self, name) <= 1:
                raise ValueError(f"{name} is {getattr(self, name)}, where 0 to 1 is expected")
        for name in ("king_loss_weight", "information_weight", "opponent_rationality", "threat_weight"):
            if not 0 <= getattr(self, name) <= 100:
                raise ValueError(f"{name} is {getattr(self, name)}, where 0 to 100 is expected")


def win_probabilities(
    scores: NDArray[np.int32], attacks: NDArray[np.bool_], unseen_attack_rate: float
) -> Matrix:
    """Chances of winning [boards, requests]; an attack on the king wins where it goes unseen.

    Material alone never makes a win certain, so that there is always something to gain by taking the king.
    """
    weighed = 1 / (1 + np.exp(-np.clip(scores, -5_000, 5_000) / _SCALE))
    seen = _FAR + (1 - 2 * _FAR) * weighed
    seen = np.where(np.abs(scores) > WIN // 2, np.where(scores > 0, 1 - _FAR / 4, _FAR / 4), seen)
    seen = np.where(np.abs(scores) >= WIN - 1, (scores > 0).astype(np.float64), seen)
    return np.asarray(seen + unseen_attack_rate * attacks * (1 - seen))


def likelihoods(
    win_probability: Matrix,
    in_danger: NDArray[np.bool_],
    share: float,
    opponent_rationality: float,
    threat_weight: float,
) -> NDArray[np.float64]:
    """Weights of the boards [boards], which sum to 1.

    Less where the opponent must have blundered. `in_danger` [boards] says where it now attacks the king,
    `share` how many of all boards these are: together they weigh `threat_weight` times as much, since who
    attacks unseen wins and every opponent tries to.
    """
    best = win_probability.max(axis=1)
    weights = np.exp(-opponent_rationality * (best - best.min())) + _FLOOR
    if in_danger.any() and not in_danger.all():
        mass = threat_weight * share / (threat_weight * share + 1 - share)
        weights[in_danger] *= mass / weights[in_danger].sum()
        weights[~in_danger] *= (1 - mass) / weights[~in_danger].sum()
    return np.asarray(weights / weights.sum())


def request_values(
    win_probability: Matrix, weights: NDArray[np.float64], risk_parameters: RiskParameters
) -> NDArray[np.float64]:
    """Each request's value [requests]: the mean, what it brings on its worst boards, and what it risks."""
    worst = max(1, round(_WORST_SHARE * len(win_probability)))
    lowest = np.partition(win_probability, worst - 1, axis=0)[:worst].mean(axis=0)
    risk = weights @ (win_probability <= 0)
    mean = weights @ win_probability
    return np.asarray(
        (1 - risk_parameters.worst_case_weight) * mean
        + risk_parameters.worst_case_weight * lowest
        - risk_parameters.king_loss_weight * risk
    )


def sense_values(
    win_probability: Matrix,
    weights: NDArray[np.float64],
    partition: Callable[[int], NDArray[np.uint32]],
    senses: tuple[int, ...],
) -> NDArray[np.float64]:
    """For each of the senses the mean chance of the request that is best once its answer is known."""
    weighed = weights[:, None] * win_probability
    values = np.empty(len(senses))
    for i, square in enumerate(senses):
        parts = partition(square)
        together = np.zeros((int(parts.max()) + 1, win_probability.shape[1]))
        np.add.at(together, parts, weighed)
        values[i] = together.max(axis=1).sum()
    return values
