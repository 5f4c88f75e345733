"""Pools and temperature: the formulas as they are written, weights by rating, zeros."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.games import load_game
from sparring.networks import Position
from sparring.policies import MIN_PROBABILITY, Curve, PolicyPool, PoolMember, TemperedPolicy
from tests.policies.fixed_policy import FixedPolicy

STATE = load_game("chess").parse("k7/8/8/8/8/7p/8/K7 w - - 0 1")
"""A lonely king in a corner: three legal moves."""
A = [0.7, 0.2, 0.1]
B = [0.1, 0.3, 0.6]
C = [0.2, 0.5, 0.3]


def member(probabilities: list[float], weight: float | dict[int, float]) -> PoolMember:
    curve = Curve.through(weight) if isinstance(weight, dict) else Curve.constant(weight)
    return PoolMember(FixedPolicy(probabilities), curve)


def pooled(*members: PoolMember, rating: int | None = None, **options: object) -> NDArray[np.float64]:
    pool = PolicyPool("pool", members, **options)  # type: ignore[arg-type]  # the kinds are literals
    found: NDArray[np.float64] = pool.predict([Position(STATE, rating)])[0].probabilities.astype(np.float64)
    return found


def shares(weights: NDArray[np.float64]) -> NDArray[np.float64]:
    total: NDArray[np.float64] = weights / weights.sum()
    return total


def test_the_geometric_pool_is_formula_1() -> None:
    expected = shares(np.array(A) ** 0.7 * np.array(B) ** 0.3)
    assert pooled(member(A, 0.7), member(B, 0.3)) == pytest.approx(expected, abs=1e-6)


def test_the_arithmetic_pool_is_formula_3() -> None:
    expected = 0.7 * np.array(A) + 0.3 * np.array(B)
    assert pooled(member(A, 0.7), member(B, 0.3), kind="arithmetic") == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("beta", [0.5, 2.0, -1.0])
def test_the_power_pool_is_formula_4(beta: float) -> None:
    expected = shares((0.7 * np.array(A) ** beta + 0.3 * np.array(B) ** beta) ** (1 / beta))
    found = pooled(member(A, 0.7), member(B, 0.3), kind="power", beta=beta)
    assert found == pytest.approx(expected, abs=1e-6)


def test_any_number_of_policies_can_be_pooled() -> None:
    expected = shares(np.array(A) ** 0.5 * np.array(B) ** 0.3 * np.array(C) ** 0.4)
    found = pooled(member(A, 0.5), member(B, 0.3), member(C, 0.4))
    assert found == pytest.approx(expected, abs=1e-6)


def test_weights_follow_the_rating_in_straight_lines() -> None:
    members = member(A, {1100: 1.0, 1900: 0.0}), member(B, {1100: 0.0, 1900: 1.0})
    assert pooled(*members, rating=900) == pytest.approx(A, abs=1e-6)
    assert pooled(*members, rating=2500) == pytest.approx(B, abs=1e-6)
    between = shares(np.array(A) ** 0.75 * np.array(B) ** 0.25)
    assert pooled(*members, rating=1300) == pytest.approx(between, abs=1e-6)
    unknown = shares(np.array(A) ** 0.5 * np.array(B) ** 0.5)
    assert pooled(*members, rating=None) == pytest.approx(unknown, abs=1e-6)


def test_a_policy_of_weight_zero_is_not_evaluated() -> None:
    low, high = FixedPolicy(A), FixedPolicy(B)
    pool = PolicyPool(
        "own group",
        (
            PoolMember(low, Curve.through({1199: 1, 1200: 0})),
            PoolMember(high, Curve.through({1199: 0, 1200: 1})),
        ),
    )
    found = pool.predict([Position(STATE, rating) for rating in (1150, 1199, 1200, 1250)])
    assert [p.rating for p in low.positions] == [1150, 1199]
    assert [p.rating for p in high.positions] == [1200, 1250]
    assert found[1].probabilities == pytest.approx(A, abs=1e-6)
    assert found[2].probabilities == pytest.approx(B, abs=1e-6)


def test_a_player_of_unknown_rating_is_in_the_middle_of_all_knots() -> None:
    members = (
        member(A, {1199: 1, 1200: 0}),
        member(B, {1199: 0, 1200: 1, 1899: 1, 1900: 0}),
        member(C, {1899: 0, 1900: 1}),
    )
    assert pooled(*members, rating=None) == pytest.approx(B, abs=1e-6)


def test_a_zero_counts_as_the_floor_and_leaves_probabilities() -> None:
    certain = [1.0, 0.0, 0.0]
    expected = shares(np.array([1.0, MIN_PROBABILITY, MIN_PROBABILITY]) ** 0.5 * np.array(B) ** 0.5)
    assert pooled(member(certain, 0.5), member(B, 0.5)) == pytest.approx(expected, rel=1e-5)
    opposed = pooled(member(certain, 0.5), member([0.0, 1.0, 0.0], 0.5))
    assert opposed[:2] == pytest.approx([0.5, 0.5], abs=1e-5)


def test_the_value_is_that_of_the_first_policy_evaluated() -> None:
    members = (
        PoolMember(FixedPolicy(A, value=0.25), Curve.constant(0.1)),
        PoolMember(FixedPolicy(B), Curve.constant(0.9)),
    )
    assert PolicyPool("pool", members).predict([Position(STATE)])[0].value == 0.25


def test_no_positions_give_no_predictions() -> None:
    assert PolicyPool("pool", (member(A, 1),)).predict([]) == []


@pytest.mark.parametrize(
    ("members", "options", "message"),
    [
        ((), {}, "at least one policy"),
        ((member(A, 0), member(B, 0)), {}, "all weights are 0"),
        ((member(A, {1100: 1, 1900: 0}),), {}, "all weights are 0 at rating 1900"),
        ((member(A, -0.1), member(B, 1.1)), {"kind": "arithmetic"}, "not negative"),
        ((member(A, 1),), {"kind": "power", "beta": 0.0}, "beta is a number other than 0"),
        (
            (member(A, 1), PoolMember(FixedPolicy(B, game="go"), Curve.constant(1))),
            {},
            "different games: chess, go",
        ),
    ],
)
def test_inconsistent_arguments_are_refused(
    members: tuple[PoolMember, ...], options: dict[str, object], message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        PolicyPool("pool", members, **options)  # type: ignore[arg-type]  # the kinds are literals


def test_temperature_is_an_inverse_power() -> None:
    tempered = TemperedPolicy(FixedPolicy(A), Curve.through({1000: 0.5, 2000: 2.0}))
    cold, hot = tempered.predict([Position(STATE, 1000), Position(STATE, 2000)])
    assert cold.probabilities == pytest.approx(shares(np.array(A) ** 2), abs=1e-6)
    assert hot.probabilities == pytest.approx(shares(np.sqrt(A)), abs=1e-6)


def test_a_temperature_is_positive() -> None:
    with pytest.raises(ValueError, match="a temperature is positive, not 0"):
        TemperedPolicy(FixedPolicy(A), Curve.constant(0))
