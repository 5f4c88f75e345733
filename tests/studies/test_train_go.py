"""A Go training that begins with a trained network of fewer blocks."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np
import pytest
import torch

from sparring.training.loader import Cursor
from studies.student import train_go
from studies.student.train_go import chosen_blocks, start, train
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
    model = start(tmp_path / "small" / "model.onnx", deep_config, [table], tmp_path / "deep").eval()
    batch = small.loader.example(Cursor()).minibatch
    with torch.no_grad():
        policy, value = model(batch.planes, batch.context)
    inputs = {"planes": batch.planes.numpy(), "context": batch.context.numpy()}
    found = run(small.export(), inputs)
    np.testing.assert_allclose(policy.numpy(), found["policy"], atol=1e-3)
    np.testing.assert_allclose(value.softmax(1).numpy(), found["wdl"], atol=1e-3)
    deep = make_trainer(deep_config, table, tmp_path / "deep")
    train(deep, time.time() + 0.5)
    assert (tmp_path / "deep" / "model.onnx").exists()


def test_without_a_time_a_run_has_the_steps_of_its_configuration(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = go_table(tmp_path / "table")
    config = small_config("go", training={"steps": 3, "batch": 16, "validation_positions": 16})
    monkeypatch.setattr(train_go, "load_training_config", lambda name: config)
    command = ["train_go", "--config", "tiny", "--records", str(table), "--out", str(tmp_path / "run")]
    monkeypatch.setattr(sys, "argv", [*command, "--threads", "1"])
    train_go.main()
    last = json.loads((tmp_path / "run" / "metrics.jsonl").read_text().splitlines()[-1])
    assert last["step"] == 3
    assert (tmp_path / "run" / "model.onnx").exists()
