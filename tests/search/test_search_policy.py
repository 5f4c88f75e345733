"""SearchPolicy: limiting cases, and tactics that the policy alone misses."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sparring.games import load_game
from sparring.networks import Position
from tests.policies.fixed_policy import FixedPolicy
from tests.reference.search_policy import SearchPolicy

MATE = load_game("chess").parse("7k/8/5KQ1/8/8/8/8/8 w - - 0 1")


def certain(share: float = 0.9) -> FixedPolicy:
    return FixedPolicy([share, 1 - share], value=0.0)


def test_at_an_infinite_c_puct_it_is_the_policy() -> None:
    found = SearchPolicy(certain(), math.inf, 20).predict([Position(MATE)])[0]
    np.testing.assert_array_equal(found.probabilities, certain().predict([Position(MATE)])[0].probabilities)


def test_search_finds_a_mate_and_less_so_the_closer_it_stays_to_the_policy() -> None:
    mate = MATE.legal_moves().index(MATE.parse_move("g6g7"))
    priors = np.zeros(len(MATE.legal_moves()))
    priors[[0, mate]] = 0.8, 0.2
    shares = [
        float(
            SearchPolicy(FixedPolicy(priors.tolist(), value=0.0), c, 60)
            .predict([Position(MATE)])[0]
            .probabilities[mate]
        )
        for c in (0.5, 2.0, 10.0, math.inf)
    ]
    assert shares[0] > 0.9
    assert shares == sorted(shares, reverse=True)
    assert shares[-1] == pytest.approx(0.2)


def test_the_same_position_has_the_same_prediction() -> None:
    policy = SearchPolicy(certain(), 1.0, 40)
    first, second = (policy.predict([Position(MATE, 1500)])[0].probabilities for _ in range(2))
    np.testing.assert_array_equal(first, second)


def test_ratings_and_the_clock_reach_the_policy_at_every_c_puct() -> None:
    start = Position(load_game("chess").initial(), 1100, 1900, 30.0)
    for c_puct in (1.0, math.inf):
        inner = certain()
        SearchPolicy(inner, c_puct, 10).predict([start])
        told = {(p.state.to_move, p.rating, p.opponent_rating, p.clock) for p in inner.positions}
        replies = set() if math.isinf(c_puct) else {(1, 1900, 1100, None)}
        assert told == {(0, 1100, 1900, 30.0)} | replies


def test_a_policy_without_values_cannot_search() -> None:
    with pytest.raises(ValueError, match="who is winning"):
        SearchPolicy(FixedPolicy([0.5, 0.5]), 1.0, 10).predict([Position(MATE)])
