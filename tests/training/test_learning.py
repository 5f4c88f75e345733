"""Training finds the known answer on constructed games."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest

from sparring.games import load_game
from sparring.networks import load_network
from sparring.networks.codec import Position
from sparring.records import Split
from tests.matching.tables import rated, write_table
from tests.training.factories import make_trainer, repeated_games, small_config

RUY_LOPEZ = ["e2e4", "e7e5", "g1f3", "b8c6", "f1b5", "a7a6"]


def test_a_move_that_is_always_played_is_learned(tmp_path: Path) -> None:
    records = repeated_games("chess", RUY_LOPEZ, Split.TRAIN, 60) + repeated_games(
        "chess", RUY_LOPEZ, Split.VALIDATION, 8
    )
    table = write_table(tmp_path / "t", "chess", records)
    training = {"steps": 40, "learning_rate": 0.02, "validate_every": 40, "ema_decay": 0.0}
    run = make_trainer(small_config(training=training), table, tmp_path / "run")
    assert run.train()
    assert run.metrics is not None
    assert run.metrics["top1"] > 0.9
    state = load_game("chess").initial()
    (found,) = load_network(tmp_path / "run" / "model.onnx").predict([state])
    assert state.move_text(found.top(1)[0][0]) == "e2e4"


def test_players_of_different_ratings_get_different_predictions(tmp_path: Path) -> None:
    records = []
    for rating, move in ((1100, "e2e4"), (1900, "d2d4")):
        facts: dict[str, Any] = {"first_rating": rating, "second_rating": rating}
        for split, count in ((Split.TRAIN, 200), (Split.VALIDATION, 20)):
            records += repeated_games("chess", [move], split, count, **facts)
    table = write_table(tmp_path / "t", "chess", records)
    accuracy = {}
    for told in (True, False):
        network = {"se_ratio": 1, **({"rating_range": [600, 2600]} if told else {})}
        training = {"steps": 40, "learning_rate": 0.02, "validate_every": 40, "ema_decay": 0.0}
        run = make_trainer(small_config(network=network, training=training), table, tmp_path / f"run-{told}")
        run.train()
        assert run.metrics is not None
        accuracy[told] = run.metrics["top1"]
    assert accuracy[True] == 1
    assert accuracy[False] == pytest.approx(0.5, abs=0.1)
    state = load_game("chess").initial()
    network_file = load_network(tmp_path / "run-True" / "model.onnx")
    weak, strong = network_file.predict([Position(state, rating=1100), Position(state, rating=1900)])
    assert state.move_text(weak.top(1)[0][0]) == "e2e4"
    assert state.move_text(strong.top(1)[0][0]) == "d2d4"


def test_a_few_random_games_have_pinned_results(tmp_path: Path) -> None:
    """But for their first plies, which other games have too."""
    table = write_table(tmp_path / "t", "chess", rated(20, random.Random(6), 1100, plies=12))
    seen: list[float] = []
    training = {
        "steps": 100,
        "learning_rate": 0.01,
        "weight_decay": 0.0,
        "ema_decay": 0.0,
        "value_weight": 0.0,
        "validate_every": 100,
    }
    config = small_config(
        network={"width": 24, "se_ratio": 2}, data={"mirrored": False, "skip_plies": 4}, training=training
    )
    run = make_trainer(config, table, tmp_path / "run")
    run.train(lambda progress: seen.append(progress.figures["train_top1"]))
    assert seen[0] < 0.5
    assert seen[-1] > 0.9
