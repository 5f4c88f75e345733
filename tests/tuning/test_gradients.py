"""Gradients in log(t, c_puct): through the regularised policy, and finite differences."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sparring.measure.scores import best_beta
from sparring.measure.tuning import (
    Theta,
    VisitData,
    search_differences,
)
from sparring.policies.policy import segment_log_softmax, segment_offsets, segment_repeat, segment_sum
from sparring.search.move_selection import reverse_kl_policy
from studies.ace.regularised import regularised_gradient, regularised_policies


def random_data(count: int = 40, moves: int = 6) -> VisitData:
    rng = np.random.default_rng(3)
    offsets = segment_offsets([moves] * count)
    logs = segment_log_softmax(rng.normal(0, 1.5, count * moves), offsets)
    visits = rng.integers(1, 20, count * moves).astype(np.float64)
    values = rng.uniform(-0.5, 0.5, count * moves)
    return VisitData(logs, {99: visits}, values, offsets, rng.integers(0, moves, count) + offsets[:-1])


def test_the_regularised_policies_are_those_of_the_move_selection() -> None:
    data = random_data(5)
    priors, totals = data.priors(1.3), segment_sum(data.visits[99], data.offsets)
    found, _ = regularised_policies(priors, data.values, totals, 2.0, data.offsets)
    for i in range(5):
        part = slice(data.offsets[i], data.offsets[i + 1])
        weight = 2.0 * np.sqrt(totals[i]) / (6 + totals[i])
        expected = reverse_kl_policy(priors[part] / priors[part].sum(), data.values[part], weight)
        assert np.allclose(found[part], expected, atol=1e-6)


def test_the_regularised_gradient_is_the_derivative_of_its_loss() -> None:
    data, theta = random_data(), Theta(1.2, 1.4, 2.5)

    def loss(at: Theta) -> float:
        totals = segment_sum(data.visits[99], data.offsets)
        policy, _ = regularised_policies(
            data.priors(at.policy_temperature), data.values, totals, at.c_puct, data.offsets
        )
        beta = best_beta(np.log(policy), data.offsets, data.played)
        return float(-segment_log_softmax(beta * np.log(policy), data.offsets)[data.played].mean())

    found = regularised_gradient(data, theta).mean(axis=0)
    for axis in range(2):
        step = np.eye(2)[axis] * 1e-4
        up, down = (loss(theta.with_searched(theta.searched + sign * step)) for sign in (1, -1))
        assert np.isclose(found[axis], (up - down) / 2e-4, atol=1e-5)


def test_finite_differences_of_a_known_loss() -> None:
    """The visits are a smooth function of c_puct here, so that the slope and the curvature are known."""
    data = random_data()

    def search(theta: Theta) -> VisitData:
        total = segment_repeat(np.full(len(data), 100.0), data.offsets)
        return replace(data, visits={99: total * data.priors(theta.c_puct)})

    found = search_differences(search, Theta(1.0, 1.0, 2.0), step=0.05)
    # tau is fitted on each side and undoes c_puct, the temperature of these visits: the loss is flat.
    assert np.abs(found.gradient.mean(axis=0)).max() < 1e-6
    assert np.abs(found.curvature(found.above[:, 1])).max() < 1e-3
