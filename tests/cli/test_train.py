"""`sparring train people`: from records to a network, and errors."""

from __future__ import annotations

import json
import os
import signal
import sys
from pathlib import Path

import pytest
import torch

from sparring.cli import main
from sparring.networks import load_network
from sparring.training import trainer
from sparring.training.task import StepLoss
from tests.networks.tiny_networks import tiny_network, write
from tests.training.factories import chess_games, write_maia3_network

CONFIG = """
game = "chess"
[network]
blocks = 1
width = 8
[training]
steps = 6
batch = 32
validate_every = 3
validation_positions = 64
"""


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    torch.set_num_threads(1)
    chess_games(tmp_path / "table")
    (tmp_path / "tiny.toml").write_text(CONFIG)
    return tmp_path


def train(folder: Path, *more: str, config: str = "tiny.toml", game: str = "chess", out: str = "run") -> None:
    path = folder / config
    main(
        [
            *("train", "people", game, "--records", str(folder / "table"), "--device", "cpu"),
            *("--config", str(path) if path.exists() else config, "--out", str(folder / out), *more),
        ]
    )


def refused(capsys: pytest.CaptureFixture[str], folder: Path, *more: str, **options: str) -> str:
    """The one line of an error that the user made."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_:
        train(folder, *more, **options)
    captured = capsys.readouterr()
    assert exit_.value.code == 2
    assert captured.out == ""
    (line,) = captured.err.splitlines()
    return line


def test_records_become_a_network(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(folder)
    captured = capsys.readouterr()
    model = folder / "run" / "model.onnx"
    assert load_network(model).card.game == "chess"
    assert f"network: {model}" in captured.out
    assert f"sparring models add {model}" in captured.out
    assert "sparring measure matching chess" in captured.out
    rows = [line.split() for line in captured.out.splitlines()]
    assert ["group", "positions", "top-1", "nats", "per", "move"] in rows
    assert any(row[:1] == ["all"] for row in rows)
    assert [line.split(":")[0] for line in captured.err.splitlines()] == ["step 3", "step 6"]


def test_steps_seed_and_trial_can_be_given(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(folder, "--steps", "2", "--seed", "5", "--trial", "1", "--records", str(folder / "table"))
    assert "step 2:" in capsys.readouterr().err


def test_a_student_is_trained_and_begins_another_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    teacher = write_maia3_network(folder)
    (folder / "student.toml").write_text(
        CONFIG.replace("blocks = 1", 'kind = "geometric"\nblocks = 1\nheads = 2')
        + f"[data]\nmirrored = false\n[[teachers]]\nmodel = '{teacher}'\npolicy_weight = 0.9\n[fresh]\n"
        "opening_plies = [1, 3]\n[finish]\nshare = 0.5\nquantised = true\n"
    )
    options = ["--records", str(folder / "table"), "--device", "cpu", "--threads", "1"]
    options += ["--config", str(folder / "student.toml"), "--steps", "3"]
    main(["train", "student", "chess", *options, "--out", str(folder / "first")])
    assert "sparring measure matching chess" in capsys.readouterr().out
    card = load_network(folder / "first" / "model.onnx").card
    assert card.source == "sparring train student --config student, step 3"
    assert "8 bits" in card.architecture
    options += ["--init", str(folder / "first")]
    main(["train", "student", "chess", *options, "--out", str(folder / "next")])
    assert (folder / "next" / "model.onnx").exists()


def test_a_run_can_be_given_minutes(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    train(folder, "--minutes", "0.02")
    assert "network:" in capsys.readouterr().out
    lines = [json.loads(line) for line in (folder / "run" / "metrics.jsonl").read_text().splitlines()]
    assert lines[-1]["rate"] < lines[0]["rate"] or len(lines) == 1


def test_an_interrupted_run_says_how_to_go_on(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    step = trainer.Trainer._step

    def interrupted(self: trainer.Trainer, variant: int, *tensors: torch.Tensor) -> StepLoss:
        if self.step == 4:
            os.kill(os.getpid(), signal.SIGINT)
        return step(self, variant, *tensors)

    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(trainer.Trainer, "_step", interrupted)
    with pytest.raises(SystemExit) as exit_:
        train(folder)
    monkeypatch.setattr(trainer.Trainer, "_step", step)
    assert exit_.value.code == 130
    assert signal.getsignal(signal.SIGINT) is before
    assert "interrupted at step 5; the same command resumes" in capsys.readouterr().err
    train(folder)
    captured = capsys.readouterr()
    assert f"resuming at step 5 in {folder / 'run'}" in captured.err
    assert "step 3" not in captured.err
    lines = (folder / "run" / "metrics.jsonl").read_text().splitlines()
    assert [json.loads(line)["step"] for line in lines] == [3, 6]


def test_errors_are_one_line(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "tiny is for chess, not go" in refused(capsys, folder, game="go")
    assert "there is no configuration 'maia'" in refused(capsys, folder, config="maia")
    assert "there is no device 'abacus'" in refused(capsys, folder, "--device", "abacus")
    (folder / "rated.toml").write_text(CONFIG + "[data]\nrating_range = [1500, 1600]\n")
    line = refused(capsys, folder, config="rated.toml")
    assert "no games with both ratings from 1500 to 1599" in line
    (folder / "upside-down.toml").write_text(CONFIG + "[data]\nrating_range = [1600, 1500]\n")
    assert "expected two ascending numbers" in refused(capsys, folder, config="upside-down.toml")
    (folder / "odd.toml").write_text(CONFIG + "[data]\ncolour = 1\n")
    assert "unknown key 'data.colour'" in refused(capsys, folder, config="odd.toml")
    (folder / "shogi.toml").write_text(CONFIG.replace("chess", "shogi"))
    line = refused(capsys, folder, config="shogi.toml", game="shogi")
    assert "holds games of chess; the configuration shogi is for shogi" in line
    nowhere = folder / "nowhere"
    assert "nowhere" in refused(capsys, folder, "--records", str(nowhere))


def test_teachers_that_are_missing_or_of_another_game(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    shogi = write(tiny_network("shogi"), folder / "shogi.onnx")
    for model, message in (
        ("nobody", "there is no network 'nobody'"),
        (str(shogi), "plays shogi, not chess"),
    ):
        (folder / "taught.toml").write_text(
            CONFIG + f'[[teachers]]\nmodel = "{model}"\npolicy_weight = 0.5\n'
        )
        assert message in refused(capsys, folder, config="taught.toml")


def test_a_run_of_another_configuration_is_not_resumed(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    train(folder, "--steps", "1")
    assert "different: training.steps" in refused(capsys, folder, "--steps", "2")


def test_without_pytorch_it_says_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "torch", None)
    monkeypatch.delitem(sys.modules, "sparring.training.trainer")
    assert "this needs torch: pip install 'sparring[train]'" in refused(capsys, folder)
