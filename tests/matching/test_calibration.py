"""Full distributions, and temperatures that fit them."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from sparring.games import load_game
from sparring.measure.samples import GameSelection, Sample, read_sample
from sparring.measure.scores import TemperatureFit, collect_choice_data, fit_temperatures, temperature_curve
from sparring.networks import Position
from sparring.policies import Curve, Policy, PolicyPool, TemperedPolicy, load_policy
from sparring.policies.pool import PoolMember
from sparring.records import GameRecord, Termination
from tests.matching.tables import chess_table, write_table
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture
def policies(tmp_path: Path) -> list[Policy]:
    files = [write(tiny_network("chess", seed), tmp_path / f"{seed}.onnx") for seed in (1, 2)]
    return [load_policy(str(file), "chess") for file in files]


def sample_of(table: Path) -> Sample:
    return read_sample(GameSelection("chess", (table,), split=None))


def test_choices_are_every_policys_full_distribution(tmp_path: Path, policies: list[Policy]) -> None:
    sample = sample_of(chess_table(tmp_path / "t", 4))
    choices = collect_choice_data(policies, sample)
    pool = PolicyPool(
        "blend", tuple(PoolMember(p, Curve.constant(w)) for p, w in zip(policies, (0.6, 0.3), strict=True))
    )
    ((_, positions),) = sample.batches(0, 10_000)
    likelihoods = choices.negative_log_likelihood([0.6, 0.3])
    for i, prediction in enumerate(pool.predict(positions)):
        logs = choices.log_probabilities[:, choices.offsets[i] : choices.offsets[i + 1]]
        assert logs.shape == (2, len(prediction.moves))
        np.testing.assert_allclose(np.exp(logs).sum(axis=1), 1, atol=1e-4)
        played = prediction.probabilities[sample.metadata["played"][i]]
        assert likelihoods[i] == pytest.approx(-np.log(played), rel=1e-3, abs=1e-4)


def game_of(policy: Policy, rating: int, rng: random.Random) -> GameRecord:
    """A game of somebody who draws moves from a policy."""
    state = load_game("chess").initial()
    while state.ply < 40 and state.outcome is None:
        prediction = policy.predict([Position(state, rating, rating)])[0]
        state = state.play(rng.choices(prediction.moves, prediction.probabilities.tolist())[0])
    return GameRecord(
        state.pack_moves(1), 1.0, ending=Termination.NORMAL, first_rating=rating, second_rating=rating
    )


def test_the_temperature_that_people_played_at_is_found(tmp_path: Path, policies: list[Policy]) -> None:
    rng = random.Random(5)
    played = TemperedPolicy(policies[0], Curve.through({1150: 2.5, 1950: 0.7}))
    records = [game_of(played, rating, rng) for rating in (1150, 1950) for _ in range(40)]
    fitted = fit_temperatures(policies[0], sample_of(write_table(tmp_path / "t", "chess", records)))
    assert fitted["1100"].temperature == pytest.approx(2.5, rel=0.12)
    assert fitted["1900"].temperature == pytest.approx(0.7, rel=0.12)
    assert all(each.after < each.before for each in fitted.values())
    curve = temperature_curve(fitted)
    assert curve.at(1150) == fitted["1100"].temperature


def test_without_ratings_there_is_one_temperature() -> None:
    fitted = {"a": TemperatureFit(None, 100, 1.0, 2.0, 2.0), "b": TemperatureFit(None, 300, 2.0, 2.0, 2.0)}
    assert temperature_curve(fitted) == Curve.constant(1.75)
