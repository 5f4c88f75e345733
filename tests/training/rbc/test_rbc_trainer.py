"""Training of a synopsis network: resuming, headsets, export."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch

from sparring.networks.card import read_card_from_file
from sparring.networks.synopsis import ACTIONS, headsets_of
from sparring.training.config import BadTrainingConfig
from sparring.training.rbc import load_rbc_config, shipped_rbc_configs
from sparring.training.rbc.device_examples import validation_rows, with_trained_headsets
from sparring.training.rbc.examples import ExampleSet
from sparring.training.rbc.trainer import RbcTrainer
from tests.training.rbc.rbc_factories import small_examples, small_rbc_config


@pytest.fixture(scope="module")
def examples() -> ExampleSet:
    return small_examples()


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path, examples: ExampleSet) -> None:
    whole = RbcTrainer(small_rbc_config(), examples, tmp_path / "whole", "cpu")
    (tmp_path / "whole").mkdir()
    assert whole.train()
    (tmp_path / "parts").mkdir()
    stopped = RbcTrainer(small_rbc_config(), examples, tmp_path / "parts", "cpu")
    assert not stopped.train(lambda progress: stopped.stop())
    assert stopped.step == 3
    resumed = RbcTrainer(small_rbc_config(), examples, tmp_path / "parts", "cpu")
    assert resumed.step == 3
    assert resumed.train()
    for name, tensor in whole.model.state_dict().items():
        assert torch.equal(tensor, resumed.model.state_dict()[name]), name
    with pytest.raises(BadTrainingConfig, match="another --out"):
        RbcTrainer(small_rbc_config().changed(seed=4), examples, tmp_path / "parts", "cpu")
    (tmp_path / "parts/checkpoint.pt").write_bytes(b"broken")
    with pytest.raises(BadTrainingConfig, match="not a checkpoint"):
        RbcTrainer(small_rbc_config(), examples, tmp_path / "parts", "cpu")


def test_the_exported_network_computes_the_same(tmp_path: Path, examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(), examples, tmp_path, "cpu")
    run.train()
    assert headsets_of(read_card_from_file(tmp_path / "model.onnx")) == ("All", "Top", "ben")
    session = onnxruntime.InferenceSession(tmp_path / "model.onnx")
    planes = run.data.batch(np.arange(5)).planes
    run.model.eval()
    for index, name in enumerate(("All", "Top", "ben")):
        policy, value = session.run([f"policy_{name}", f"value_{name}"], {"planes": planes.numpy()})
        expected = run.model(planes, index)
        assert policy.shape == (5, ACTIONS)
        np.testing.assert_allclose(policy, expected.policy.detach().numpy(), atol=1e-5)
        np.testing.assert_allclose(value[:, 0], expected.value.detach().numpy(), atol=1e-5)


def test_a_headset_with_stopped_gradient_does_not_train_the_tower(examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(), examples, Path("unused"), "cpu")
    batch = run.data.batch(np.arange(8))
    run.model(batch.planes, 2).policy.sum().backward()
    assert run.model.stem.weight.grad is None
    run.model(batch.planes, 1).policy.sum().backward()
    assert run.model.stem.weight.grad is not None


def test_a_network_learns_its_examples(tmp_path: Path, examples: ExampleSet) -> None:
    config = small_rbc_config(
        training={"steps": 60, "batch": 64, "validate_every": 60, "learning_rate": 0.01},
        network={"blocks": 1, "width": 16, "policy_blocks": 0},
        data={"mirrored": False},
    )
    run = RbcTrainer(config, examples, tmp_path, "cpu")
    rows = run.data.rows(config.headsets[0], validation=False)
    before = run.measure(0, rows)
    run.train()
    after = run.measure(0, rows)
    assert after.nll.nanmean() < before.nll.nanmean() - 0.3
    assert after.value_error.nanmean() < before.value_error.nanmean()


def test_whole_games_are_held_out(examples: ExampleSet) -> None:
    held_out = validation_rows(examples.games, trial=1)
    assert held_out.any()
    assert not set(examples.games[held_out]) & set(examples.games[~held_out])


def test_headsets_without_examples_are_left_out(examples: ExampleSet) -> None:
    nobody = {"name": "nobody"}
    table = [{"name": "All", "players": ["*"]}, {"name": "Top", "players": ["a*"]}, nobody]
    config = with_trained_headsets(small_rbc_config(headsets=table), examples)
    assert config.headset_names == ("All", "Top")
    with pytest.raises(BadTrainingConfig, match="headset Top"):
        with_trained_headsets(small_rbc_config(headsets=[table[0], {"name": "Top"}]), examples)


@pytest.mark.parametrize(
    "headsets", [[{"name": "All"}], [{"name": "All"}, {"name": "Top"}, {"name": "Top"}],
                 [{"name": "All"}, {"name": "Top"}, {"name": "a,b"}]]
)  # fmt: skip
def test_headsets_are_checked(headsets: list[dict[str, str]]) -> None:
    with pytest.raises(BadTrainingConfig):
        small_rbc_config(headsets=headsets)


@pytest.mark.parametrize("name", shipped_rbc_configs())
def test_shipped_configurations_are_read(name: str) -> None:
    assert load_rbc_config(name).name == name


def test_an_unknown_configuration_is_refused() -> None:
    with pytest.raises(BadTrainingConfig, match="rbc-small"):
        load_rbc_config("nothing")
