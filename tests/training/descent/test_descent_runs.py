"""Runs of Descent: the ordinal law, what is learned, resumption after a kill, and the player."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import BadConfig, BadFile
from sparring.cli import main
from sparring.games import load_game
from sparring.players import SearchLimits, Turn, load_player_file
from sparring.players.minimax_player import MinimaxPlayer
from sparring.players.player import GameStart
from sparring.search.value_network import open_value_network, origin_of, read_arrays
from sparring.training.descent.games import ordinal_probabilities, read_positions
from sparring.training.descent.run import (
    DescentRunConfig,
    Round,
    descent_pool,
    nothing_learned,
    train_descent,
)

QUICK: dict[str, Any] = {
    "rounds": 3, "games": 3, "evaluations": 150, "positions": 512, "window": 2, "hidden": (8, 4), "batch": 64,
}  # fmt: skip


def run(folder: Path, game: str = "breakthrough", workers: int = 1, **options: Any) -> list[Round]:
    rounds: list[Round] = []
    config = DescentRunConfig(game, **{**QUICK, **options})
    with descent_pool(config, workers) as pool:
        assert train_descent(config, folder, pool, workers=workers, on_round=rounds.append)
    return rounds


def layers(folder: Path) -> dict[str, Any]:
    return {name: array for name, array in read_arrays(folder / "network.npz").items() if array.dtype == "f2"}


def assert_same_network(one: Path, other: Path) -> None:
    first, second = layers(one), layers(other)
    assert first.keys() == second.keys()
    assert all(np.array_equal(first[name], second[name]) for name in first)


def test_the_ordinal_law_leads_from_uniform_to_the_best() -> None:
    assert ordinal_probabilities(5, 0.0) == pytest.approx([0.2] * 5)
    assert ordinal_probabilities(5, 1.0) == pytest.approx([1, 0, 0, 0, 0])
    half = ordinal_probabilities(3, 0.5)
    # P(1) = 1/2 + 1/2 / 3, P(2) = (1/2 + 1/2 / 2) (1 - P(1))
    assert half == pytest.approx([2 / 3, 3 / 4 * 1 / 3, 1 / 12])
    assert ordinal_probabilities(1, 0.3) == pytest.approx([1.0])


@pytest.mark.parametrize("game", ["breakthrough", "expendibots"])
def test_a_run_learns_and_leaves_a_player(game: str, tmp_path: Path) -> None:
    rounds = run(tmp_path, game, rounds=4, games=4, evaluations=400, positions=2048, hidden=(16, 8))
    assert [played.games for played in rounds] == [4, 8, 12, 16]
    assert rounds[-1].error < rounds[0].error
    assert rounds[-1].explained > 0.1
    config = origin_of(tmp_path / "best.npz")["config"]
    assert isinstance(config, dict)
    assert config["game"] == game
    player = load_player_file(tmp_path / "best.toml", game, nodes=500)
    assert isinstance(player, MinimaxPlayer)
    state = load_game(game).initial()
    decision = player.choose(Turn.of(state))
    assert decision.move in state.legal_moves()
    assert -1 <= (decision.value or 0) <= 1


def test_games_do_not_depend_on_the_number_of_workers(tmp_path: Path) -> None:
    run(tmp_path / "one", rounds=2)
    run(tmp_path / "two", rounds=2, workers=2)
    assert_same_network(tmp_path / "one", tmp_path / "two")


def test_a_killed_run_resumes_and_ends_with_the_same_network(tmp_path: Path) -> None:
    run(tmp_path / "whole", window=3)
    script = (
        "import os, signal, sys\n"
        "from pathlib import Path\n"
        "from sparring.training.descent.run import *\n"
        f"config = DescentRunConfig('breakthrough', **{ {**QUICK, 'window': 3}!r})\n"
        "kill = lambda played: played.number == 1 and os.kill(os.getpid(), signal.SIGKILL)\n"
        "with descent_pool(config) as pool:\n"
        "    train_descent(config, Path(sys.argv[1]), pool, on_round=kill)\n"
    )
    killed = subprocess.run([sys.executable, "-c", script, str(tmp_path / "killed")], env=os.environ)
    assert killed.returncode == -signal.SIGKILL
    written = (tmp_path / "killed" / "games-000001.npz").stat().st_mtime_ns
    rounds = run(tmp_path / "killed", window=3)
    assert [played.number for played in rounds] == [1, 2]
    assert (tmp_path / "killed" / "games-000001.npz").stat().st_mtime_ns == written  # not played again
    assert_same_network(tmp_path / "whole", tmp_path / "killed")


def test_rounds_outside_the_window_are_removed(tmp_path: Path) -> None:
    run(tmp_path, rounds=4)
    names = sorted(path.name for path in tmp_path.glob("games-*.npz"))
    assert names == ["games-000003.npz"]  # the next round needs no other
    positions, games = read_positions(tmp_path / names[-1])
    assert len(positions) == min(512, sum(game.states for game in games))
    assert np.abs(positions.values).max() <= 1
    assert [game.number for game in games] == [9, 10, 11]
    with pytest.raises(BadFile, match="no positions"):
        read_positions(tmp_path / "network.npz")


def test_it_says_when_nothing_is_learned() -> None:
    values: dict[str, Any] = {
        "games": 96,
        "wins": (1, 2),
        "plies": 40.0,
        "states": 9,
        "resolved": 0.1,
        "evaluations": 9,
    }
    assert nothing_learned(Round(number=1, error=0.5, explained=0.0, **values)) == ""
    assert nothing_learned(Round(number=5, error=0.1, explained=0.5, **values)) == ""
    assert "nothing is learned" in nothing_learned(Round(number=5, error=0.5, explained=-0.1, **values))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"game": "chess"}, "no native value network"),
        ({"rounds": 0}, "rounds = 0"),
        ({"batch": 1}, "batch = 1"),
        ({"exploitation": 2.0}, "exploitation = 2"),
        ({"learning_rate": 0.0}, "learning_rate = 0"),
        ({"seed": -1}, "seed = -1"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(BadConfig, match=message):
        DescentRunConfig(**{"game": "breakthrough", **options})


def test_the_command_trains_and_names_the_player(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    command = ["train", "descent", "breakthrough", "--out", str(tmp_path), "--rounds", "1", "--games", "1"]
    main([*command, "--evaluations", "100", "--hidden", "8,4"])
    printed = capsys.readouterr()
    assert "best.toml" in printed.out
    assert "1 games: explains" in printed.err
    with pytest.raises(SystemExit):
        main([*command, "--evaluations", "200", "--hidden", "8,4"])
    assert "another configuration" in capsys.readouterr().err
    with pytest.raises(SystemExit):
        main([*command, "--hidden", "8"])
    assert "expected two numbers" in capsys.readouterr().err


@pytest.fixture(scope="module")
def player_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("run")
    run(folder, rounds=1)
    return folder / "best.toml"


def test_the_player_keeps_its_tree_and_plays_the_same_game_again(player_file: Path) -> None:
    rules = load_game("breakthrough")
    lines = []
    for _ in range(2):
        player = load_player_file(player_file, "breakthrough", nodes=2000)
        player.new_game(GameStart(rules, seed=1))
        state = rules.initial()
        while state.outcome is None and state.ply < 12:
            hint = player.hint(Turn.of(state))
            assert hint.move in state.legal_moves()
            state = state.play(player.choose(Turn.of(state)).move)
        lines.append(state.text())
        assert player.memory_bytes > 0
        player.close()
        assert player.memory_bytes == 0
    assert lines[0] == lines[1]


def test_the_player_obeys_limits_and_refuses_other_games(player_file: Path) -> None:
    player = load_player_file(player_file)
    state = load_game("breakthrough").initial()
    quick = player.choose(Turn.of(state, SearchLimits(nodes=100)))
    assert "positions" in quick.reason
    with pytest.raises(BadConfig, match="not of expendibots"):
        load_player_file(player_file, "expendibots")
    with pytest.raises(BadFile, match="not of expendibots"):
        open_value_network("expendibots", player_file.with_name("best.npz"))
    with pytest.raises(BadConfig, match="nodez"):
        load_player_file(player_file, nodez=3)
