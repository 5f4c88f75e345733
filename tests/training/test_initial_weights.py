"""Trainings that begin with the weights of a trained network, which may have fewer blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from sparring.base.errors import BadConfig
from sparring.training.loader import Cursor
from sparring.training.people import PeopleTask, chosen_blocks
from sparring.training.trainer import Trainer
from tests.matching.tables import write_table
from tests.networks.onnx_session import run
from tests.training.factories import line_record, make_trainer, small_config


def go_table(folder: Path) -> Path:
    """Games of few moves on the small board."""
    points = [f"{column}{row}" for column in "ABCDEFGHJ" for row in (4, 8)]
    rng = np.random.default_rng(0)
    records = [line_record("go", rng.permutation(points)[:8].tolist(), f"game {i}") for i in range(60)]
    return write_table(folder, "go", records)


def test_trained_blocks_are_spread_evenly() -> None:
    assert chosen_blocks(6, 10) == [0, 1, 3, 5, 6, 8]
    assert chosen_blocks(2, 2) == [0, 1]


def test_the_deeper_network_predicts_as_the_trained_one(tmp_path: Path) -> None:
    table = go_table(tmp_path / "table")
    training = {"steps": 4, "batch": 16, "validation_positions": 16}
    small = make_trainer(small_config("go", training=training), table, tmp_path / "small")
    small.train()
    deep_config = small_config("go", network={"blocks": 3}, training=training)
    task = PeopleTask(deep_config, [table], threads=1, init=tmp_path / "small" / "model.onnx")
    model = task.make_model().eval()
    planes, context = small.task.example(Cursor()).tensors[:2]
    with torch.no_grad():
        policy, value = model(planes, context)
    inputs = {"planes": planes.numpy(), "context": context.numpy()}
    found = run(onnx.load_from_string(small.export()), inputs)
    np.testing.assert_allclose(policy.numpy(), found["policy"], atol=1e-3)
    np.testing.assert_allclose(value.softmax(1).numpy(), found["wdl"], atol=1e-3)
    Trainer(task, tmp_path / "deep", device="cpu", seconds=0.5).train()
    assert (tmp_path / "deep" / "model.onnx").exists()


def test_a_run_begins_with_the_weights_of_another(games: Path, tmp_path: Path) -> None:
    first = make_trainer(small_config(training={"steps": 2}), games, tmp_path / "first")
    first.train()
    task = PeopleTask(small_config(), [games], threads=1, init=tmp_path / "first")
    with first.averaged_model() as model:
        trained = {name: tensor.clone() for name, tensor in model.state_dict().items()}
    for name, tensor in task.make_model().state_dict().items():
        assert torch.equal(tensor, trained[name]), name


@pytest.mark.parametrize(
    ("network", "source", "message"),
    [
        ({"width": 16}, "run", "another network"),
        ({}, "run/model.onnx", "only a residual network"),
        ({"kind": "attention"}, "run/model.onnx", "only a residual network"),
    ],
)
def test_weights_that_do_not_fit_are_refused(
    network: dict[str, Any], source: str, message: str, games: Path, tmp_path: Path
) -> None:
    make_trainer(small_config(training={"steps": 1}), games, tmp_path / "run").train()
    task = PeopleTask(small_config(network=network), [games], threads=1, init=tmp_path / source)
    with pytest.raises(BadConfig, match=message):
        task.make_model()


def test_a_file_that_does_not_fit_is_refused(tmp_path: Path) -> None:
    table = go_table(tmp_path / "table")
    training = {"steps": 1, "batch": 16, "validation_positions": 16}
    make_trainer(small_config("go", training=training), table, tmp_path / "run").train()
    wider = small_config("go", network={"width": 16}, training=training)
    (tmp_path / "broken.onnx").write_bytes(b"no network")
    for name in ("run/model.onnx", "nowhere.onnx", "broken.onnx"):
        with pytest.raises(BadConfig, match=f"{name}: not a residual network of the same width"):
            PeopleTask(wider, [table], threads=1, init=tmp_path / name).make_model()
