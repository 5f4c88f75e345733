"""A player's rating from the evidence of its games: simulated players of known rating."""

from __future__ import annotations

from dataclasses import asdict

import numpy as np
import pytest

from sparring.base.errors import BadConfig, NotFound
from sparring.measure.strength import (
    GameEvidence,
    StrengthModel,
    estimate_rating,
    shipped_strength_model,
)
from studies.ace.strength_fit import RatedPlayer, fit_strength_model, strength_errors

TOLD = (600, 1100, 1600, 2100, 2600)


def simulated(count: int, games: int, seed: int, offset: float = 60.0) -> list[RatedPlayer]:
    """Players whose games have a parabola around their rating plus an offset, and one feature that falls with
    the rating."""
    rng = np.random.default_rng(seed)
    players = []
    for number in range(count):
        rating = float(rng.uniform(900, 2300))
        seen = rating + rng.normal(0, offset)
        evidence = []
        for _ in range(games):
            peak = seen + rng.normal(0, 350)
            curve = -0.5 * ((np.array(TOLD) - peak) / 350.0) ** 2 - 40
            loss = 0.2 - seen / 20_000 + rng.normal(0, 0.02)
            evidence.append(GameEvidence(curve, np.array([loss * 30, 3.0, 20.0, 12.0]), 30))
        players.append(RatedPlayer(f"player {number}", rating, tuple(evidence)))
    return players


@pytest.fixture(scope="module")
def model() -> StrengthModel:
    players = [*simulated(60, 1, 1), *simulated(60, 4, 2), *simulated(60, 10, 3)]
    return fit_strength_model("chess", TOLD, players, rounds=2)


def test_the_error_falls_with_the_number_of_games(model: StrengthModel) -> None:
    few, many = (strength_errors(model, simulated(100, games, 7)) for games in (1, 12))
    assert many["mean_absolute_error"] < 0.6 * few["mean_absolute_error"]
    assert many["mean_absolute_error"] < 120
    assert few["mean_absolute_error"] < few["without_games"]


def test_intervals_hold_the_rating_as_often_as_they_say(model: StrengthModel) -> None:
    for games in (1, 4, 10):
        assert 0.87 <= strength_errors(model, simulated(200, games, 8))["coverage"] <= 1


def test_an_offset_of_players_keeps_intervals_wide(model: StrengthModel) -> None:
    player = simulated(1, 400, 9)[0]
    estimate = estimate_rating(model, player.games)
    assert estimate.high - estimate.low > 60
    assert estimate.games == 400
    assert estimate.posterior.sum() == pytest.approx(1)


def test_without_games_the_estimate_is_the_population(model: StrengthModel) -> None:
    estimate = estimate_rating(model, [])
    assert estimate.rating == pytest.approx(model.prior[0], abs=30)
    assert (estimate.games, estimate.moves) == (0, 0)
    assert len(estimate.posterior) == len(model.grid)


def test_a_model_survives_its_file_and_others_are_refused(model: StrengthModel) -> None:
    assert StrengthModel.of(asdict(model)) == model
    with pytest.raises(BadConfig, match="not a strength model"):
        StrengthModel.of({"game": "chess"})


def test_games_without_a_model_are_refused_with_the_place_of_the_reason() -> None:
    with pytest.raises(NotFound, match=r"in chess, go, not in shogi \(docs/measuring.md"):
        shipped_strength_model("shogi")
