"""Values of requests and senses over a set of possible boards, as functions of matrices.

Search scores are mapped to win probabilities, which bounds the weight of a lost king.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]

_SCALE = 350.0
"""Centipawns that raise a win probability of 0.5 to 0.73."""
_WORST_SHARE = 0.1
"""Share of the boards that counts as the worst case."""
WIN = 100_000
"""Score of a captured king."""
_FAR = 0.06
"""Win probability between a won position and a captured king."""
_FLOOR = 0.02
"""Smallest weight of a board, before normalisation: opponents blunder, too."""


@dataclass(frozen=True)
class RiskParameters:
    """Weights of a bot's decisions under uncertainty."""

    worst_case_weight: float = 0.2
    """Weight of the worst tenth of the boards against the mean of all."""
    king_loss_weight: float = 1.0
    """Penalty for the probability of losing the king at once, beyond its effect on the mean."""
    unseen_attack_rate: float = 0.15
    """Assumed probability that the opponent does not see an attack on its king."""
    information_weight: float = 0.01
    """Value of a bit of information beyond the next move, in win probability."""
    opponent_rationality: float = 4.0
    """Inverse temperature of the opponent's moves; 0 makes all boards equally likely."""
    threat_weight: float = 10.0
    """Odds factor of boards on which the opponent attacks the king; 1 leaves them as they are."""

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
    """Win probabilities [boards, requests]. An attack on the king wins if it goes unseen.

    Material alone never makes a win certain, so capturing the king is always better.
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
    """Weights of the boards [boards]; they add up to 1.

    Boards on which the opponent must have blundered weigh less. `in_danger` [boards] marks boards on which
    it attacks the king, `share` is their share among all boards: the odds of these boards are multiplied by
    `threat_weight`, because opponents seek unseen attacks.
    """
    best = win_probability.max(axis=1)
    weights = np.exp(-opponent_rationality * (best - best.min())) + _FLOOR
    if in_danger.any() and not in_danger.all():
        mass = threat_weight * share / (threat_weight * share + 1 - share)
        weights[in_danger] *= mass / weights[in_danger].sum()
        weights[~in_danger] *= (1 - mass) / weights[~in_danger].sum()
    return np.asarray(weights / weights.sum())


def request_values(
    win_probability: Matrix,
    weights: NDArray[np.float64],
    risk_parameters: RiskParameters,
    weighted_worst: bool = False,
) -> NDArray[np.float64]:
    """Values [requests]: the weighted mean and the mean of the worst boards, minus the risk for the king.

    The worst boards are a tenth of the boards, or with `weighted_worst` a tenth of their weight.
    """
    if weighted_worst:
        lowest = _lowest_mean(win_probability, weights)
    else:
        worst = max(1, round(_WORST_SHARE * len(win_probability)))
        lowest = np.partition(win_probability, worst - 1, axis=0)[:worst].mean(axis=0)
    risk = weights @ (win_probability <= 0)
    mean = weights @ win_probability
    return np.asarray(
        (1 - risk_parameters.worst_case_weight) * mean
        + risk_parameters.worst_case_weight * lowest
        - risk_parameters.king_loss_weight * risk
    )


def _lowest_mean(win_probability: Matrix, weights: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mean over the worst boards of each request that have a tenth of the weight together [requests]."""
    order = np.argsort(win_probability, axis=0)
    weighed = weights[order]
    before = np.cumsum(weighed, axis=0) - weighed
    counted = np.clip(_WORST_SHARE - before, 0.0, weighed)
    return np.asarray(
        (counted * np.take_along_axis(win_probability, order, axis=0)).sum(axis=0) / _WORST_SHARE
    )


def sense_entropies(
    weights: NDArray[np.float64], partition: Callable[[int], NDArray[np.uint32]], senses: tuple[int, ...]
) -> NDArray[np.float64]:
    """Entropies of the results of the senses in bits [senses]."""
    entropies = np.empty(len(senses))
    for i, square in enumerate(senses):
        shares = np.bincount(partition(square), weights)
        entropies[i] = -(shares * np.log2(np.maximum(shares, 1e-12))).sum()
    return entropies


def sense_values(
    win_probability: Matrix,
    weights: NDArray[np.float64],
    partition: Callable[[int], NDArray[np.uint32]],
    senses: tuple[int, ...],
) -> NDArray[np.float64]:
    """Values of the senses [senses]: the mean win probability of the best request after the sense result."""
    weighed = weights[:, None] * win_probability
    values = np.empty(len(senses))
    for i, square in enumerate(senses):
        parts = partition(square)
        together = np.zeros((int(parts.max()) + 1, win_probability.shape[1]))
        np.add.at(together, parts, weighed)
        values[i] = together.max(axis=1).sum()
    return values
