"""Training of a synopsis network: resuming, headsets, export."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

import numpy as np
import onnxruntime
import pytest
import torch
from numpy.typing import NDArray
from torch.nn import functional

from sparring.base.errors import BadConfig
from sparring.networks.card import read_card_from_file
from sparring.rbc.synopsis import ACTIONS, headsets_of
from sparring.rbc.training import RbcTrainingConfig, load_rbc_config, shipped_rbc_configs
from sparring.rbc.training.config import HeadsetConfig, LossConfig
from sparring.rbc.training.examples import NO_ACTION, UNKNOWN_RESULT, ExampleSet
from sparring.rbc.training.task import (
    DeviceExamples,
    PlayerNames,
    RbcTask,
    RbcTrainer,
    teacher_targets,
    total_loss,
    validation_rows,
    with_trained_headsets,
    without_targets,
)
from studies.dsmcp.run import StudiedRun
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
    with pytest.raises(BadConfig, match="another --out"):
        RbcTrainer(small_rbc_config().changed(seed=4), examples, tmp_path / "parts", "cpu")
    (tmp_path / "parts/checkpoint.pt").write_bytes(b"broken")
    with pytest.raises(BadConfig, match="not a checkpoint"):
        RbcTrainer(small_rbc_config(), examples, tmp_path / "parts", "cpu")


def test_removed_planes_are_empty_and_the_possible_actions_stay(examples: ExampleSet) -> None:
    data, rows = DeviceExamples(examples, 0, torch.device("cpu")), np.arange(20)
    whole = data.batch(rows)
    data.remove_planes((10, 12))
    batch = data.batch(rows)
    assert whole.planes[:, 12].any()
    assert not batch.planes[:, [10, 12]].any()
    others = [plane for plane in range(104) if plane not in (10, 12)]
    assert torch.equal(batch.planes[:, others], whole.planes[:, others])
    assert torch.equal(batch.mask, whole.mask)
    data.remove_planes(())
    assert torch.equal(data.batch(rows).planes, whole.planes)


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU here")
def test_steps_without_a_plane_can_be_captured_as_a_cuda_graph(tmp_path: Path, examples: ExampleSet) -> None:
    data = DeviceExamples(examples, 0, torch.device("cuda"))
    run = StudiedRun(small_rbc_config(), data, tmp_path)
    run.next_step()
    data.remove_planes(range(104))
    without = float(run.next_step())
    run.step = run.cursor = 1
    data.remove_planes(())
    whole = float(run.next_step())
    assert np.isfinite(without)
    assert without != whole


def test_the_exported_network_computes_the_same(tmp_path: Path, examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(keep_best=False), examples, tmp_path, "cpu")
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


@pytest.mark.parametrize(("second", "step"), [(2.5, 3), (1.5, 6)])
def test_the_network_of_the_best_validation_is_exported(
    second: float, step: int, tmp_path: Path, examples: ExampleSet, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also by a run that is resumed between the validations."""

    def validate(task: RbcTask, model: torch.nn.Module, step: int) -> dict[str, dict[str, dict[str, float]]]:
        nats = {3: 2.0, 6: second}[step]
        rest = {"examples": 1.0, "top1": 0.0, "winner": 0.0, "value_error": 0.5}
        return {"headsets": {"All": {"nll": 9.0, **rest}, "Top": {"nll": nats, **rest}}}

    monkeypatch.setattr(RbcTask, "validate", validate)
    first = RbcTrainer(small_rbc_config(), examples, tmp_path, "cpu")
    assert not first.train(lambda progress: first.stop())
    assert not (tmp_path / "model.onnx").exists()
    assert RbcTrainer(small_rbc_config(), examples, tmp_path, "cpu").train()
    assert str(read_card_from_file(tmp_path / "model.onnx").source).endswith(f"step {step}")


def test_a_headset_with_stopped_gradient_does_not_train_the_tower(examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(), examples, Path("unused"), "cpu")
    batch = run.data.batch(np.arange(8))
    run.model(batch.planes, 2).policy.sum().backward()
    assert run.network.stem.weight.grad is None
    run.model(batch.planes, 1).policy.sum().backward()
    assert run.network.stem.weight.grad is not None


def test_a_network_learns_its_examples(tmp_path: Path, examples: ExampleSet) -> None:
    config = small_rbc_config(
        training={"steps": 60, "batch": 64, "validate_every": 60, "learning_rate": 0.01},
        network={"blocks": 1, "width": 16, "policy_blocks": 0},
        data={"mirrored": False},
    )
    run = StudiedRun(config, examples, tmp_path, "cpu")
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
    with pytest.raises(BadConfig, match="headset Top"):
        with_trained_headsets(small_rbc_config(headsets=[table[0], {"name": "Top"}]), examples)


