"""Confidence intervals and significance of match scores."""

from __future__ import annotations

import math

Z95 = 1.959964
"""The 97.5 % quantile of the normal distribution: two-sided 95 % intervals."""


def wilson_interval(share: float, count: float, z: float = Z95) -> tuple[float, float]:
    """Wilson's score interval of a share of points over `count` games; `count` may be an effective size.

    Draws as half points have less variance than the formula assumes, so the interval is slightly too wide.
    """
    centre = share + z * z / (2 * count)
    half = z * math.sqrt(share * (1 - share) / count + z * z / (4 * count * count))
    scale = 1 + z * z / count
    return (centre - half) / scale, (centre + half) / scale


def sign_test(wins: int, losses: int) -> float:
    """The one-sided p-value of the exact sign test: the chance of at least so many wins among equals."""
    decided = wins + losses
    return float(sum(math.comb(decided, more) for more in range(wins, decided + 1)) / 2**decided)
