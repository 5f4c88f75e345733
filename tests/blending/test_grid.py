"""The paper's grid search: accuracy at every alpha, the best alpha, and the alphas within noise of it."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.measure.blending import ALPHAS, BestAlpha, alpha_weights, best_alpha, hits
from sparring.measure.metrics import Resamples
from sparring.measure.scores import ChoiceData
from studies.blend.weights import simplex_grid
from tests.blending.simulated import constant_weights, simulate_choices


def test_the_grid_has_steps_of_a_hundredth() -> None:
    assert len(ALPHAS) == 101
    np.testing.assert_allclose(np.diff(ALPHAS), 0.01)
    np.testing.assert_allclose(alpha_weights().sum(axis=1), 1)


def test_hits_are_where_the_pool_has_the_move_first() -> None:
    choices = simulate_choices(constant_weights(0.6, 0.4), positions=40)
    found = hits(choices, np.array([[1.0, 0.0], [0.3, 0.7]]))
    p, q = np.exp(choices.log_probabilities.astype(np.float64))
    mixed = p**0.3 * q**0.7
    for number, (a, b) in enumerate(zip(choices.offsets[:-1], choices.offsets[1:], strict=True)):
        played = choices.played[number] - a
        assert found[number, 0] == (p[a:b].argmax() == played)
        assert found[number, 1] == (mixed[a:b].argmax() == played)


def best_of(choices: ChoiceData, resamples: int = 300) -> BestAlpha:
    drawn = Resamples.draw(np.zeros(int(choices.metadata["game"].max()) + 1, np.int64), resamples)
    group_sums = drawn.group_sums(hits(choices, alpha_weights()).astype(np.float64), choices.metadata["game"])
    return best_alpha(group_sums.group(0))


def test_the_best_alpha_is_near_that_of_people() -> None:
    best = best_of(simulate_choices(constant_weights(2.1, 0.9), positions=6000))
    assert best.alpha == pytest.approx(0.7, abs=0.2)
    assert best.accuracy == max(best.curve) == best.curve[round(best.alpha * 100)]


def test_the_range_has_the_alphas_that_the_data_do_not_tell_from_the_best() -> None:
    few, many = (simulate_choices(constant_weights(2.1, 0.9), n, games=n // 10) for n in (600, 12_000))
    wide, narrow = best_of(few), best_of(many)
    for best in (wide, narrow):
        assert best.low <= best.alpha <= best.high
        assert best.low <= 0.7 <= best.high
    assert wide.high - wide.low > narrow.high - narrow.low > 0.02
    assert narrow.curve[round(narrow.low * 100)] > narrow.curve[0] + 0.01


def test_chance_does_not_make_one_alpha_the_only_one() -> None:
    """Alphas that predict the same positions but for three random ones a step: none is better."""
    rng = np.random.default_rng(5)
    ranges = []
    for _ in range(10):
        right = np.repeat(rng.random((600, 1)) < 0.5, 101, axis=1)
        for step in range(1, 101):
            right[rng.choice(600, 3, replace=False), step:] ^= True
        resamples = Resamples.draw(np.zeros(600, np.int64), 200)
        best = best_alpha(resamples.group_sums(right.astype(np.float64), np.arange(600)).group(0))
        ranges.append(best.high - best.low)
    assert np.median(ranges) > 0.9


def test_equal_policies_leave_every_alpha_within_noise() -> None:
    choices = simulate_choices(constant_weights(1.0, 0.0), positions=500)
    logs = choices.log_probabilities.copy()
    logs[1] = logs[0]
    best = best_of(ChoiceData(logs, choices.offsets, choices.played, choices.metadata))
    assert (best.low, best.high) == (0, 1)


def test_shares_of_three_add_up_to_1() -> None:
    grid = simplex_grid(0.1)
    assert len(grid) == 66
    np.testing.assert_allclose(grid.sum(axis=1), 1)
    assert grid.min() == 0
