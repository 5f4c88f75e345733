"""Training runs: an interrupted run ends with the same weights as an uninterrupted one."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
import torch

from sparring.base.errors import BadConfig
from sparring.networks.card import read_card_from_file
from sparring.training import TrainingDiverged
from sparring.training.people import PeopleTask
from sparring.training.trainer import MetricsLogger, Trainer, TrainingProgress, read_checkpoint
from tests.training.factories import make_trainer, same_weights, small_config, write_maia3_network
from tests.waiting import wait_until

LONG: dict[str, Any] = {
    "network": {"rating_range": [600, 2600]},
    "data": {"conditioning_dropout": 0.2},
    "training": {"steps": 24, "validate_every": 4},
}
KILLED = """
import sys, time
from pathlib import Path
import torch
from tests.training.factories import make_trainer, small_config
from tests.training.test_trainer import LONG
torch.set_num_threads(1)
trainer = make_trainer(small_config(**LONG), Path(sys.argv[1]), Path(sys.argv[2]))
trainer.train(lambda progress: time.sleep(0.3))
"""


@pytest.fixture(scope="module")
def unbroken(games: Path, tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    torch.set_num_threads(1)
    run = make_trainer(small_config(**LONG), games, tmp_path_factory.mktemp("unbroken"))
    assert run.train()
    return run


def metrics(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (folder / "metrics.jsonl").read_text().splitlines()]


def test_a_run_that_is_stopped_ends_with_the_same_weights(
    games: Path, unbroken: Trainer, tmp_path: Path
) -> None:
    config = small_config(**LONG)
    seen: list[TrainingProgress] = []
    for stop_after in (3, 9, 16):
        run = make_trainer(config, games, tmp_path)
        step = run._step

        def counted(
            variant: int,
            *tensors: torch.Tensor,
            run: Trainer = run,
            last: int = stop_after,
            step: Any = step,
        ) -> Any:
            if run.step + 1 == last:
                run.stop()
            return step(variant, *tensors)

        run._step = counted  # type: ignore[method-assign]
        assert not run.train(seen.append)
        assert run.step == stop_after
        assert not (tmp_path / "model.onnx").exists()
    last = make_trainer(config, games, tmp_path)
    assert last.step == 16
    assert last.train(seen.append)
    assert same_weights(last, unbroken)
    assert metrics(tmp_path) == metrics(unbroken.folder)
    assert [progress.step for progress in seen if progress.step == 24] == [24, 24]


def test_a_run_out_of_time_measures_saves_and_goes_on(games: Path, unbroken: Trainer, tmp_path: Path) -> None:
    run = make_trainer(small_config(**LONG), games, tmp_path)
    assert not run.train(stop_at=time.monotonic())
    assert run.step == 1
    assert (tmp_path / "model.onnx").exists()
    again = make_trainer(small_config(**LONG), games, tmp_path)
    assert again.train()
    assert same_weights(again, unbroken)
    assert [line["step"] for line in metrics(tmp_path)] == [1, 4, 8, 12, 16, 20, 24]


def test_a_killed_process_is_resumed(games: Path, unbroken: Trainer, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", KILLED, str(games), str(tmp_path)]
    with subprocess.Popen(arguments, cwd=Path(__file__).parents[2]) as process:
        wait_until(lambda: (tmp_path / "checkpoint.pt").exists())
        process.send_signal(signal.SIGKILL)
    assert process.returncode == -signal.SIGKILL
    run = make_trainer(small_config(**LONG), games, tmp_path)
    assert 0 < run.step < 24
    assert run.train()
    assert same_weights(run, unbroken)
    assert metrics(tmp_path) == metrics(unbroken.folder)


def test_measurements_after_the_checkpoint_are_made_again(tmp_path: Path) -> None:
    lines = [json.dumps({"step": step}) for step in (4, 8, 12)]
    (tmp_path / "metrics.jsonl").write_text("\n".join(lines) + '\n{"step": 16, "lo')
    MetricsLogger(tmp_path, 8)
    assert [line["step"] for line in metrics(tmp_path)] == [4, 8]
    MetricsLogger(tmp_path, 0)
    assert metrics(tmp_path) == []


def test_a_finished_run_is_only_written_again(unbroken: Trainer, games: Path) -> None:
    run = make_trainer(small_config(**LONG), games, unbroken.folder)
    assert run.step == 24
    before = metrics(unbroken.folder)
    assert run.train(lambda progress: pytest.fail("no step was due"))
    assert metrics(unbroken.folder) == before


def test_the_averaged_weights_are_validated_and_exported(unbroken: Trainer) -> None:
    own = {name: tensor.clone() for name, tensor in unbroken.model.state_dict().items()}
    found = unbroken.validate()
    assert found == unbroken.metrics
    assert all(torch.equal(own[name], now) for name, now in unbroken.model.state_dict().items())
    with unbroken.average.average_parameters():
        now = unbroken.model.get_parameter("value_embed.weight")
        assert not torch.equal(own["value_embed.weight"], now)
        assert torch.equal(unbroken.average.state["value_embed.weight"], now)
    assert found["positions"] == sum(entry["positions"] for entry in found["groups"].values())
    assert set(found["groups"]) <= {"1100", "1900"}


def test_a_checkpoint_of_another_configuration_is_refused(unbroken: Trainer, games: Path) -> None:
    other = small_config(**{**LONG, "training": {**LONG["training"], "steps": 25, "learning_rate": 0.5}})
    with pytest.raises(BadConfig, match=r"different: training\.steps, training\.learning_rate"):
        make_trainer(other, games, unbroken.folder)


@pytest.mark.parametrize("content", [b"", b"not a checkpoint", b"PK\x03\x04"])
def test_a_file_that_is_no_checkpoint_is_named(content: bytes, games: Path, tmp_path: Path) -> None:
    (tmp_path / "checkpoint.pt").write_bytes(content)
    with pytest.raises(BadConfig, match=r"checkpoint\.pt is not a checkpoint"):
        make_trainer(small_config(), games, tmp_path)


def test_a_checkpoint_of_another_version_is_refused(games: Path, tmp_path: Path) -> None:
    torch.save({"version": 99, "config": {}}, tmp_path / "checkpoint.pt")
    with pytest.raises(BadConfig, match="has version 99"):
        make_trainer(small_config(), games, tmp_path)


def test_the_card_names_teachers_with_their_licences_and_claims_none_for_the_network(
    unbroken: Trainer, games: Path, tmp_path: Path
) -> None:
    alone = read_card_from_file(unbroken.folder / "model.onnx")
    assert (alone.licence, alone.teachers) == ("not stated", "")
    assert alone.trained_on == "games of the user's own records"
    assert alone.source == "sparring train people --config small, step 24"
    assert alone.accuracy.startswith("top-1 0.")
    teachers: Any = [{"model": str(write_maia3_network(tmp_path)), "policy_weight": 0.5}]
    config = small_config(data={"mirrored": False}, training={"steps": 1}, teachers=teachers)
    make_trainer(config, games, tmp_path / "run").train()
    taught = read_card_from_file(tmp_path / "run" / "model.onnx")
    assert taught.licence == "not stated"
    assert taught.teachers == "tiny-maia3 (weight 0.5; licence AGPL-3.0)"
    assert taught.trained_on == "games of the user's own records"


@pytest.mark.parametrize("name", ["abacus", "mps", "cuda:99"])
def test_devices_that_are_not_there(name: str, games: Path, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match=r"device|cpu or cuda"):
        Trainer(PeopleTask(small_config(), [games]), tmp_path, device=name)


def test_other_kinds_train_too(games: Path, tmp_path: Path) -> None:
    network = {"kind": "attention", "clock": True}
    training = {"optimiser": "sgd", "schedule": "paper", "ema_decay": 0.0, "max_grad_norm": 0.0, "steps": 2}
    run = make_trainer(small_config(network=network, training=training), [games, games], tmp_path)
    assert run.train()
    assert run.average.state == {}


def test_a_resumed_run_evaluates_uncached_positions_again(games: Path, tmp_path: Path) -> None:
    """The cache is not in the checkpoint and rounds outputs, so the weights are only nearly identical."""
    teachers: Any = [{"model": str(write_maia3_network(tmp_path)), "policy_weight": 0.6}]
    config = small_config(
        network={"rating_range": [600, 2600]},
        data={"mirrored": False, "random_ratings": 0.3},
        training={"steps": 60, "batch": 64, "validate_every": 20, "cache_teachers": True},
        teachers=teachers,
    )
    whole, parts = (make_trainer(config, games, tmp_path / name) for name in ("whole", "parts"))
    assert whole.train()
    assert whole.cursor.epoch > 0, "or nothing comes back"
    parts.train(lambda progress: parts.stop() if progress.step >= 40 else None)
    again = make_trainer(config, games, tmp_path / "parts")
    assert 40 <= again.step < 60
    assert again.train()
    for one, other in zip(whole.model.parameters(), again.model.parameters(), strict=True):
        assert torch.allclose(one, other, atol=1e-3)


def test_training_that_turns_to_nan_stops_and_keeps_the_checkpoint(games: Path, tmp_path: Path) -> None:
    config = small_config(training={"steps": 12, "validate_every": 4, "learning_rate": 1e-3})
    run = make_trainer(config, games, tmp_path)
    step = run._step

    def poisoned(variant: int, *tensors: torch.Tensor) -> Any:
        found = step(variant, *tensors)
        if run.step + 1 == 6:
            next(run.model.parameters()).data.fill_(torch.nan)
        return found

    run._step = poisoned  # type: ignore[method-assign]
    with pytest.raises(TrainingDiverged, match=r"the loss is nan at step .*; choose a lower learning rate"):
        run.train()
    assert not (tmp_path / "model.onnx").exists()
    state = read_checkpoint(tmp_path)
    assert state is not None
    assert state["step"] == 4
    assert all(tensor.isfinite().all() for tensor in state["model"].values())


def test_weights_that_are_not_finite_are_not_saved(games: Path, tmp_path: Path) -> None:
    run = make_trainer(small_config(), games, tmp_path)
    next(run.model.parameters()).data.fill_(torch.inf)
    with pytest.raises(TrainingDiverged):
        run._save()
    assert read_checkpoint(tmp_path) is None


def test_bfloat16_on_a_cpu_learns_about_what_float32_learns(games: Path, tmp_path: Path) -> None:
    parts: dict[str, Any] = {"steps": 12, "validate_every": 12}
    exact = make_trainer(small_config(training=parts), games, tmp_path / "exact")
    rounded = make_trainer(small_config(training=parts | {"bfloat16": True}), games, tmp_path / "rounded")
    exact.train()
    rounded.train()
    assert not same_weights(exact, rounded)
    assert {tensor.dtype for tensor in rounded.model.parameters()} == {torch.float32}
    assert exact.metrics is not None
    assert rounded.metrics is not None
    assert rounded.metrics["nll"] == pytest.approx(exact.metrics["nll"], rel=0.02)
