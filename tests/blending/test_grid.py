"""The paper's grid search: accuracy at every alpha, the best alpha, and its bootstrap interval."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.blending.grid import ALPHAS, alpha_weights, best_alpha, hits, simplex_grid
from sparring.matching.bootstrap import Resamples
from tests.blending.simulated import constant_weights, simulate_choices


def test_the_grid_has_steps_of_a_hundredth() -> None:
    assert len(ALPHAS) == 101
    np.testing.assert_allclose(np.diff(ALPHAS), 0.01)
    np.testing.assert_allclose(alpha_weights().sum(axis=1), 1)


@pytest.mark.parametrize(("kind", "beta"), [("geometric", 1.0), ("arithmetic", 1.0), ("power", 0.5)])
def test_hits_are_where_the_pool_has_the_move_first(kind: str, beta: float) -> None:
    choices = simulate_choices(constant_weights(0.6, 0.4), positions=40)
    found = hits(choices, np.array([[1.0, 0.0], [0.3, 0.7]]), kind, beta)
    p, q = np.exp(choices.log_probabilities.astype(np.float64))
    mixed = {
        "geometric": p**0.3 * q**0.7,
        "arithmetic": 0.3 * p + 0.7 * q,
        "power": (0.3 * p**0.5 + 0.7 * q**0.5) ** 2,
    }[kind]
    for number, (a, b) in enumerate(zip(choices.offsets[:-1], choices.offsets[1:], strict=True)):
        played = choices.played[number] - a
        assert found[number, 0] == (p[a:b].argmax() == played)
        assert found[number, 1] == (mixed[a:b].argmax() == played)


def test_the_best_alpha_is_near_that_of_people_and_in_its_interval() -> None:
    choices = simulate_choices(constant_weights(2.1, 0.9), positions=6000)
    resamples = Resamples.draw(np.zeros(int(choices.metadata["game"].max()) + 1, np.int64), 300)
    group_sums = resamples.group_sums(
        hits(choices, alpha_weights()).astype(np.float64), choices.metadata["game"]
    )
    best = best_alpha(group_sums.group(0))
    assert best.alpha.low <= best.alpha.value <= best.alpha.high
    assert best.alpha.value == pytest.approx(0.7, abs=0.2)
    assert best.accuracy == max(best.curve) == best.curve[round(best.alpha.value * 100)]


def test_shares_of_three_add_up_to_1() -> None:
    grid = simplex_grid(0.1)
    assert len(grid) == 66
    np.testing.assert_allclose(grid.sum(axis=1), 1)
    assert grid.min() == 0
