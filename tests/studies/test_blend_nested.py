"""Intervals of gains include the choice of weights: they are those of a loop that fits in every resample."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.measure.blending import ALPHAS, alpha_weights, hits, middle_best, rating_blend
from sparring.measure.metrics import Resamples
from sparring.measure.samples import PlayedGame, Sample
from sparring.measure.scores import ChoiceData
from sparring.policies.policy import Array
from sparring.records import GameRecord, PositionFilter
from studies.blend.config import HeldOutSample, PredictedSample
from studies.blend.nested import Candidates, NestedMetrics, hits_and_nats, pool_scores, refitted
from studies.blend.weights import score_logs
from tests.blending.simulated import constant_weights, simulate_choices

NAMES = ("human", "strong")
RESAMPLES = 60


def predicted(positions: int, games: int, seed: int) -> PredictedSample:
    choices = simulate_choices(constant_weights(1.4, 0.6), positions, seed=seed, games=games)
    _, choices.metadata["game"][:] = np.unique(choices.metadata["game"], return_inverse=True)
    count = int(choices.metadata["game"].max()) + 1
    record = GameRecord(moves=b"", result=None)
    played = tuple(
        PlayedGame(record, i, "low" if i < count // 2 else "high", PositionFilter()) for i in range(count)
    )
    return PredictedSample(Sample("chess", played, choices.metadata), choices, NAMES)


@pytest.fixture(scope="module")
def validation() -> PredictedSample:
    return predicted(900, 60, 1)


@pytest.fixture(scope="module")
def measured() -> HeldOutSample:
    part = predicted(1200, 80, 2)
    return HeldOutSample(part, Resamples.draw(part.sample.group_of_game, RESAMPLES))


def accuracies(part: PredictedSample, counts: Array, right: Array) -> Array:
    """Means by group of columns [positions, columns], game by game as often as drawn."""
    rows = []
    for group in range(2):
        which = np.flatnonzero(part.groups == group)
        weights = counts[part.sample.metadata["game"][which]]
        rows.append((right[which] * weights[:, None]).sum(axis=0) / weights.sum())
    return np.array(rows)


def test_the_grid_chooses_anew_in_every_resample(
    validation: PredictedSample, measured: HeldOutSample
) -> None:
    found = Candidates.of(validation, measured, pool_scores(alpha_weights(), NAMES)).chosen()
    drawn = Resamples.draw(validation.sample.group_of_game, RESAMPLES, 1).counts
    right = [hits(part.of(*NAMES), alpha_weights()).astype(float) for part in (validation, measured.part)]
    chosen = set()
    for number in range(RESAMPLES):
        best = middle_best(accuracies(validation, drawn[number], right[0]))
        chosen |= set(ALPHAS[best].tolist())
        tested = accuracies(measured.part, measured.resamples.counts[number], right[1])
        np.testing.assert_allclose(found.resampled[number, :, 0], tested[[0, 1], best])
    assert len(chosen) > 10, "resamples choose different alphas"


def test_weights_by_likelihood_are_fitted_anew(validation: PredictedSample, measured: HeldOutSample) -> None:
    model = rating_blend(validation.of(*NAMES), "rating")
    found = refitted(validation, measured, model, NAMES, RESAMPLES)
    metrics = measured.metrics(_logs(measured, model.fit.theta, model.features(measured.part.of(*NAMES))))
    fixed = NestedMetrics.of(metrics)
    np.testing.assert_allclose(found.values, fixed.values, atol=1e-6)
    deviations = [each.resampled.std(axis=0) for each in (found, fixed)]
    assert np.abs(found.resampled - fixed.resampled).max() > 1e-4
    assert deviations[0].mean() > 0.9 * deviations[1].mean()


def test_alpha_by_group_stays_between_0_and_1(validation: PredictedSample, measured: HeldOutSample) -> None:
    found = refitted(validation, measured, None, NAMES, 20)
    assert np.isfinite(found.resampled).all()
    assert found.resampled.shape == (20, 2, 2)


def test_differences_are_paired(validation: PredictedSample, measured: HeldOutSample) -> None:
    policy = NestedMetrics.of(measured.metrics_of("human"))
    same = policy.difference(policy, 1)
    assert same["mean"] == {"top1": 0, "low": 0, "high": 0, "nll": 0, "nll_low": 0, "nll_high": 0}
    assert set(same) == {"groups", "mean", "upper"}
    assert set(same["groups"]) == {"low", "high"}


def test_hits_and_nats_are_the_scores_of_choices(measured: HeldOutSample) -> None:
    choices: ChoiceData = measured.part.of("strong")
    logs = choices.log_probabilities[0].astype(np.float64)
    right, nats = hits_and_nats(choices, logs)
    scores = score_logs(choices, logs)
    np.testing.assert_array_equal(right, scores["rank"] == 0)
    np.testing.assert_allclose(nats, -np.log(scores["played"]), atol=1e-5)


def _logs(measured: HeldOutSample, theta: Array, features: Array) -> Array:
    from studies.blend.weights import pooled_logs

    return pooled_logs(measured.part.of(*NAMES), theta @ features.T)
