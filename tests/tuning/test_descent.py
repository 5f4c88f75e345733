"""Algorithm 1: it descends, finds a known optimum, converges and resumes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict

import numpy as np
import pytest

from sparring.games import load_game
from sparring.measure.tuning import (
    Descent,
    DescentConfig,
    DescentStep,
    PlayedPositions,
    Theta,
    averaged,
    batch_rows,
    has_converged,
    search_visits,
    snapshot_sizes,
)
from sparring.networks import Position, Prediction
from sparring.search import by_visits, search_together


class HashedPolicy:
    """A policy of Breakthrough with priors and values from a hash of the state: cheap, fixed, not flat."""

    name, game = "hashed", "breakthrough"

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        found = []
        for position in positions:
            rng = np.random.default_rng(abs(hash(position.state)) % 2**32)
            moves = tuple(position.state.legal_moves())
            shares = rng.dirichlet(np.full(len(moves), 0.5)).astype(np.float32)
            found.append(Prediction(moves, shares, float(rng.uniform(-0.5, 0.5)), state=position.state))
        return found


def random_positions(count: int) -> list[Position]:
    rng, game = np.random.default_rng(5), load_game("breakthrough")
    found: list[Position] = []
    while len(found) < count:
        state = game.initial()
        for _ in range(int(rng.integers(2, 12))):
            state = state.play(int(rng.choice(state.legal_moves())))
        found.append(Position(state))
    return found


def played_by(theta: Theta, nodes: int, count: int) -> PlayedPositions:
    """Positions with moves drawn from the search of a known Theta."""
    positions, rng = random_positions(count), np.random.default_rng(6)
    found = search_together(HashedPolicy(), positions, theta.puct_config(), nodes)
    rule = by_visits(theta.temperature)
    played = [int(rng.choice(len(each.moves), p=rule(each))) for each in found]
    return PlayedPositions(positions, np.array(played), np.arange(count), np.zeros(count, np.int64))


def test_snapshots_are_the_visits_of_smaller_searches() -> None:
    data = played_by(Theta(), 8, 4)
    assert snapshot_sizes(12) == [1, 2, 4, 8, 12]
    found = search_visits(HashedPolicy(), data, Theta(c_puct=2.0), [4, 8, 12], trees=3)
    for nodes in (4, 8, 12):
        alone = search_together(HashedPolicy(), data.positions, Theta(c_puct=2.0).puct_config(), nodes)
        assert found.visits[nodes].tolist() == np.concatenate([each.visits for each in alone]).tolist()


def test_the_descent_approaches_the_theta_that_chose_the_moves() -> None:
    truth = Theta(0.7, 1.0, 6.0)
    data = played_by(truth, 12, 240)
    descent = Descent(HashedPolicy(), data, DescentConfig(nodes=12, batch=120, steps=8), Theta(c_puct=1.0))
    found = descent.run()
    assert np.log(found.c_puct) > np.log(1.0) + 0.6  # the sign of the step: it descends towards 6
    assert descent.history[-1].loss < descent.history[0].loss


def test_a_resumed_descent_is_the_same_as_one_without_a_stop() -> None:
    data, config = played_by(Theta(), 4, 24), DescentConfig(nodes=4, batch=8, steps=4)
    whole = Descent(HashedPolicy(), data, config, Theta())
    whole.run()
    lines = [json.loads(json.dumps(asdict(step))) for step in whole.history[:2]]
    resumed = Descent(HashedPolicy(), data, config, Theta(), [DescentStep.of(line) for line in lines])
    assert averaged(resumed.history, Theta()) != Theta()
    resumed.run()
    assert resumed.history == whole.history


def test_mini_batches_cover_every_position_once_an_epoch() -> None:
    config = DescentConfig(batch=4)
    rows = np.concatenate([batch_rows(12, config, number) for number in range(3)])
    assert sorted(rows.tolist()) == list(range(12))
    assert batch_rows(12, config, 0).tolist() != batch_rows(12, config, 3).tolist()
    assert len(batch_rows(3, config, 0)) == 3


def step(number: int, where: float, gradient: float) -> DescentStep:
    return DescentStep(number, (where, 0.0), 1.0, 2.0, (gradient, 0.0), (0.1, 0.1))


def test_convergence_needs_a_gradient_without_a_sign_and_a_theta_that_stays() -> None:
    still = [step(n, 1.0, 0.1 * (-1) ** n) for n in range(12)]
    assert has_converged(still, 0.05)
    assert not has_converged(still[:11], 0.05)
    assert not has_converged([step(n, 1.0, 0.5) for n in range(12)], 0.05)
    assert not has_converged([step(n, 0.1 * n, 0.0) for n in range(12)], 0.05)


@pytest.mark.parametrize("key", ["temperature", "policy_temperature", "c_puct", "backoff"])
def test_parameters_that_are_not_above_zero_are_refused(key: str) -> None:
    with pytest.raises(ValueError, match=key):
        Theta(**{key: 0.0})
