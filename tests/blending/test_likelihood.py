"""Maximum likelihood: recovers the weights of simulated players, with correct standard errors."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.measure.blending import (
    fit,
    hat_basis,
    place_knots,
    position_blend,
    rating_blend,
)
from sparring.measure.scores import ChoiceData
from sparring.policies import Curve
from sparring.policies.pool import FeatureScaler, position_features
from studies.blend.weights import pooled_logs, refit, score_logs
from tests.blending.simulated import constant_weights, simulate_choices


def ones(choices: ChoiceData) -> np.ndarray[tuple[int, int], np.dtype[np.float64]]:
    return np.ones((len(choices), 1))


@pytest.mark.parametrize("weights", [(0.7, 0.3), (1.2, 0.4), (0.0, 1.0), (0.9, -0.2), (0.5, 0.2, 0.4)])
def test_the_weights_of_people_are_found(weights: tuple[float, ...]) -> None:
    choices = simulate_choices(constant_weights(*weights), policies=len(weights))
    found = fit(choices, ones(choices))
    errors = (found.theta[:, 0] - weights) / found.standard_errors(np.ones(1))
    assert np.abs(errors).max() < 3
    assert found.standard_errors(np.ones(1)).max() < 0.05


def test_no_other_weights_are_likelier() -> None:
    choices = simulate_choices(constant_weights(0.6, 0.5))
    found = fit(choices, ones(choices))
    best = choices.negative_log_likelihood(found.theta[:, 0]).mean()
    assert best == pytest.approx(found.nll, abs=1e-6)
    rng = np.random.default_rng(1)
    for _ in range(20):
        beside = found.theta[:, 0] + rng.normal(size=2) * 0.02
        assert choices.negative_log_likelihood(beside).mean() > best


def test_tied_weights_add_up_to_1_and_are_the_best_of_those() -> None:
    choices = simulate_choices(constant_weights(0.7, 0.3))
    found = fit(choices, ones(choices), constrained=True)
    alpha, rest = found.theta[:, 0]
    assert alpha + rest == pytest.approx(1)
    assert alpha == pytest.approx(0.7, abs=3 * found.standard_errors(np.ones(1))[0])
    grid = np.linspace(0, 1, 101)
    nats = [choices.negative_log_likelihood([a, 1 - a]).mean() for a in grid]
    assert found.nll <= min(nats) + 1e-9
    assert abs(grid[int(np.argmin(nats))] - alpha) < 0.011


def test_intervals_hold_the_truth_about_as_often_as_they_say() -> None:
    inside = 0
    for seed in range(60):
        choices = simulate_choices(constant_weights(0.7, 0.3), positions=400, games=40, seed=seed)
        found = fit(choices, ones(choices))
        inside += abs(found.theta[0, 0] - 0.7) < 1.96 * found.standard_errors(np.ones(1))[0]
    assert 51 <= inside <= 60


def test_positions_of_one_game_count_less_than_as_many_games() -> None:
    choices = simulate_choices(constant_weights(0.7, 0.3), positions=1500, games=300)
    repeated = np.repeat(np.arange(len(choices)), 3)
    thrice = fit(choices.subset(repeated), np.ones((len(repeated), 1)))
    once = fit(choices, ones(choices))
    np.testing.assert_allclose(thrice.theta, once.theta, atol=1e-5)
    np.testing.assert_allclose(
        thrice.standard_errors(np.ones(1)), once.standard_errors(np.ones(1)), rtol=1e-3
    )


def test_policies_with_equal_predictions_share_their_weight() -> None:
    choices = simulate_choices(constant_weights(0.6, 0.0))
    logs = choices.log_probabilities.copy()
    logs[1] = logs[0]
    same = ChoiceData(logs, choices.offsets, choices.played, choices.metadata)
    assert fit(same, ones(same)).theta.sum() == pytest.approx(0.6, abs=0.06)


def test_perfectly_predicted_choices_leave_weights_finite() -> None:
    choices = simulate_choices(constant_weights(1.0, 0.0), positions=3, games=2)
    sure = choices.log_probabilities.copy()
    sure[:, choices.played] = 0
    found = fit(ChoiceData(sure, choices.offsets, choices.played, choices.metadata), ones(choices))
    assert np.isfinite(found.theta).all()
    assert np.isfinite(found.covariance).all()


def test_curves_over_ratings_are_found() -> None:
    truth = Curve.through({1200: 0.9, 1800: 0.5})

    def weights(ratings: np.ndarray[tuple[int], np.dtype[np.float64]], _: object) -> object:
        alpha = truth.at_all(ratings.tolist())
        return np.stack([alpha, 1 - alpha])

    choices = simulate_choices(weights, positions=8000)  # type: ignore[arg-type]
    found = rating_blend(choices)
    first = found.curves()[0]
    for rating in (1150, 1500, 1850):
        assert first.at(rating) == pytest.approx(truth.at(rating), abs=0.1)
    line = fit(choices, hat_basis(choices.metadata["rating"], (1200, 1800)), constrained=True)
    np.testing.assert_allclose(line.theta[0], [0.9, 0.5], atol=0.08)


def test_weights_by_position_are_found_and_never_fit_worse_than_by_rating() -> None:
    def weights(ratings: object, traits: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> object:
        scaled = FeatureScaler.of(traits).apply(traits)
        return np.stack([0.6 + 0.2 * scaled[:, 1], 0.4 - 0.2 * scaled[:, 1]])

    choices = simulate_choices(weights, positions=8000)  # type: ignore[arg-type]
    by_position, by_rating = position_blend(choices), rating_blend(choices)
    np.testing.assert_allclose(by_position.trait_coefficients()[:, 1], [0.2, -0.2], atol=0.06)
    np.testing.assert_allclose(by_position.trait_coefficients()[:, 0], 0, atol=0.06)
    assert by_position.fit.nll < by_rating.fit.nll - 0.005
    away = simulate_choices(weights, positions=4000, seed=9)  # type: ignore[arg-type]
    nats = [
        -np.log(score_logs(away, pooled_logs(away, way.fit.weights(way.features(away))))["played"]).mean()
        for way in (by_position, by_rating)
    ]
    assert nats[0] < nats[1]


def test_hats_are_the_weights_of_a_curve() -> None:
    ratings = np.array([900, 1100, 1300, 1500, 2100, np.nan])
    curve = Curve.through({1100: 0.3, 1500: 0.9, 1900: 0.1})
    told = [None if np.isnan(rating) else rating for rating in ratings.tolist()]
    found = hat_basis(ratings, (1100, 1500, 1900)) @ np.array([0.3, 0.9, 0.1])
    np.testing.assert_allclose(found, curve.at_all(told))


def test_without_ratings_there_is_one_knot() -> None:
    assert place_knots(np.array([np.nan, np.nan])) == (0,)
    assert place_knots(np.array([1500.0, 1500.0])) == (1500,)
    np.testing.assert_array_equal(hat_basis(np.array([np.nan, 5.0]), (0,)), [[1], [1]])


def test_traits_of_a_fit_are_those_of_its_policy() -> None:
    choices = simulate_choices(constant_weights(0.7, 0.3), positions=50)
    logs = choices.log_probabilities.astype(np.float64)
    traits = position_features(logs, choices.offsets, choices.metadata["ply"].astype(np.float64))
    np.testing.assert_allclose(position_blend(choices).scale.means, traits.mean(axis=0))


@pytest.mark.parametrize("constrained", [False, True])
def test_refits_are_the_fits_of_the_resampled_games(constrained: bool) -> None:
    choices = simulate_choices(constant_weights(0.7, 0.3), positions=3000, games=150)
    features = hat_basis(choices.metadata["rating"], (1100, 1900))
    found = fit(choices, features, constrained=constrained)
    counts = np.random.default_rng(3).multinomial(150, np.full(150, 1 / 150), 12)
    thetas = refit(choices, features, found, counts, constrained=constrained)
    moved = []
    for drawn, theta in zip(counts, thetas, strict=True):
        which = np.repeat(np.arange(len(choices)), drawn[choices.metadata["game"]])
        again = fit(choices.subset(which), features[which], constrained=constrained).theta
        moved.append(np.abs(again - found.theta).max())
        assert np.abs(theta - again).max() < 0.1 * max(moved[-1], 0.02)
    assert np.mean(moved) > 0.02, "resamples differ"
