"""Theta as a smooth function of the rating, and predictions that are remembered."""

from __future__ import annotations

import tomllib
from typing import Any

import numpy as np
import pytest

from sparring.measure.tuning import MemoizedPolicy, Theta
from sparring.measure.tuning_run import fit_theta_curve, level_table_text
from sparring.search import search_together
from tests.tuning.test_descent import HashedPolicy, random_positions


def result(
    rating: int, theta: Theta, errors: tuple[float | None, float | None] = (0.1, 0.1)
) -> dict[str, Any]:
    return {"class": rating, "theta": vars(theta), "standard_errors": {"log_t_c_puct": errors}}


def on_a_parabola(rating: float) -> Theta:
    x = (rating - 1600) / 1000
    return Theta(np.exp(0.3 - 0.5 * x), np.exp(0.2 * x - 0.1 * x * x), np.exp(1 + 0.4 * x))


def test_a_parabola_through_four_classes_is_found_and_constant_beyond_them() -> None:
    classes = [result(rating, on_a_parabola(rating)) for rating in (1000, 1400, 1900, 2400)]
    curve = fit_theta_curve(classes)
    for rating in (1000, 1234, 2400):
        found, expected = curve.at(rating), on_a_parabola(rating)
        assert found.temperature == pytest.approx(expected.temperature)
        assert found.policy_temperature == pytest.approx(expected.policy_temperature)
        assert found.c_puct == pytest.approx(expected.c_puct)
    assert curve.at(600) == curve.at(1000)
    assert curve.at(2600) == curve.at(2400)


def test_a_class_with_a_flat_loss_hardly_counts() -> None:
    sure = [result(rating, Theta(1, 1, 2)) for rating in (1000, 1400, 1900)]
    curve = fit_theta_curve([*sure, result(2400, Theta(1, 1, 50), (None, None))])
    assert curve.at(1900).c_puct == pytest.approx(2, rel=0.1)


def test_a_curve_stays_within_what_was_searched() -> None:
    """Three sure classes fall steeply; the parabola would go far below the fourth, where the loss is flat."""
    sure = [result(rating, Theta(1, t, 2, 0.2)) for rating, t in ((1600, 0.8), (2000, 1.2), (2400, 1.3))]
    curve = fit_theta_curve([result(800, Theta(1, 0.7, 2, 0.4), (None, None)), *sure])
    assert curve.at(800).policy_temperature == pytest.approx(0.7)
    assert 0.2 <= curve.at(1200).backoff <= 0.4


def test_two_classes_give_a_line() -> None:
    curve = fit_theta_curve([result(1200, Theta(2, 1, 1)), result(2000, Theta(1, 1, 4))])
    assert curve.at(1600).c_puct == pytest.approx(2)


def test_the_text_of_a_level_table_is_toml() -> None:
    text = level_table_text(
        "chess", "strong", 16, {1200: Theta(2, 1, 1), 800: Theta()}, "a note\nof two lines"
    )
    table = tomllib.loads(text)
    assert [row["level"] for row in table["levels"]] == [800, 1200]
    assert table["levels"][1] == {
        "level": 1200, "temperature": 2.0, "nodes": 16, "cpuct": 1.0, "policy_temperature": 1.0,
        "unvisited_share": 0.1,
    }  # fmt: skip
    assert text.startswith("# a note\n# of two lines\n")


def test_a_policy_that_remembers_searches_the_same_and_evaluates_a_position_once() -> None:
    positions = random_positions(6)
    memory = MemoizedPolicy(HashedPolicy())
    for config in (Theta().puct_config(), Theta(c_puct=3.0).puct_config()):
        plain = search_together(HashedPolicy(), positions, config, 12)
        found = search_together(memory, positions, config, 12)
        assert [each.visits.tolist() for each in found] == [each.visits.tolist() for each in plain]
    assert memory.hits > 6
    evaluated = memory.misses
    search_together(memory, positions, Theta().puct_config(), 12)
    assert memory.misses == evaluated
