from __future__ import annotations

import pytest

from sparring.measure.ratings import wilson_interval
from studies.expendibots.acceptance import sign_test


def test_intervals_of_shares_are_wilson_s() -> None:
    low, high = wilson_interval(0.9, 100)
    assert low == pytest.approx(0.8256, abs=1e-3)
    assert high == pytest.approx(0.9448, abs=1e-3)
    assert wilson_interval(1.0, 100)[1] == pytest.approx(1)


def test_the_sign_test_counts_the_tail_of_the_binomial_distribution() -> None:
    assert sign_test(8, 1) == pytest.approx((1 + 9) / 2**9)
    assert sign_test(0, 0) == 1.0
    assert sign_test(0, 5) == 1.0
