"""`level-blend`, the policy of strong chess levels."""

from __future__ import annotations

import pytest

from sparring.games import load_game
from sparring.networks import Position
from sparring.policies import load_policy


@pytest.mark.parametrize(("rating", "same"), [(800, True), (1500, True), (2200, False)])
def test_level_blend_is_the_blend_to_1600(rating: int, same: bool) -> None:
    position = [Position(load_game("chess").initial(), rating, rating)]
    found, expected = (load_policy(name, "chess").predict(position)[0] for name in ("level-blend", "blend"))
    assert (abs(found.probabilities - expected.probabilities).max() < 1e-5) == same
    assert found.value == expected.value