@pytest.mark.parametrize(
    "headsets", [[{"name": "All"}], [{"name": "All"}, {"name": "Top"}, {"name": "Top"}],
                 [{"name": "All"}, {"name": "Top"}, {"name": "a,b"}]]
)  # fmt: skip
def test_headsets_are_checked(headsets: list[dict[str, str]]) -> None:
    with pytest.raises(BadConfig):
        small_rbc_config(headsets=headsets)


@pytest.mark.parametrize("name", shipped_rbc_configs())
def test_shipped_configurations_are_read(name: str) -> None:
    assert load_rbc_config(name).name == name


def test_an_unknown_configuration_is_refused() -> None:
    with pytest.raises(BadConfig, match="rbc-small"):
        load_rbc_config("nothing")


def test_a_student_comes_nearer_to_its_teacher(tmp_path: Path, examples: ExampleSet) -> None:
    teacher = _trained(tmp_path / "teacher", examples, small_rbc_config())
    alone, taught = (
        _trained(tmp_path / name, examples, _student(share), [tmp_path / "teacher"])
        for name, share in (("alone", 0.0), ("taught", 1.0))
    )
    batch = teacher.data.batch(teacher.data.rows(teacher.config.headsets[0], validation=False))
    with torch.no_grad():
        teacher.model.eval()
        target = teacher_targets([teacher.model(batch.planes, 0)], batch)
        losses = []
        for run in (alone, taught):
            run.model.eval()
            losses.append(total_loss(run.model(batch.planes, 0), batch, 1.0, LossConfig(teacher=1.0), target))
    assert losses[1] < losses[0]
    card = read_card_from_file(tmp_path / "taught" / "model.onnx")
    assert "--teacher teacher" in str(card.source)


def test_an_unfinished_run_is_no_teacher(tmp_path: Path, examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(), examples, tmp_path, "cpu")
    run.train(lambda progress: run.stop())
    with pytest.raises(BadConfig, match="has not finished"):
        RbcTrainer(small_rbc_config(), examples, tmp_path / "student", "cpu", [tmp_path])


def test_smoothed_labels_ask_for_every_possible_action(examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(), examples, Path("unused"), "cpu")
    batch = run.data.batch(np.arange(8))
    outputs = run.model(batch.planes, 0)
    certain = outputs._replace(policy=functional.one_hot(batch.actions.clamp(min=0), ACTIONS) * 100.0)
    hard, smooth = (
        total_loss(certain, batch, 0.0, LossConfig(soon=0, pieces=0, label_smoothing=each))
        for each in (0.0, 0.1)
    )
    assert hard < 1e-3
    assert 5 < smooth < 10


def test_the_names_of_players_are_those_of_their_rows() -> None:
    players = np.array([b"anna", b"anna", b"ben", b"anna", b"ben", b"ben"])
    found = PlayerNames.of(players)
    assert [found.names[number] for number in found.numbers] == [name.decode() for name in players]
    assert found.included(HeadsetConfig("ben")).tolist() == [False, False, True, False, True, True]


def _student(share: float) -> RbcTrainingConfig:
    training = {"steps": 40, "batch": 64, "validate_every": 40, "learning_rate": 0.01}
    return small_rbc_config(training=training, loss={"teacher": share})


def _trained(
    folder: Path, examples: ExampleSet, config: RbcTrainingConfig, teachers: Sequence[Path] = ()
) -> RbcTrainer:
    folder.mkdir()
    run = RbcTrainer(config, examples, folder, "cpu", teachers)
    run.train()
    return run


def test_decisions_of_other_players_have_only_the_teachers_targets(examples: ExampleSet) -> None:
    run = RbcTrainer(small_rbc_config(), examples, Path("unused"), "cpu")
    batch = run.data.batch(np.arange(8))
    labelled = torch.arange(8) < 4
    found = without_targets(batch, labelled)
    assert torch.equal(found.actions[:4], batch.actions[:4])
    assert torch.equal(found.results[:4], batch.results[:4])
    assert (found.actions[4:] == NO_ACTION).all()
    assert (found.results[4:] == UNKNOWN_RESULT).all()


def test_a_headset_is_distilled_on_the_decisions_of_all_players(tmp_path: Path, examples: ExampleSet) -> None:
    _trained(tmp_path / "teacher", examples, small_rbc_config())
    config = replace(_student(1.0), loss=LossConfig(teacher=1.0, distilled=0.5))
    drawn: dict[str, list[NDArray[np.bool_]]] = {}
    run = RbcTrainer(config, examples, tmp_path / "student", "cpu", [tmp_path / "teacher"])
    for batch in islice(run.task.batches(0), 12):
        drawn.setdefault(config.headset_names[batch.variant], []).append(batch.tensors[2].numpy())
    assert np.concatenate(drawn["All"]).all(), "every decision belongs to All"
    shares = np.concatenate(drawn["ben"]).mean()
    assert 0.5 <= shares < 1
