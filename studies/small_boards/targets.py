"""What a rank plays on a small board: a mixture of `human-go` at this rank and of KataGo, sharper for strong
ranks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sparring.policies import Curve

RANKS = (*range(-10, 0), *range(1, 10))
"""10k to 9d: -1 is 1k and 1 is 1d."""
UNKNOWN = 1
"""The rank whose mixture an unknown one gets."""
PEOPLE = Curve.through({-10: 0.4, 9: 0.0})
"""Exponent of `human` by rank."""
KATAGO = Curve.through({-10: 0.8, 9: 1.5})
"""Exponent of KataGo by rank."""
_LEAST = 1e-7


def mixture(people: NDArray[Any], katago: NDArray[Any], rank: int | None) -> NDArray[np.float64]:
    """The target policy [moves] of a rank from the policies of both teachers."""
    legal = np.ones((1, len(people)), bool)
    shares = mixtures(people[None], katago[None], legal, [UNKNOWN if rank is None else rank])
    first: NDArray[np.float64] = shares[0].astype(np.float64)
    return first


def mixtures(
    people: NDArray[Any],
    katago: NDArray[Any],
    legal: NDArray[np.bool_],
    ranks: Sequence[float] | NDArray[Any],
) -> NDArray[np.float32]:
    """The target policies [n, moves] of ranks [n]; 0 where a move is not legal."""
    logs = [np.log(np.maximum(shares.astype(np.float64), _LEAST)) for shares in (people, katago)]
    weights = [curve.at_all(list(ranks))[:, None] for curve in (PEOPLE, KATAGO)]
    mixed = np.where(legal, weights[0] * logs[0] + weights[1] * logs[1], -np.inf)
    shares = np.exp(mixed - mixed.max(axis=1, keepdims=True))
    targets: NDArray[np.float32] = (shares / shares.sum(axis=1, keepdims=True)).astype(np.float32)
    return targets
