"""Theta as a function of the rating: its losses on held-out moves of the classes."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import UserError
from sparring.measure.tuning import Theta
from studies.ace.curve import cross_losses, curve_losses
from studies.ace.tuning_commands import ace_curve
from tests.studies.test_ace_gradients import positions
from tests.tuning.test_descent import HashedPolicy


def result(rating: int, theta: Theta, opening: float) -> dict[str, Any]:
    return {
        "class": rating,
        "theta": asdict(theta),
        "nodes": 64,
        "standard_errors": {"log_t_c_puct": (0.1, 0.1)},
        "by_phase": {"phases": {"opening": {"temperature": opening}}},
    }


def test_equal_classes_have_the_losses_of_the_curve_and_no_gain_by_phase() -> None:
    results = [result(rating, Theta(1.3), 1.3) for rating in (1000, 1500, 2000)]
    for row in curve_losses(HashedPolicy(), results, lambda _: positions(16)):
        for difference in row["minus_own"].values():
            assert difference["value"] == pytest.approx(0, abs=1e-9)
        assert row["phase_gain"]["value"] == pytest.approx(0, abs=1e-9)


def test_a_class_off_the_line_differs_from_the_curve_of_the_others_and_from_its_phase() -> None:
    results = [result(rating, Theta(1.3), 0.5) for rating in (1000, 1500)]
    *_, row = curve_losses(
        HashedPolicy(), [*results, result(2000, Theta(6.0, 0.3, 0.5), 0.5)], lambda _: positions(16)
    )
    assert row["minus_own"]["nearest"]["value"] == pytest.approx(row["minus_own"]["left_out"]["value"])
    assert row["minus_own"]["nearest"]["value"] != 0
    assert row["minus_own"]["nearest"]["value"] != pytest.approx(row["minus_own"]["curve"]["value"])
    assert row["phase_gain"]["value"] != 0


def test_a_class_has_no_difference_from_its_own_theta_and_one_from_another() -> None:
    results = [result(1000, Theta(1.3), 1.3), result(2000, Theta(6.0, 0.3, 0.5), 0.5)]
    first, second = cross_losses(HashedPolicy(), results, lambda _: positions(16))
    assert first["minus_own"][1000]["value"] == second["minus_own"][2000]["value"] == 0
    assert first["minus_own"][2000]["value"] == pytest.approx(-second["minus_own"][1000]["value"])
    assert first["minus_own"][2000]["value"] != 0


def test_a_curve_of_too_few_classes_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="fewer than two tuned classes"):
        ace_curve([tmp_path / "records"], tmp_path)
