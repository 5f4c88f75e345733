"""Algorithm 1 of DSMCP against plain Python."""

from __future__ import annotations

import math
from collections import Counter

import numpy as np
import pytest

from sparring._core import (
    RbcPlannerConfig,
    rbc_bandit,
)
from tests.reference.dsmcp import bandit_scores


@pytest.mark.parametrize(("avop", "phi"), [(False, 0.0), (False, 0.3), (True, 0.0)])
def test_the_bandit_chooses_as_formula_2_says(avop: bool, phi: float) -> None:
    rng = np.random.default_rng(1)
    config = RbcPlannerConfig(exploration=1.5, mixing=math.inf, paranoia=phi, avop=avop)
    for _ in range(200):
        priors = rng.dirichlet(np.ones(7)).astype(np.float32)
        visits = rng.integers(0, 6, 7).astype(np.float32)
        totals = (visits * rng.uniform(-1, 1, 7)).astype(np.float32)
        worst = rng.uniform(-1, 1, 7).astype(np.float32)
        scores = bandit_scores(
            priors.tolist(),
            visits.tolist(),
            totals.tolist(),
            worst.tolist(),
            c=1.5,
            phi=phi,
            avop=avop,
        )
        chosen = rbc_bandit(config, priors, visits, totals, worst, at_root=False, seed=0)
        assert scores[chosen] == pytest.approx(max(scores), abs=1e-5)


def test_textbook_ucb1_tries_each_action_once() -> None:
    priors, worst = np.array([0.9, 0.05, 0.05, 0.0], np.float32), np.ones(4, np.float32)
    visits, totals = np.array([3, 0, 1, 0], np.float32), np.array([3, 0, -1, 0], np.float32)
    config = RbcPlannerConfig(mixing=math.inf, untried_first=True)
    chosen = Counter(
        rbc_bandit(config, priors, visits, totals, worst, at_root=True, seed=seed) for seed in range(200)
    )
    assert set(chosen) == {1, 3}
    assert rbc_bandit(config, priors, visits + 1, totals, worst, at_root=True, seed=0) == 0


def test_the_bandit_draws_from_the_policy_with_probability_exp_of_minus_m_n() -> None:
    priors = np.array([0.5, 0.3, 0.2], np.float32)
    visits, totals = np.array([0, 0, 2], np.float32), np.array([0, 0, 2], np.float32)
    config = RbcPlannerConfig(mixing=0.5)
    chosen = Counter(
        rbc_bandit(config, priors, visits, totals, np.ones(3, np.float32), at_root=False, seed=seed)
        for seed in range(4000)
    )
    mixed = math.exp(-0.5 * 2)
    best = int(np.argmax(bandit_scores(priors.tolist(), [0, 0, 2], [0, 0, 2], [1, 1, 1], c=2)))
    for action in range(3):
        expected = mixed * float(priors[action]) + (1 - mixed) * (action == best)
        assert chosen[action] / 4000 == pytest.approx(expected, abs=0.03)
    at_root = {
        rbc_bandit(config, priors, visits, totals, np.ones(3, np.float32), at_root=True, seed=seed)
        for seed in range(100)
    }
    assert at_root == {best}
