"""`level-blend`, the policy of strong chess levels."""

from __future__ import annotations

import pytest

from sparring.games import load_game
from sparring.networks import Position
from sparring.policies import load_policy


def test_a_search_with_level_blend_has_the_values_of_the_strong_network() -> None:
    state = load_game("chess").parse("r1bqkbnr/pppp1ppp/2n5/4p3/2B1P3/5Q2/PPPP1PPP/RNB1K1NR b KQkq - 3 3")
    level, strong, blend = (load_policy(name, "chess") for name in ("level-blend", "strong", "blend"))
    for rating in (1500, 2200):
        position = [Position(state, rating, rating)]
        assert level.predict(position)[0].value == pytest.approx(strong.predict(position)[0].value, abs=1e-5)
    for rating, same in ((1500, True), (2200, False)):
        position = [Position(load_game("chess").initial(), rating, rating)]
        found, expected = (each.predict(position)[0].probabilities for each in (level, blend))
        assert (abs(found - expected).max() < 1e-5) == same
