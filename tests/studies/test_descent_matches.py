"""Matches of Descent's networks: equal processor time by measured speeds, and journals that resume."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.search.value_network import network_file
from sparring.training.descent.run import DescentRunConfig, DescentTask, descent_pool
from sparring.training.value_network import ValueNetwork
from studies.descent import commands, matches


@pytest.fixture(scope="module")
def network(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("network")
    config = DescentRunConfig("breakthrough", hidden=(8, 4))
    with descent_pool(config) as pool:
        model = DescentTask(config, folder, pool).make_model()
    assert isinstance(model, ValueNetwork)
    path = folder / "best.npz"
    path.write_bytes(network_file(model.layers(), {}, "breakthrough"))
    return path


def test_the_time_of_a_move_decides_the_nodes(network: Path) -> None:
    make = matches.network_player("breakthrough", network)
    few, many = (matches.nodes_in(make, "breakthrough", seconds) for seconds in (0.0005, 0.005))
    assert 2 * few < many


def test_a_match_is_written_and_resumed(
    network: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for games in (2, 4):
        commands.descent(
            "breakthrough",
            network,
            ["start"],
            [1],
            False,
            games == 4,
            seconds=0.0005,
            games=games,
            seed=0,
            out=tmp_path / "out",
            work=tmp_path / "work",
        )
    names = sorted(path.name for path in (tmp_path / "out").glob("*.json"))
    assert names == [
        "breakthrough-descent-alphabeta-start-0.5ms.json",
        "breakthrough-descent-alphabeta-strength-1-0.5ms.json",
        "breakthrough-descent-start-0.5ms.json",
        "breakthrough-descent-strength-1-0.5ms.json",
    ]
    report = json.loads((tmp_path / "out" / names[1]).read_text())
    assert report["games"] == 4
    assert report["nodes_a_move"][1] == 150
    assert report["wins"] + report["losses"] == 4
    assert "of 4 games" in capsys.readouterr().out
