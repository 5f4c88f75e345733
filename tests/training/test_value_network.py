from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from sparring import games
from sparring._core import ExpendibotsNetwork
from sparring.search.expendibots.value_network_files import open_network
from sparring.search.linear_evaluation import open_evaluation
from sparring.training import TrainingDiverged
from sparring.training.expendibots import ValueNetworkConfig, train_value_network
from sparring.training.expendibots.model import ValueNetwork, symmetric_places, train
from sparring.training.expendibots.selfplay import generate_games, read_positions

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


def test_learning_explains_positions_without_collapsing(folder: Path) -> None:
    positions = read_positions([folder])
    config = ValueNetworkConfig(hidden=(16, 8), epochs=6, batch=64)
    epochs = list(train(ValueNetwork.initialised(config, positions), positions, config))
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
    evaluator = ValueNetwork.initialised(config, positions)
    for _ in train(evaluator, positions, config):
        pass
    layers = evaluator.layers()
    last_bias = float(layers.pop("last_bias"))
    network = ExpendibotsNetwork(**layers, last_bias=last_bias)
    state = games.load_game("expendibots").initial()
    places, measured = ExpendibotsNetwork.inputs([state])
    with torch.no_grad():
        expected = evaluator(torch.from_numpy(places), torch.from_numpy(measured)).item()
    assert network.value(state) == pytest.approx(expected, abs=1e-4)
    assert path.name == "network-1.npz"
    assert -1 < open_network(path).value(state) < 1


def test_learning_that_turns_to_nan_stops(folder: Path) -> None:
    positions = read_positions([folder])
    config = ValueNetworkConfig(hidden=(16, 8), epochs=6, batch=64)
    network = ValueNetwork.initialised(config, positions)
    network.last.weight.data.fill_(float("nan"))
    with pytest.raises(TrainingDiverged, match="the loss is nan at epoch 1"):
        list(train(network, positions, config))
