"""Experiment 1: observed and expected scores of the round robin, and whether they differ.

The paper's slips: the expected score is 1 / (1 + 10^(-difference / 400)), with a minus; and a chi-square test
with p < 0.05 says that observed and expected scores differ. A large p means that no difference is seen.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

from sparring.arena.results import ArenaGame, compute_standings
from sparring.measure.ratings import wilson_interval

PAPER_EXPECTED = {
    ("D", "B"): 0.091, ("D", "Expert"): 0.006, ("D", "GM"): 0.001,
    ("B", "Expert"): 0.053, ("B", "GM"): 0.006, ("Expert", "GM"): 0.091,
}  # fmt: skip
"""Table 1: the score of the first against the second."""
PAPER_OBSERVED = {
    ("D", "B"): 0.105, ("D", "Expert"): 0.002, ("D", "GM"): 0.000,
    ("B", "Expert"): 0.039, ("B", "GM"): 0.005, ("Expert", "GM"): 0.065,
}  # fmt: skip
"""Table 2."""
PAPER_GAMES = 200
_LEAST_EXPECTED = 5.0
"""Smaller expected counts are merged: chi-square does not hold for them."""


def expected_score(difference: float) -> float:
    """The expected score of a player whose rating is higher by `difference`."""
    return float(1 / (1 + 10 ** (-difference / 400)))


@dataclass(frozen=True)
class PairScore:
    """Points of the weaker player of a pair, observed and expected."""

    observed: float
    expected: float
    games: int


@dataclass(frozen=True)
class ChiSquare:
    """Pearson's test of observed against expected points."""

    statistic: float
    degrees: int
    p: float
    """Probability of so large a statistic if the expected scores were true. Small: they differ."""
    merged: int
    """Pairs that were merged with others."""


def chi_square(pairs: Sequence[PairScore]) -> ChiSquare:
    """Tests all pairs together. Pairs with fewer than five expected points are merged with the next smallest.

    Each pair, or merged pairs, is a binomial with one degree of freedom. Half points have less variance than
    the binomial, so that p is rather too large.
    """
    groups: list[PairScore] = []
    small: PairScore | None = None
    merged = 0
    for pair in sorted(pairs, key=lambda each: each.expected):
        if small is not None:
            pair = PairScore(
                small.observed + pair.observed, small.expected + pair.expected, small.games + pair.games
            )
            merged += 1
        small = pair if pair.expected < _LEAST_EXPECTED else None
        if small is None:
            groups.append(pair)
    if small is not None:
        groups.append(small)
    statistic = sum(
        (group.observed - group.expected) ** 2
        * group.games
        / (group.expected * (group.games - group.expected))
        for group in groups
    )
    return ChiSquare(statistic, len(groups), chi_square_tail(statistic, len(groups)), merged)


def chi_square_tail(x: float, degrees: int) -> float:
    """The probability that a chi-square variable is larger than x."""
    half = x / 2
    if degrees % 2 == 0:
        total, term = 0.0, 1.0
        for k in range(degrees // 2):
            term = term * half / k if k else 1.0
            total += term
        return min(1.0, math.exp(-half) * total)
    total, term = math.erfc(math.sqrt(half)), math.sqrt(half) * math.exp(-half) / math.gamma(1.5)
    for k in range(1, (degrees + 1) // 2):
        total += term
        term *= half / (k + 0.5)
    return min(1.0, total)


def round_robin_report(results: Sequence[ArenaGame], ratings: Mapping[str, float]) -> dict[str, Any]:
    """Tables 1 and 2 for our players beside the paper's, the test of each, and ratings from the games.

    `ratings` are the classes' nominal ratings by name.
    """
    names = sorted(ratings, key=lambda name: ratings[name])
    rows, pairs = [], []
    for weak, strong in combinations(names, 2):
        points = [
            _score(result, weak) for result in results if {result.first, result.second} == {weak, strong}
        ]
        if not points:
            continue
        expected = expected_score(ratings[weak] - ratings[strong])
        score, games = sum(points) / len(points), len(points)
        low, high = wilson_interval(score, games)
        pairs.append(PairScore(sum(points), expected * games, games))
        rows.append({
            "weaker": weak, "stronger": strong, "games": games, "draws": points.count(0.5),
            "expected": expected, "observed": score, "low": low, "high": high,
            "paper_expected": PAPER_EXPECTED.get((weak, strong)),
            "paper_observed": PAPER_OBSERVED.get((weak, strong)),
        })  # fmt: skip
    paper = [
        PairScore(PAPER_OBSERVED[pair] * PAPER_GAMES, PAPER_EXPECTED[pair] * PAPER_GAMES, PAPER_GAMES)
        for pair in PAPER_EXPECTED
    ]
    standings = compute_standings(list(results), names, anchor=names[0], at=ratings[names[0]])
    return {
        "pairs": rows,
        "chi_square": vars(chi_square(pairs)),
        "paper_chi_square": vars(chi_square(paper)),
        "standings": standings.as_json(),
    }


def _score(result: ArenaGame, name: str) -> float:
    assert result.result is not None
    return result.result if result.first == name else 1 - result.result
