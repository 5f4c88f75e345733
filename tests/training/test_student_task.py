"""The task `student`: teachers label fresh positions, a killed run resumes, its file computes the same."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
import torch

from sparring import networks
from sparring.base.config import Source, from_table
from sparring.base.errors import BadConfig
from sparring.games import load_game
from sparring.networks.card import read_card_from_file
from sparring.networks.codec import Position
from sparring.networks.network import open_session
from sparring.records import Batches
from sparring.training.batches import TrainingBatch
from sparring.training.config import StudentConfig, load_student_config, shipped_student_configs
from sparring.training.export import export
from sparring.training.model import GeometricNetwork, make_network
from sparring.training.student import StudentTask, encode_states, join_batches
from sparring.training.trainer import Trainer
from tests.training.factories import same_weights, write_maia3_network

KILLED = """
import sys, time
from pathlib import Path
import torch
from tests.training.test_student_task import student_config, student_trainer
torch.set_num_threads(1)
games, teacher, out = map(Path, sys.argv[1:])
student_trainer(student_config(teacher), games, out).train(lambda progress: time.sleep(0.2))
"""


def student_config(teacher: Path, **parts: dict[str, Any]) -> StudentConfig:
    """A small network, with a finish in 8 bits in the last third."""
    table: dict[str, Any] = {
        "name": "tiny-student",
        "game": "chess",
        "network": {"kind": "geometric", "blocks": 1, "width": 64, "heads": 2, "rating_range": [600, 2600]},
        "data": {"mirrored": False, "conditioning_dropout": 0.1, "random_ratings": 0.2, "skip_plies": 0},
        "training": {
            "steps": 12,
            "batch": 32,
            "optimiser": "muon",
            "schedule": "linear",
            "validate_every": 4,
            "validation_positions": 64,
            "ema_decay": 0.9,
        },
        "teachers": [{"model": str(teacher), "policy_weight": 0.9, "value_weight": 0.7}],
        "fresh": {"share": 0.75, "groups": 2, "opening_plies": [1, 4], "max_plies": 30},
        "finish": {"share": 0.34, "fresh": 0.25, "quantised": True},
    }
    for name, changes in parts.items():
        table[name] = {**table[name], **changes}
    return from_table(StudentConfig, table, Source())


def student_trainer(config: StudentConfig, games: Path, folder: Path) -> Trainer:
    return Trainer(StudentTask(config, [games], threads=1), folder, device="cpu")


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return write_maia3_network(tmp_path_factory.mktemp("teacher"))


@pytest.fixture(scope="module")
def unbroken(games: Path, teacher: Path, tmp_path_factory: pytest.TempPathFactory) -> Trainer:
    torch.set_num_threads(1)
    run = student_trainer(student_config(teacher), games, tmp_path_factory.mktemp("student"))
    assert run.train()
    return run


def test_a_run_that_is_stopped_ends_with_the_same_weights(
    games: Path, teacher: Path, unbroken: Trainer, tmp_path: Path
) -> None:
    """Stopped before the finish, at its first step and after it: the fresh games go on."""
    for stop_after in (3, 8, 10):
        run = student_trainer(student_config(teacher), games, tmp_path)
        step = run._step

        def counted(variant: int, *tensors: torch.Tensor, run: Trainer = run, step: Any = step) -> Any:
            if run.step + 1 == stop_after:  # noqa: B023  # the loop waits for the run
                run.stop()
            return step(variant, *tensors)

        run._step = counted  # type: ignore[method-assign]
        assert not run.train()
        assert run.step == stop_after
    last = student_trainer(student_config(teacher), games, tmp_path)
    assert last.train()
    assert same_weights(last, unbroken)
    assert last.model.input_ranges() == unbroken.model.input_ranges() != {}  # type: ignore[operator]


def test_a_killed_process_is_resumed(games: Path, teacher: Path, unbroken: Trainer, tmp_path: Path) -> None:
    arguments = [sys.executable, "-c", KILLED, str(games), str(teacher), str(tmp_path)]
    with subprocess.Popen(arguments, cwd=Path(__file__).parents[2]) as process:
        deadline = time.monotonic() + 120
        while not (tmp_path / "checkpoint.pt").exists():
            assert process.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
    run = student_trainer(student_config(teacher), games, tmp_path)
    assert 0 < run.step < 12
    assert run.train()
    assert same_weights(run, unbroken)


def test_the_exported_network_computes_as_the_model(unbroken: Trainer) -> None:
    """In 8 bits: the file rounds as the training did, and large arrays have 16 bits."""
    path = unbroken.folder / "model.onnx"
    network, session = networks.load_network(path), open_session(onnx.load(path))
    state = load_game("chess").initial()
    states = [state, state.play(state.parse_move("e2e4"))]
    positions = [Position(each, rating=1500, opponent_rating=1700, clock=60.0) for each in states]
    with unbroken.averaged_model() as model, torch.no_grad():
        inputs = {k: torch.from_numpy(v) for k, v in network.codec.encode(positions).items()}
        policy, result = model(inputs["planes"], inputs["context"])
    outputs = session.run({name: tensor.numpy() for name, tensor in inputs.items()})
    np.testing.assert_allclose(outputs["policy"], policy.numpy(), atol=0.05)
    np.testing.assert_allclose(outputs["wdl"], result.softmax(1).numpy(), atol=0.01)


@pytest.mark.parametrize("conditioned", [True, False])
def test_a_network_in_float_is_exported_exactly(conditioned: bool, teacher: Path) -> None:
    range_ = [600, 2600] if conditioned else None
    network = {"rating_range": range_, "clock": conditioned, "blocks": 2}
    config = student_config(teacher, network=network, data={"random_ratings": 0.0}, finish={"share": 0.0})
    torch.manual_seed(1)
    model = make_network(config).eval()
    for parameter in model.parameters():  # also those that begin as 0
        parameter.data.add_(0.05 * torch.randn_like(parameter)).copy_(parameter.half().float())
    session = open_session(export(model, config, {"source": "a test"}))
    planes = torch.randint(0, 2, (3, 112, 8, 8), dtype=torch.uint8)
    context = torch.tensor([[0.2, 1, 0.9, 1, 0.5, 1], [0.4, 1, 0.1, 0, 0.3, 0], [1, 1, 0, 1, 1, 1]]).float()
    outputs = session.run({"planes": planes.numpy(), "context": context.numpy()})
    with torch.no_grad():
        policy, result = model(planes, context)
        other, _ = model(planes, torch.zeros_like(context))
    np.testing.assert_allclose(outputs["policy"], policy.numpy(), atol=2e-3)
    np.testing.assert_allclose(outputs["wdl"], result.softmax(1).numpy(), atol=1e-3)
    assert torch.equal(policy, other) != conditioned


def test_layers_in_8_bits_round_inputs_and_weights(teacher: Path) -> None:
    torch.manual_seed(2)
    model = make_network(student_config(teacher))
    assert isinstance(model, GeometricNetwork)
    planes, context = torch.randint(0, 2, (4, 112, 8, 8), dtype=torch.uint8), torch.rand(4, 6)
    before = model(planes, context)[0]
    model.quantise(planes, context)
    after = model(planes, context)[0]
    assert len(model.input_ranges()) == 4
    assert 0 < (before - after).abs().max() < 0.2
    after.sum().backward()
    assert all(layer.weight.grad is not None for layer in model.quantised_layers().values())


def test_fresh_positions_have_the_teachers_target_alone(games: Path, teacher: Path, tmp_path: Path) -> None:
    run = student_trainer(student_config(teacher, data={"random_ratings": 0.0}), games, tmp_path)
    run.prepare()
    fresh = 24
    for batch in islice(run.task.batches(run.cursor), 3):
        minibatch = TrainingBatch(*batch.tensors)
        assert (minibatch.played[:fresh] < 0).all()
        assert (minibatch.played[fresh:] >= 0).all()
        assert torch.allclose(minibatch.teacher_policy[:fresh].sum(1), torch.ones(fresh), atol=1e-4)
        assert torch.allclose(minibatch.teacher_policy[fresh:].sum(1), torch.full((8,), 0.9), atol=1e-4)
        assert (minibatch.teacher_weight[:fresh] == 1).all()


def test_fresh_games_go_on_by_the_rules(games: Path, teacher: Path, tmp_path: Path) -> None:
    run = student_trainer(student_config(teacher), games, tmp_path)
    run.prepare()
    cursors = [batch.cursor for batch in islice(run.task.batches(run.cursor), 5)]
    first, third = cursors[0].groups[0], cursors[2].groups[0]
    moved = 0
    for before, after, move in zip(first.states, third.states, first.choices.moves, strict=True):
        if after.ply == before.ply + 1 and after.previous is not None and after.previous == before:
            assert after == before.play(int(move))
            moved += 1
    assert moved > len(first.states) / 2, "the others were replaced by new games"
    assert cursors[1].groups[0] is cursors[0].groups[0], "groups take turns"


def test_the_finish_has_other_shares(games: Path, teacher: Path, tmp_path: Path) -> None:
    run = student_trainer(student_config(teacher), games, tmp_path)
    run.step = 9
    run.prepare()
    minibatch = TrainingBatch(*run.task.example(run.cursor).tensors)
    assert (minibatch.played < 0).sum() == 8
    weights = minibatch.teacher_weight[minibatch.played >= 0]
    assert torch.allclose(weights, torch.full_like(weights, 0.6))


def test_a_limited_time_never_leads_back_from_the_finish(
    games: Path, teacher: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The number of steps is extrapolated from the time, and may grow after the finish has begun."""
    stages: list[int] = []
    enter = StudentTask.enter

    def entered(task: StudentTask, stage: int, cursor: Any) -> None:
        stages.append(stage)
        enter(task, stage, cursor)

    monkeypatch.setattr(StudentTask, "enter", entered)
    monkeypatch.setattr(Trainer, "steps", property(lambda run: 12 if run.step < 9 else 30))
    run = student_trainer(student_config(teacher), games, tmp_path)
    assert run.train()
    assert stages == [0, 1]


