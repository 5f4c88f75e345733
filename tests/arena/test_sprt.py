"""Sequential tests: fishtest's numbers, and error rates by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sparring.measure.ratings import SequentialTest, Sprt, log_likelihood_ratio


@pytest.mark.parametrize(
    ("counts", "elo0", "elo1", "expected"),
    [
        # What fishtest's LLRcalc.LLR_logistic gives; the first two are the examples of its own self-test.
        ([10789, 19328, 33806, 19402, 10543], -3, 1, 2.1310678117),
        ([39, 2226, 31451, 2412, 40], 0.2, 0.9, 2.1625425800),
        ([0, 10, 20, 50, 20], 0, 5, 1.4286861064),
        ([3, 20, 45, 25, 7], 0, 10, 0.6959726064),
    ],
)
def test_ratios_are_fishtests(counts: list[int], elo0: float, elo1: float, expected: float) -> None:
    assert log_likelihood_ratio(counts, elo0, elo1) == pytest.approx(expected, abs=1e-7)


def test_three_scores_agree_with_the_normal_approximation_of_many_games() -> None:
    counts = [1000, 3000, 1100]
    n = sum(counts)
    mean = (counts[1] / 2 + counts[2]) / n
    variance = (counts[1] / 4 + counts[2]) / n - mean**2
    s0, s1 = (1 / (1 + 10 ** (-elo / 400)) for elo in (0, 5))
    approximate = n * (s1 - s0) * (2 * mean - s0 - s1) / (2 * variance)
    assert log_likelihood_ratio(counts, 0, 5) == pytest.approx(approximate, rel=1e-3)


def test_bounds_are_walds() -> None:
    assert Sprt().bounds == pytest.approx((-2.944439, 2.944439))
    assert Sprt(alpha=0.01, beta=0.1).bounds == pytest.approx((math.log(0.1 / 0.99), math.log(90)))


@pytest.mark.parametrize(
    ("settings", "complaint"),
    [({"elo0": 5, "elo1": 5}, "less than"), ({"alpha": 0}, "between"), ({"beta": 0.7}, "between")],
)
def test_invalid_position_queries_are_refused(settings: dict[str, float], complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        Sprt(**settings)


def test_without_games_nothing_is_decided() -> None:
    assert log_likelihood_ratio([0] * 5, 0, 5) == 0.0
    assert SequentialTest(Sprt()).status == "undecided"


def test_the_decision_of_a_test_is_final() -> None:
    test = SequentialTest(Sprt(0, 200))
    for _ in range(100):
        test.add(2.0)
    assert test.status == "elo1"
    counts = list(test.counts)
    for _ in range(100):
        test.add(0.0)
    assert (test.status, test.counts) == ("elo1", counts)


@pytest.mark.parametrize(("elo", "wrong"), [(0.0, "elo1"), (100.0, "elo0")])
def test_errors_come_at_most_as_often_as_allowed(elo: float, wrong: str) -> None:
    rng = np.random.default_rng(11)
    trials, mistakes = 200, 0
    for _ in range(trials):
        test = SequentialTest(Sprt(0, 100))
        while test.status == "undecided":
            for score in pair_scores(elo, rng):
                test.add(score)
        mistakes += test.status == wrong
    assert mistakes / trials <= 0.05 + 3 * math.sqrt(0.05 * 0.95 / trials)


def pair_scores(elo: float, rng: np.random.Generator) -> list[float]:
    """Scores of twenty pairs, a third of the games drawn."""
    score = 1 / (1 + 10 ** (-elo / 400))
    games = rng.choice([0.0, 0.5, 1.0], size=(20, 2), p=[1 - score - 1 / 6, 1 / 3, score - 1 / 6])
    return [float(total) for total in games.sum(1)]
