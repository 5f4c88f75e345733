"""`sparring train rbc` and `sparring train rbc-loop`: from recorded games to a network."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.cli.console import make_console
from sparring.networks.card import read_card_from_file
from sparring.rbc import improvement as rbc_improvement
from sparring.rbc.history import to_history
from sparring.rbc.matches import HISTORIES, GeneratedGame, GenerationConfig
from sparring.rbc.synopsis import headsets_of
from sparring.rbc.train_commands import train_network
from sparring.rbc.training import load_rbc_config
from tests.belief.games import random_game
from tests.cli.command_errors import one_line_error
from tests.training.rbc.rbc_factories import record_of

CONFIG = """
[network]
blocks = 1
width = 8
policy_blocks = 0
[data]
boards = 50
sampled = 16
draws = 1
[training]
steps = 2
batch = 16
validate_every = 2
validation_positions = 50
[[headsets]]
name = "All"
players = ["*"]
[[headsets]]
name = "Top"
players = ["anna"]
"""


@pytest.fixture
def words(tmp_path: Path) -> list[str]:
    (tmp_path / "tiny.toml").write_text(CONFIG)
    records = [record_of(random_game(n, 3), float(n % 2), site=str(n)) for n in range(40)]
    (tmp_path / "games.jsonl").write_text("".join(to_history(record) + "\n" for record in records))
    return [
        "--records",
        str(tmp_path / "games.jsonl"),
        "--config",
        str(tmp_path / "tiny.toml"),
        "--device",
        "cpu",
    ]


def test_a_network_is_trained_and_teaches_another(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["train", "rbc", *words, "--processes", "1", "--out"]
    main([*run, str(tmp_path / "first")])
    captured = capsys.readouterr()
    assert "40 games (0 broken)" in captured.err
    assert "Top" in captured.out
    main([*run, str(tmp_path / "second"), "--teacher", str(tmp_path / "first")])
    assert "--teacher first" in read_card_from_file(tmp_path / "second/model.onnx").source


def test_the_run_folder_has_the_name_of_the_configuration(
    tmp_path: Path, words: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    monkeypatch.chdir(elsewhere)
    main(["train", "rbc", *words, "--processes", "1"])
    assert (elsewhere / "tiny/model.onnx").exists()


def test_games_without_a_strong_player_say_whose_are_missing(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    config = tmp_path / "tiny.toml"
    config.write_text(config.read_text().replace('"anna"', '"Oracle"'))
    with pytest.raises(SystemExit):
        main(["train", "rbc", *words, "--processes", "1", "--out", str(tmp_path / "run")])
    line = capsys.readouterr().err.splitlines()[-1]
    assert "headset Top (Oracle), only anna, ben" in line
    assert not (tmp_path / "run").exists()  # no examples were made


def test_games_of_own_bots_are_trained_with_the_shipped_local_configuration(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    games = tmp_path / "games.jsonl"
    games.write_text(games.read_text().replace('"anna"', '"SparringBot"').replace('"ben"', '"TroutBot"'))
    run = ["train", "rbc", "--records", str(games), "--out", str(tmp_path / "run")]
    assert "only SparringBot, TroutBot: use --config local" in one_line_error(
        capsys, [*run, "--config", "penumbra.toml"]
    )
    local = load_rbc_config("local")
    quick = replace(local.data, boards=50, sampled=16, draws=1)
    small = replace(local, data=quick, training=replace(local.training, steps=1, batch=8))
    network = train_network(small, [games], tmp_path / "run", "cpu", 1, make_console(stderr=True))
    assert headsets_of(read_card_from_file(network)) == ("All", "Top", "planner", "trout")
    assert "no games: inference, guesser, attacker, random" in capsys.readouterr().err


def test_a_folder_without_a_run_is_no_teacher(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    run = ["train", "rbc", *words, "--processes", "1", "--out", str(tmp_path / "run")]
    line = one_line_error(capsys, [*run, "--teacher", str(tmp_path / "nothing")])
    assert "has no finished run" in line
    assert not (tmp_path / "run").exists()


def test_a_loop_names_its_best_network(
    tmp_path: Path, words: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The games are made up: the new network wins all of its match."""

    def play(
        generation: GenerationConfig,
        folder: Path,
        processes: int,
        on_progress: Callable[[Sequence[GeneratedGame]], None],
    ) -> list[GeneratedGame]:
        folder.mkdir(parents=True)
        (folder / HISTORIES.removesuffix(".zst")).write_bytes((tmp_path / "games.jsonl").read_bytes())
        new, old = generation.players[0], generation.players[-1]
        games = [GeneratedGame(n, new, old, 1.0, 0, 40, 1.0) for n in range(4)]
        on_progress(games)
        return games

    monkeypatch.setattr(rbc_improvement, "generate", play)
    loop = ["train", "rbc-loop", *words, "--processes", "1", "--out", str(tmp_path / "loop")]
    main([*loop, "--opponents", "random", "--rounds", "1"])
    assert "1.000 (0.510 to 1.000)" in capsys.readouterr().out
    card = read_card_from_file(tmp_path / "loop/round-1/run/model.onnx")
    assert card.name == "tiny"
    main([*loop, "--opponents", "random", "--rounds", "1"])
    assert "round-1/run/model.onnx" in capsys.readouterr().out.replace("\n", "")
