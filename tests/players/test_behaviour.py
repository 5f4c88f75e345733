"""Resignation and draws as people do, by the shipped models."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.players import PlayerConfig
from sparring.players.behaviour_models import (
    HumanResignation,
    Resignation,
    ResignationModel,
    behaviour,
    has_model,
)
from sparring.players.policy_player import make_draw_offers, make_resignation
from studies.manners.models import resignation_json


def model() -> ResignationModel:
    return ResignationModel.from_json(behaviour("chess")["resignation"])


def resigns(value: float, rating: int, *, turns: int = 40, games: int = 200) -> float:
    """The share of games in which a player with a constant value resigns."""
    rng, count = np.random.default_rng(0), 0
    for _ in range(games):
        player = HumanResignation(model(), rating)
        count += any(player.decide(0, value, 60 + 2 * turn, rng) for turn in range(turns))
    return count / games


def test_people_resign_lost_positions_and_no_others() -> None:
    assert resigns(-0.98, 1600) > 0.8
    assert resigns(0.0, 1600) == 0
    assert resigns(-0.98, 1600) >= resigns(-0.8, 1600)


def test_a_model_of_other_features_is_refused() -> None:
    content = resignation_json(model())
    assert np.allclose(ResignationModel.from_json(content).weights, model().weights, rtol=1e-3)
    with pytest.raises(ValueError, match="fit it again"):
        ResignationModel.from_json(content | {"weights": {"one": 1.0}})


def test_each_side_is_counted_on_its_own_and_a_new_game_begins_anew() -> None:
    player = HumanResignation(model(), 1500)
    assert not player.decide(0, None)
    first = [player.decide(0, -0.99, 80) for _ in range(30)]
    player.reset()
    assert [player.decide(0, -0.99, 80) for _ in range(30)] == first


def test_the_configuration_chooses_between_the_rule_and_people() -> None:
    assert isinstance(make_resignation(PlayerConfig("chess")), Resignation)
    assert isinstance(make_resignation(PlayerConfig("chess", resignation="human")), HumanResignation)
    offers = make_draw_offers(PlayerConfig("chess", draws="human"))
    rng = np.random.default_rng(0)
    offered = [offers.offers(100, 0.0, rng) for _ in range(1000)]
    assert 0 < sum(offered) < 500  # people offer a draw now and then, not on every turn
    assert not offers.offers(100, 0.9, rng)
    assert offers.accepts(100, -0.3)
    assert not offers.accepts(100, 0.9)


def test_a_game_without_a_model_says_so() -> None:
    assert not has_model("shogi", "resignation")
    with pytest.raises(BadConfig, match="shogi has no model of people's resignation"):
        make_resignation(PlayerConfig("shogi", resignation="human"))
    with pytest.raises(BadConfig, match="shogi has no model of people's draws"):
        make_draw_offers(PlayerConfig("shogi", draws="human"))
