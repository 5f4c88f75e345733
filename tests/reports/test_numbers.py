"""Numbers in tables."""

from __future__ import annotations

import pytest

from sparring.base.numbers import plus_minus, signed


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.0123, 3, "+0.012"), (-0.0123, 3, "-0.012"), (-0.0001, 3, "0.000"), (0.0, 1, "0.0"), (-0.4, 0, "0")],
)
def test_a_zero_has_no_sign(value: float, digits: int, text: str) -> None:
    assert signed(value, digits) == text


@pytest.mark.parametrize(
    ("half_width", "text"), [(0.0123, "±0.012"), (0.0001, "±<0.001"), (0.0, ""), (float("nan"), "")]
)
def test_no_interval_is_written_as_zero(half_width: float, text: str) -> None:
    assert plus_minus(half_width, 3) == text
