"""The loop of self-play: resumed runs are equal to undisturbed ones, and no game is lost or doubled."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring import load_player
from sparring.base.errors import BadConfig
from sparring.cli import main
from sparring.games import load_game
from sparring.players import GameStart, Turn, load_player_config
from sparring.training.selfplay import task as task_module
from sparring.training.selfplay.config import load_selfplay_config
from sparring.training.selfplay.matches import MatchScore
from sparring.training.selfplay.task import GenerationProgress, SelfPlayTraining
from sparring.training.trainer import Trainer, read_metrics
from tests.training.selfplay.selfplay_factories import contents, run, tiny_config


class Killed(BaseException):
    """In place of kill -9: nothing catches it."""


def kill_after_games(games: int, generation: int = 1) -> Any:
    def on_games(progress: GenerationProgress) -> None:
        if progress.generation == generation and progress.games >= games:
            raise Killed

    return on_games


def killed_at(moment: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Runs up to a moment in the second generation, or to the end of the first."""
    options: dict[str, Any] = {}
    if moment == "games":
        options["on_games"] = kill_after_games(2)
    with monkeypatch.context() as patch:
        if moment == "steps":
            step = Trainer.train_step

            def train_step(trainer: Trainer, batch: Any) -> Any:
                if trainer.step == 3:
                    raise Killed
                return step(trainer, batch)

            patch.setattr(Trainer, "train_step", train_step)
        elif moment == "measuring":  # the second network is written, its checkpoint is not

            def evaluate(task: SelfPlayTraining, generation: int) -> Any:
                raise Killed

            patch.setattr(SelfPlayTraining, "_evaluate", evaluate)
        with pytest.raises(Killed):
            run(tiny_config(), folder, **options)


@pytest.mark.parametrize("moment", ["games", "steps", "measuring"])
def test_a_killed_run_ends_as_an_undisturbed_one(
    moment: str, undisturbed: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed_at(moment, tmp_path, monkeypatch)
    written = {
        name: content for name, content in contents_so_far(tmp_path).items() if name.startswith("games")
    }
    run(tiny_config(), tmp_path)
    assert contents(tmp_path) == contents(undisturbed)
    assert written.items() <= contents(tmp_path).items(), "what was written is kept"
    assert [figures(entry) for entry in read_metrics(tmp_path)] == [
        figures(entry) for entry in read_metrics(undisturbed)
    ]


def figures(entry: dict[str, Any]) -> dict[str, Any]:
    """The metrics of a generation without times."""
    return {name: value for name, value in entry.items() if "second" not in name}


def contents_so_far(folder: Path) -> dict[str, bytes]:
    (folder / "model.onnx").touch()
    found = contents(folder)
    (folder / "model.onnx").unlink()
    return found


def test_with_a_lag_games_are_played_by_the_network_before(tmp_path: Path) -> None:
    config = tiny_config(learn={"lag": 1})
    run(config, tmp_path / "whole")
    with pytest.raises(Killed):
        run(config, tmp_path / "killed", on_games=kill_after_games(2))
    run(config, tmp_path / "killed")
    assert contents(tmp_path / "whole") == contents(tmp_path / "killed")


def test_the_run_has_metrics_and_a_player_that_plays(undisturbed: Path) -> None:
    first, second = read_metrics(undisturbed)
    assert (first["generation"], second["generation"]) == (1, 2)
    assert first["games"] == second["games"] == 4
    assert first["policy_entropy"] <= first["uniform_entropy"] + 1e-6
    assert "score_random" in second
    assert "elo" in second
    assert "score_random" not in first, "evaluations are every second generation"
    config = load_player_config(undisturbed / "best.toml")
    assert Path(config.model).name == "best.onnx" or config.model == "best.onnx"
    state = load_game("breakthrough").initial()
    with load_player("breakthrough", str(undisturbed / "best.toml")) as player:
        player.new_game(GameStart(load_game("breakthrough"), 0, state, seed=1))
        assert player.choose(Turn.of(state)).move in state.legal_moves()


def test_a_folder_with_games_of_another_configuration_is_refused(tmp_path: Path) -> None:
    """Also before the first checkpoint."""
    with pytest.raises(Killed):
        run(tiny_config(), tmp_path, on_games=kill_after_games(0, generation=0))
    with pytest.raises(BadConfig, match="another configuration"):
        run(tiny_config(play={"visits": 5}), tmp_path)


def test_a_gate_keeps_the_network_that_plays(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    scores = iter([(0.0, 0.0) * 4] * 50)
    monkeypatch.setattr(SelfPlayTraining, "_match", lambda *_, **__: MatchScore(next(scores)))
    run(tiny_config(gate={"games": 40}, evaluation={"every": 99}), tmp_path)
    assert [entry["player"] for entry in read_metrics(tmp_path)] == [0, 0]
    assert (tmp_path / "best.onnx").read_bytes() == (tmp_path / "networks" / "00000.onnx").read_bytes()


def test_a_gate_lets_a_better_network_play(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(SelfPlayTraining, "_match", lambda *_, **__: MatchScore((1.0,) * 8))
    run(tiny_config(gate={"games": 400}, evaluation={"every": 99}), tmp_path)
    assert [entry["player"] for entry in read_metrics(tmp_path)] == [1, 2]


def test_it_says_early_that_nothing_is_learned(tmp_path: Path) -> None:
    """A network that does not change: its rate is 0."""
    stuck = tiny_config(training={"learning_rate": 0.0}, evaluation={"every": 1, "games": 8, "patience": 1})
    run(stuck, tmp_path)
    warnings = [text for entry in read_metrics(tmp_path) for text in entry["warnings"]]
    assert any("nothing is learned" in warning for warning in warnings)


def test_a_run_begins_with_the_weights_of_another(undisturbed: Path, tmp_path: Path) -> None:
    config = tiny_config(training={"learning_rate": 0.0})
    for source in (undisturbed, undisturbed / "model.onnx"):
        begun = SelfPlayTraining(config, tmp_path, initial=source).make_model()
        fresh = SelfPlayTraining(config, tmp_path).make_model()
        pairs = [(dict(model.named_parameters())["policy.convolution.weight"]) for model in (begun, fresh)]
        assert not np.allclose(pairs[0].detach().numpy(), pairs[1].detach().numpy())


def test_the_command_trains_resumes_and_names_the_player(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "tiny.toml"
    file.write_text(
        'game = "breakthrough"\n[network]\nblocks = 1\nwidth = 8\n[training]\nsteps = 2\nbatch = 16\n'
        "validate_every = 2\n[play]\nvisits = 2\ngames = 2\nblock = 2\nmax_plies = 8\n"
        "[evaluation]\nevery = 9\n"
    )
    command = ["train", "selfplay", "breakthrough", "--config", str(file), "--out", str(tmp_path / "run")]
    main([*command, "--device", "cpu"])
    output = capsys.readouterr()
    assert "best.toml" in output.out
    assert "generation 1: policy" in output.err
    main([*command, "--device", "cpu"])


def test_configurations_are_chosen_by_the_board() -> None:
    assert load_selfplay_config("", "breakthrough", {}).network.width == 32
    assert (
        load_selfplay_config("", "go", {"size": 9}).play.games < load_selfplay_config("", "go", {}).play.games
    )
    with pytest.raises(BadConfig, match="reuse_tree"):
        tiny_config(play={"reuse_tree": True})
    with pytest.raises(BadConfig, match="game"):
        tiny_config("rbc")
    assert task_module.PLAYER == "best.toml"
