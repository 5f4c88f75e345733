"""Rules of move selection against bandits whose values are known exactly."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.games import load_game
from sparring.networks import Prediction
from sparring.search import (
    Puct,
    PuctConfig,
    SearchLimits,
    SearchResult,
    by_visits,
    kl_regularised,
    regularised_policy,
)
from sparring.search.move_selection import reverse_kl_policy

Values = NDArray[np.float64]


def bandit(priors: Values, values: Values) -> Callable[[Sequence[Any]], list[Prediction]]:
    """Evaluates the initial position with these priors, and all below its i-th move with value i."""
    initial = load_game("chess").initial()
    moves = initial.legal_moves()

    def evaluate(states: Sequence[Any]) -> list[Prediction]:
        return [one(state) for state in states]

    def one(state: Any) -> Prediction:
        legal = tuple(state.legal_moves())
        if state.ply == 0:
            return Prediction(legal, priors.astype(np.float32), 0.0)
        first = state
        while first.ply > 1:
            first = first.previous
        value = float(values[moves.index(first.last_move)])
        return Prediction(
            legal, np.full(len(legal), 1 / len(legal), np.float32), value if state.to_move == 0 else -value
        )

    return evaluate


def searched(priors: Values, values: Values, c_puct: float, nodes: int) -> SearchResult:
    # Every move is tried once, so that all values are known.
    config = PuctConfig(c_puct=c_puct, batch=1, repetition_draws=False, fpu_absolute=True, fpu_reduction=1.0)
    return Puct(bandit(priors, values), config).search(
        load_game("chess").initial(), SearchLimits(nodes=nodes)
    )


@pytest.mark.parametrize("c_puct", [0.5, 1.5, 5.0])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_visits_approach_the_regularised_policy_and_not_the_exponential(c_puct: float, seed: int) -> None:
    rng = np.random.default_rng(seed)
    priors, values = rng.dirichlet(np.ones(20)), rng.uniform(-0.5, 0.5, 20)
    result = searched(priors, values, c_puct, 3000)
    visits = (1 + result.visits) / (20 + result.visits.sum())  # as Grill et al. count them
    regularised = np.abs(visits - regularised_policy(c_puct)(result)).sum()
    exponential = np.abs(visits - kl_regularised(c_puct / np.sqrt(3000))(result)).sum()
    assert regularised < 0.015
    assert exponential > 3 * regularised


@pytest.mark.parametrize("weight", [0.01, 0.3, 10.0])
def test_the_regularised_policy_maximises_its_objective(weight: float) -> None:
    rng = np.random.default_rng(7)
    priors, values = rng.dirichlet(np.ones(6)), rng.uniform(-1, 1, 6)
    policy = reverse_kl_policy(priors, values, weight)
    assert policy.sum() == pytest.approx(1)

    def objective(p: Values) -> float:
        return float(p @ values - weight * (priors * np.log(priors / p)).sum())

    for _ in range(200):
        other = policy * np.exp(0.05 * rng.normal(size=6))
        assert objective(other / other.sum()) <= objective(policy) + 1e-12


def test_limits_are_the_prior_and_the_best_move() -> None:
    priors, values = np.array([0.7, 0.2, 0.1, 0.0]), np.array([0.0, 0.5, 0.5, 0.9])
    np.testing.assert_allclose(reverse_kl_policy(priors, values, np.inf), priors)
    np.testing.assert_allclose(reverse_kl_policy(priors, values, 1e6), priors, atol=1e-5)
    np.testing.assert_allclose(reverse_kl_policy(priors[:3], values[:3], 0), [0, 2 / 3, 1 / 3])
    for rule in (regularised_policy, kl_regularised):
        with pytest.raises(ValueError, match="expected a number >= 0"):
            rule(-1.0)


def test_a_share_of_the_choice_by_visits_goes_to_moves_without_visits() -> None:
    """It is drawn from the policy p, while the priors are p^(1 / t)."""
    rng = np.random.default_rng(0)
    policy = rng.dirichlet(np.ones(20))
    config = PuctConfig(c_puct=1.0, policy_temperature=0.5, batch=1)
    result = Puct(bandit(policy, rng.uniform(-0.5, 0.5, 20)), config).search(
        load_game("chess").initial(), SearchLimits(nodes=6)
    )
    visited = result.visits > 0
    assert visited.any()
    assert not visited.all()
    plain = by_visits(1.3)(result)
    found = by_visits(1.3, unvisited_share=0.3, policy_temperature=0.5)(result)
    assert found[visited] == pytest.approx(0.7 * plain[visited])
    assert found[~visited] == pytest.approx(0.3 * policy[~visited] / policy[~visited].sum(), rel=1e-3)
    best = by_visits(0.0, unvisited_share=0.3)(result)
    assert best.max() == 1  # the best move alone
