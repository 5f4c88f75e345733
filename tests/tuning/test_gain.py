"""The end of a tuning beside its start: a flat loss gains nothing, another Theta's moves are a gain."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np
import pytest

from sparring.measure.tuning import (
    Descent,
    DescentConfig,
    PlayedPositions,
    Theta,
    search_visits,
    snapshot_sizes,
)
from sparring.measure.tuning_run import summarise_class
from sparring.networks import Position, Prediction
from sparring.policies import Policy
from tests.tuning.test_descent import HashedPolicy, played_by, random_positions

NODES = 12


class FlatPolicy:
    """Equal priors: without a search, no t and no c_puct changes the distribution."""

    name, game = "flat", "breakthrough"

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        """Every legal move alike."""
        predictions = []
        for position in positions:
            moves = tuple(position.state.legal_moves())
            shares = np.full(len(moves), 1 / len(moves), np.float32)
            predictions.append(Prediction(moves, shares, 0.0, state=position.state))
        return predictions


def summary(
    policy: Policy, training: PlayedPositions, held_out: PlayedPositions, start: Theta, nodes: int = NODES
) -> Any:
    """What `sparring tune levels` stores after a short descent from `start`."""
    theta = Descent(policy, training, DescentConfig(nodes=nodes, batch=120, steps=8), start).run()
    search = partial(search_visits, policy, sizes=snapshot_sizes(nodes))
    return summarise_class(search, training, held_out, theta, start)


def halves(data: PlayedPositions) -> tuple[PlayedPositions, PlayedPositions]:
    rows = np.arange(len(data))
    return data.take(rows[::2]), data.take(rows[1::2])


def test_a_flat_loss_gains_nothing() -> None:
    rng, positions = np.random.default_rng(3), random_positions(120)
    played = np.array([rng.integers(len(position.state.legal_moves())) for position in positions])
    data = PlayedPositions(positions, played, np.arange(120), np.zeros(120, np.int64))
    result = summary(FlatPolicy(), *halves(data), Theta(), nodes=1)
    assert not result["gained"]
    assert result["gain"]["value"] == pytest.approx(0)
    assert result["start"]["held_out"] == pytest.approx(result["held_out"])


def test_a_descent_that_starts_at_the_optimum_gains_nothing() -> None:
    truth = Theta(0.7, 1.0, 3.0)
    result = summary(HashedPolicy(), *halves(played_by(truth, NODES, 240)), truth)
    assert result["gain"]["low"] <= 0
    assert not result["gained"]


def test_moves_of_another_theta_are_a_gain_with_both_losses() -> None:
    data = played_by(Theta(0.7, 1.0, 6.0), NODES, 480)
    result = summary(HashedPolicy(), *halves(data), Theta(c_puct=1.0))
    assert result["gained"]
    assert 0 < result["gain"]["low"] < result["gain"]["value"] < result["gain"]["high"]
    before, after = result["start"]["held_out"]["value"], result["held_out"]["value"]
    assert result["gain"]["value"] == pytest.approx(before - after)
    assert result["start"]["theta"]["c_puct"] == pytest.approx(1.0)
