"""Sequential probability ratio test: is a player stronger by elo1 rather than by elo0?

The generalised SPRT of fishtest: a multinomial over the scores of a game (loss, draw, win) or of a pair of
games with colours swapped (0, 1/2, 1, 3/2, 2 points). The ratio compares the maximum likelihoods of
multinomials whose expected scores are those of elo0 and elo1 (M. Van den Bergh, "A Practical Introduction to
the GSPRT" and "Maximum likelihood estimation of multinomials with given expectation", the documents behind
fishtest's LLRcalc).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Annotated, Literal, TypeAlias

from msgspec import Meta

Elo = Annotated[float, Meta(ge=-10_000, le=10_000)]
ErrorRate = Annotated[float, Meta(gt=0, lt=0.5)]
SprtStatus: TypeAlias = Literal["elo1", "elo0", "undecided"]

_NEVER_SEEN = 1e-3
"""Pseudo-count of a score that was never seen, which keeps logarithms finite; fishtest's number."""


@dataclass(frozen=True)
class Sprt:
    """`[sprt]`: the two hypotheses and the error probabilities of a sequential test."""

    elo0: Elo = 0.0
    """Elo difference of the null hypothesis."""
    elo1: Elo = 5.0
    """Elo difference of the alternative hypothesis, above elo0."""
    alpha: ErrorRate = 0.05
    """Probability of accepting elo1 if elo0 is true."""
    beta: ErrorRate = 0.05
    """Probability of accepting elo0 if elo1 is true."""

    def __post_init__(self) -> None:
        if not self.elo0 < self.elo1:
            raise ValueError(f"elo0 ({self.elo0:g}) must be less than elo1 ({self.elo1:g})")
        if not (0 < self.alpha < 0.5 and 0 < self.beta < 0.5):
            raise ValueError(f"alpha and beta are between 0 and 0.5, not {self.alpha:g} and {self.beta:g}")

    @property
    def bounds(self) -> tuple[float, float]:
        """The log-likelihood ratios at which elo0 and elo1 are accepted (Wald)."""
        return math.log(self.beta / (1 - self.alpha)), math.log((1 - self.beta) / self.alpha)


@dataclass
class SequentialTest:
    """A running test."""

    sprt: Sprt
    counts: list[int] = field(default_factory=lambda: [0] * 5)
    """How often each score occurred, lowest first: five counts of pairs, or three of games."""
    llr: float = 0.0
    status: SprtStatus = "undecided"

    def add(self, score: float) -> None:
        """Adds the score of a pair (0 to 2 points) or of a game (0 to 1). Does nothing after the
        decision."""
        if self.status != "undecided":
            return
        self.counts[round(2 * score)] += 1
        self.llr = log_likelihood_ratio(self.counts, self.sprt.elo0, self.sprt.elo1)
        low, high = self.sprt.bounds
        if self.llr >= high:
            self.status = "elo1"
        elif self.llr <= low:
            self.status = "elo0"


def log_likelihood_ratio(counts: Sequence[float], elo0: float, elo1: float) -> float:
    """The log-likelihood ratio of elo1 against elo0 for the counts (3 of games, or 5 of pairs)."""
    if not sum(counts):
        return 0.0
    seen = [count or _NEVER_SEEN for count in counts]
    at0, at1 = (_likeliest(seen, 1 / (1 + 10 ** (-elo / 400))) for elo in (elo0, elo1))
    return sum(n * (math.log(p1) - math.log(p0)) for n, p0, p1 in zip(seen, at0, at1, strict=True))


def _likeliest(counts: Sequence[float], mean: float) -> list[float]:
    """The maximum likelihood probabilities with this expected score in [0, 1].

    With p the observed shares, they are p_i / (1 + x (a_i - mean)), where x is the root of sum p_i (a_i -
    mean) / (1 + x (a_i - mean)), a decreasing function: found by bisection.
    """
    total = sum(counts)
    away = [i / (len(counts) - 1) - mean for i in range(len(counts))]
    low, high = -1 / away[-1], -1 / away[0]
    for _ in range(64):
        x = (low + high) / 2
        if sum(n * a / (1 + x * a) for n, a in zip(counts, away, strict=True)) > 0:
            low = x
        else:
            high = x
    return [n / total / (1 + x * a) for n, a in zip(counts, away, strict=True)]
