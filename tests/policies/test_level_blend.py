"""`level-blend` and `level-search`, the policies of strong chess levels."""

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


def test_level_search_has_the_moves_of_level_blend_and_the_values_of_the_strong_network() -> None:
    position = [Position(load_game("chess").parse("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"), 2200, 2200)]
    found, moves, strong = (
        load_policy(name, "chess").predict(position)[0] for name in ("level-search", "level-blend", "strong")
    )
    assert abs(found.probabilities - moves.probabilities).max() < 1e-5
    assert found.value == strong.value != moves.value
