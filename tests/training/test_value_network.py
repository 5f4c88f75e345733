from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sparring import games
from sparring._core import ExpendibotsNetwork
from sparring.expendibots.agent import open_network
from sparring.expendibots.training import (
    Epoch,
    ValueNetworkConfig,
    ValueTask,
    generate_games,
    read_positions,
    symmetric_places,
    train,
    train_value_network,
)
from sparring.search.linear_evaluation import open_evaluation
from sparring.training import TrainingDiverged
from sparring.training.trainer import Trainer

START = open_evaluation("expendibots", "start")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("games")
    assert [games for games, _ in generate_games(made, START, games=60, nodes=100, seed=3)] == [50, 60]
    return made


def test_self_play_gives_positions_with_values_and_outcomes(folder: Path) -> None:
    positions = read_positions([folder])
    assert len(positions) > 500
    assert positions.places.shape == (len(positions), 24)
    assert positions.measured.shape == (len(positions), 40)
    assert np.abs(positions.values).max() <= 1
    assert set(positions.outcomes.tolist()) <= {-1, 0, 1}


def test_blocks_that_are_there_are_not_played_again(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "games-000000.npz").write_bytes((folder / "games-000000.npz").read_bytes())
    list(generate_games(tmp_path, START, games=60, nodes=100, seed=3))
    again, before = read_positions([tmp_path]), read_positions([folder])
    assert np.array_equal(again.places, before.places)
    assert np.array_equal(again.values, before.values)


def test_games_do_not_depend_on_the_number_of_workers(folder: Path, tmp_path: Path) -> None:
    assert list(generate_games(tmp_path, START, games=60, nodes=100, seed=3, workers=2))[-1][0] == 60
    parallel, serial = read_positions([tmp_path]), read_positions([folder])
    assert np.array_equal(parallel.places, serial.places)
    assert np.array_equal(parallel.values, serial.values)


def test_turning_a_board_turns_its_places() -> None:
    game = games.load_game("expendibots")
    state, mirrored = game.parse("8/2a5/8/3B4/8/8/1A6/8 w"), game.parse("8/5a2/8/4B3/8/8/6A1/8 w")
    places = [set(ExpendibotsNetwork.inputs([each])[0][0].tolist()) for each in (state, mirrored)]
    images = [set(turned[list(places[0])].tolist()) for turned in symmetric_places()]
    assert places[0] in images
    assert places[1] in images
    assert len({frozenset(image) for image in images}) == 8


def test_learning_explains_positions_without_collapsing(folder: Path, tmp_path: Path) -> None:
    positions, epochs = read_positions([folder]), list[Epoch]()
    config = ValueNetworkConfig(hidden=(16, 8), epochs=6, batch=64)
    train(positions, config, tmp_path, epochs.append)
    assert [epoch.number for epoch in epochs] == [1, 2, 3, 4, 5, 6]
    assert epochs[-1].loss < 0.6 * epochs[0].loss
    assert epochs[-1].std > 0.1


def test_the_native_network_agrees_with_pytorch(folder: Path, tmp_path: Path) -> None:
    path = train_value_network(
        tmp_path,
        START,
        ValueNetworkConfig(hidden=(16, 8), epochs=1),
        generations=2,
        games=10,
        nodes=50,
        origin={},
        played=lambda *_: None,
        learned=lambda *_: None,
    )
    positions = read_positions([folder])
    config = ValueNetworkConfig(hidden=(16, 8), epochs=1)
    evaluator = train(positions, config, tmp_path / "run")
    layers = evaluator.layers()
    last_bias = float(layers.pop("last_bias"))
    network = ExpendibotsNetwork(**layers, last_bias=last_bias)
    states = random_states(100)
    places, measured = ExpendibotsNetwork.inputs(states)
    with torch.no_grad():
        expected = evaluator(torch.from_numpy(places), torch.from_numpy(measured)).flatten().tolist()
    assert [network.value(state) for state in states] == pytest.approx(expected, abs=1e-4)
    assert np.std(expected) > 0.01, "the positions differ"
    assert path.name == "network-1.npz"
    assert -1 < open_network(path).value(states[0]) < 1


def random_states(count: int) -> list[Any]:
    """Unfinished positions of random games, both sides to move."""
    rng = np.random.default_rng(5)
    game = games.load_game("expendibots")
    states: list[Any] = []
    state = game.initial()
    while len(states) < count:
        states.append(state)
        state = state.play(int(rng.choice(state.legal_moves())))
        if state.outcome is not None:
            state = game.initial()
    return states


def test_learning_that_turns_to_nan_stops(folder: Path, tmp_path: Path) -> None:
    positions = read_positions([folder])
    positions.values[10] = np.nan
    config = ValueNetworkConfig(hidden=(16, 8), epochs=6, batch=64)
    with pytest.raises(TrainingDiverged, match="the loss is nan at step"):
        train(positions, config, tmp_path)


def test_a_stopped_training_ends_with_the_same_weights(folder: Path, tmp_path: Path) -> None:
    positions = read_positions([folder])
    config = ValueNetworkConfig(hidden=(16, 8), epochs=3, batch=64)
    whole = train(positions, config, tmp_path / "whole")
    run = Trainer(ValueTask(config, positions), tmp_path / "parts", device="cpu")
    assert not run.train(lambda progress: run.stop())
    parts = train(positions, config, tmp_path / "parts")
    for name, tensor in whole.state_dict().items():
        assert torch.equal(tensor, parts.state_dict()[name])
