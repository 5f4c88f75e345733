"""Think time: drawn from the shipped model, within any clock, the same for the same seed."""

from __future__ import annotations

import time

import numpy as np
import pytest

from sparring.chess.game import Chess
from sparring.networks import Prediction
from sparring.players import Clock, GameStart, PlayerConfig, PolicyPlayer, SearchLimits, Turn
from sparring.players.behaviour_models import Situation, ThinkTimeModel, behaviour, within_clock
from sparring.players.policy_player import make_think_time
from studies.manners.models import think_time_json
from tests.players.test_policy_player import ValuePolicy

CLOCKS = [
    Clock(60.0),
    Clock(15.0, 1.0),
    Clock(180.0, 2.0),
    Clock(600.0),
    Clock(5400.0, 30.0),
    Clock(300.0, moves_to_go=3),
    Clock(60.0, byoyomi=10.0),
    Clock(0.0, byoyomi=5.0),
    Clock(0.4),
]


def situation(**facts: float) -> Situation:
    usual = {
        "remaining": 400.0, "increment": 0.0, "base": 600.0, "opponent_remaining": 400.0,
        "opponent_spent": 8.0,
        "ply": 30, "legal": 35, "entropy": 1.5, "top": 0.4, "chosen": 0.4, "value": 0.5, "value_change": 0.0,
        "rating": 1600.0,
    }  # fmt: skip
    return Situation(**(usual | facts))


def shipped() -> ThinkTimeModel:
    return ThinkTimeModel.from_json(behaviour("think-time"))


def median(**facts: float) -> float:
    model = shipped()
    return float(np.interp(0.5, model.quantiles, model.predict(situation(**facts))[0]))


def test_people_think_longer_where_there_is_more_to_think_about() -> None:
    assert median(entropy=2.5, top=0.2) > 1.5 * median(entropy=0.1, top=0.98, chosen=0.98)
    assert median(legal=1, entropy=0.0, top=1.0, chosen=1.0) < median()
    assert median(ply=2) < median(ply=30)  # openings are known
    assert median(remaining=20, opponent_remaining=20) < median()


def test_quantiles_ascend_and_unknown_facts_are_allowed() -> None:
    unknown = situation(opponent_remaining=np.nan, opponent_spent=np.nan, value_change=np.nan, rating=np.nan)
    seconds = shipped().predict(unknown)[0]
    assert (np.diff(seconds) >= 0).all()
    assert np.isfinite(seconds).all()


def test_a_model_of_other_features_is_refused() -> None:
    with pytest.raises(ValueError, match="fit it again"):
        ThinkTimeModel.from_json(dict(behaviour("think-time")) | {"features": ["ply"]})
    again = ThinkTimeModel.from_json(think_time_json(shipped()))
    assert np.allclose(again.predict(situation()), shipped().predict(situation()), rtol=0.01)


@pytest.mark.parametrize("clock", CLOCKS, ids=str)
def test_it_never_loses_on_time(clock: Clock) -> None:
    think = make_think_time(PlayerConfig("chess", think_time="human"))
    assert think is not None
    rng, left = np.random.default_rng(1), clock.remaining
    for ply in range(0, 400, 2):
        now = Clock(left, clock.increment, clock.moves_to_go, clock.byoyomi)
        prediction = Prediction(tuple(range(30)), np.full(30, 1 / 30, np.float32), 0.0)
        seconds = think.seconds(now, None, prediction, 0.03, ply, 1500, rng)
        spent = seconds + 0.0005  # what the front end adds
        assert 0 <= spent < left + clock.byoyomi
        left = max(left - spent, 0.0) + clock.increment
        if clock.moves_to_go:
            left = clock.remaining  # the next control


def test_no_draw_takes_more_than_a_share_of_the_clock() -> None:
    assert within_clock(1e9, Clock(600.0)) < 0.2 * 600
    assert within_clock(1e9, Clock(5.0)) <= 0.05 * 5
    assert within_clock(-1.0, Clock(600.0)) == 0


def test_the_same_seed_gives_the_same_times_and_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(time, "perf_counter", lambda: 0.0)  # the choice takes no time

    def game(think_time: str, clock: Clock | None) -> list[tuple[int, float | None]]:
        config = PlayerConfig("chess", think_time=think_time)  # type: ignore[arg-type]
        player = PolicyPlayer(config, ValuePolicy(0.0))
        player.new_game(GameStart(Chess(), 0, seed=3))
        limits = SearchLimits(clock=clock)
        decisions = [player.choose(Turn.of(Chess().initial(), limits)) for _ in range(5)]
        return [(decision.move, decision.seconds) for decision in decisions]

    timed = game("human", Clock(3600.0))
    assert timed == game("human", Clock(3600.0))
    assert all(seconds for _, seconds in timed)
    moves = [move for move, _ in game("none", Clock(3600.0))]
    for clock, think_time in ((None, "human"), (Clock(3600.0), "none")):
        assert game(think_time, clock) == [(move, 0.0) for move in moves]