def test_a_second_network_plays_a_third_of_the_groups(
    games: Path, teacher: Path, unbroken: Trainer, tmp_path: Path
) -> None:
    fresh = {"player": str(unbroken.folder / "model.onnx"), "groups": 3}
    run = student_trainer(student_config(teacher, fresh=fresh), games, tmp_path)
    run.prepare()
    assert len(list(islice(run.task.batches(run.cursor), 4))) == 4


def test_states_are_encoded_as_records_are(games: Path, teacher: Path) -> None:
    config = student_config(teacher)
    recorded = next(iter(Batches([games], size=8, encoding="lc0", packed=True, extra_encodings=("maia3",))))
    state = load_game("chess").initial()
    states = [state, state.play(state.parse_move("d2d4"))]
    encoded = encode_states(config, states, ["maia3"])
    assert encoded.planes.shape[1:] == recorded.planes.shape[1:]
    assert encoded.planes.dtype == recorded.planes.dtype
    assert encoded.legal[: encoded.offsets[1]].tolist() == state.legal_moves()
    both = join_batches(encoded, recorded)
    assert len(both) == 10
    assert np.array_equal(both.legal[both.offsets[2] :], recorded.legal)
    assert np.array_equal(both.extra_encodings["maia3"].planes[2:], recorded.extra_encodings["maia3"].planes)


@pytest.mark.parametrize("name", shipped_student_configs())
def test_shipped_configurations_are_read(name: str) -> None:
    assert load_student_config(name).name == name


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"data": {"mirrored": True}}, "mirrored"),
        ({"network": {"kind": "residual"}}, "only geometric networks"),
        ({"fresh": {"share": 1.0}}, "share"),
    ],
)
def test_bad_configurations_are_refused(parts: Any, message: str, teacher: Path) -> None:
    with pytest.raises(BadConfig, match=message):
        student_config(teacher, **parts)


def test_the_card_names_the_task(unbroken: Trainer) -> None:
    card = read_card_from_file(unbroken.folder / "model.onnx")
    assert card.source == "sparring train student --config tiny-student, step 12"
    assert "8 bits" in card.architecture
