"""Training on a GPU: batches made on another stream arrive unchanged."""

from __future__ import annotations

from itertools import islice
from pathlib import Path
from typing import Any

import pytest
import torch

from sparring.training.config import TrainingConfig
from sparring.training.loader import Cursor, RecordLoader
from sparring.training.people import PeopleTask
from sparring.training.student import StudentTask
from sparring.training.teachers import Teacher
from sparring.training.trainer import Trainer
from tests.training.factories import small_config, write_maia3_network
from tests.training.test_student_task import student_config

pytestmark = pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")


def distillation_config(folder: Path, **training: Any) -> TrainingConfig:
    return small_config(
        network={"rating_range": [600, 2600], "width": 32},
        data={"mirrored": False, "random_ratings": 0.4, "conditioning_dropout": 0.2},
        training=training,
        teachers=[{"model": str(write_maia3_network(folder)), "policy_weight": 0.6}],  # type: ignore[arg-type]
    )


def test_training_batches_equal_those_of_the_cpu_while_the_gpu_is_busy(games: Path, tmp_path: Path) -> None:
    config = distillation_config(tmp_path)
    minibatches: dict[str, list[list[torch.Tensor]]] = {}
    for name in ("cpu", "cuda"):
        device = torch.device(name)
        teachers = [Teacher(part, config, device) for part in config.teachers]
        loader = RecordLoader(config, [games], device, teachers, threads=1)
        loader.example(Cursor())  # teachers are compiled before the thread starts
        busy = torch.rand(2048, 2048, device=device) if name == "cuda" else None
        minibatches[name] = []
        for prefetched in islice(loader.training(Cursor()), 40):
            minibatches[name].append([tensor.clone() for tensor in prefetched.tensors])
            if busy is not None:
                busy = (busy @ busy).clamp(0, 1)
    for ours, theirs in zip(minibatches["cpu"], minibatches["cuda"], strict=True):
        assert all(torch.equal(one, other.cpu()) for one, other in zip(ours[:5], theirs[:5], strict=True))
        assert torch.allclose(ours[5], theirs[5].cpu(), atol=0.02), "teachers, in 16 bits"
        assert torch.equal(ours[7], theirs[7].cpu())


def test_a_student_trains_through_its_finish_and_goes_on(games: Path, tmp_path: Path) -> None:
    """The step is captured anew in 8 bits; the teachers' moves reach the fresh games."""
    config = student_config(write_maia3_network(tmp_path), training={"steps": 40, "validate_every": 10})
    run = Trainer(StudentTask(config, [games]), tmp_path / "run")
    run.train(lambda progress: run.stop() if progress.step >= 20 else None)
    again = Trainer(StudentTask(config, [games]), tmp_path / "run")
    assert 20 <= again.step < 40
    assert again.train()
    assert again.metrics is not None
    assert again.metrics["nll"] < 3.5
    assert len(again.model.input_ranges()) == 4  # type: ignore[operator]


def test_a_run_goes_on_as_an_unbroken_one(games: Path, tmp_path: Path) -> None:
    """Approximately: the order of sums on a GPU varies. A constant learning rate would show."""
    config = distillation_config(tmp_path, steps=60, validate_every=30, learning_rate=0.01)
    whole, parts = (Trainer(PeopleTask(config, [games]), tmp_path / name) for name in ("whole", "parts"))
    assert whole.train()
    parts.train(lambda progress: parts.stop() if progress.step >= 20 else None)
    again = Trainer(PeopleTask(config, [games]), tmp_path / "parts")
    assert 0 < again.step < 60
    assert again.train()
    assert whole.metrics is not None
    assert again.metrics is not None
    assert again.metrics["nll"] == pytest.approx(whole.metrics["nll"], abs=0.05)
    assert float(again.optimiser.param_groups[0]["lr"]) == pytest.approx(
        float(whole.optimiser.param_groups[0]["lr"])
    )
