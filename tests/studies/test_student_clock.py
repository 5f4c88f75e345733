"""The student's clock, more layers, and its evaluation on held-out games."""

from __future__ import annotations

import io
import json
import lzma
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import onnx
import pytest
import torch
from onnx import numpy_helper

from studies.student import evaluate
from studies.student.clock import nats, tune, with_clock
from studies.student.export import export
from studies.student.network import (
    CLOCK,
    Student,
    deepened,
    encode_context,
    input_ranges,
    load_student,
    policy_columns,
    quantise,
    save_student,
    use_ranges,
)
from studies.student.options import Options
from studies.student.positions import Records, load_library, policy_moves, read_games, student_tokens
from studies.student.train import Trainer
from tests.studies.test_student import data, tiny_student

__all__ = ["data"]


@pytest.fixture(autouse=True)
def one_thread() -> Iterator[None]:
    """Threads that wait for each other make these tiny networks slow on a busy machine."""
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.fixture(scope="module")
def records(data: Path) -> Records:
    """Nine of the games, all with clocks, three of each split."""
    with np.load(io.BytesIO(lzma.decompress((data / "games.xz").read_bytes()))) as file:
        arrays = dict(file)
    for name in ("lengths", "ratings", "results", "splits", "has_clocks"):
        arrays[name] = arrays[name][:9]
    arrays["moves"] = arrays["moves"][: arrays["lengths"].astype(int).sum()]
    arrays["has_clocks"][:] = True
    arrays["clocks"] = np.arange(len(arrays["moves"])).astype(np.uint8) % 254 + 1
    arrays["splits"] = (np.arange(len(arrays["splits"])) % 3).astype(np.uint8)
    content = io.BytesIO()
    np.savez(content, **arrays)
    (data / "clocks.xz").write_bytes(lzma.compress(content.getvalue()))
    return Records(read_games(data / "clocks.xz"), load_library(data / "libpool.so"), 1, torch.device("cpu"))


def student_of(data: Path) -> Student:
    return tiny_student(policy_columns(policy_moves(load_library(data / "libpool.so"))))


def outputs(student: Student, records: Records, see_clock: bool) -> torch.Tensor:
    with torch.no_grad():
        return evaluate.student_policy(student, records.positions(torch.arange(40)), see_clock)


def test_tuning_the_clock_changes_predictions_only_with_a_clock(data: Path, records: Records) -> None:
    student = student_of(data)
    before, with_before = outputs(student, records, False), outputs(student, records, True)
    validation = with_clock(records, 1)
    start = nats(student, records, validation)
    log = tune(student, records, steps=6, batch=16, rate=0.05, points=3)
    assert len(log) == 4
    assert log[0]["nats"] == pytest.approx(start)
    assert nats(student, records, validation) == pytest.approx(min(line["nats"] for line in log), abs=1e-5)
    assert torch.equal(outputs(student, records, False), before)
    assert log[0]["nats"] == min(line["nats"] for line in log) or not torch.equal(
        outputs(student, records, True), with_before
    )


def test_an_older_checkpoint_without_knots_of_the_clock_is_read(data: Path, tmp_path: Path) -> None:
    student = student_of(data)
    weights = dict(student.named_parameters())
    older = {**weights, "conditioning.weight": student.conditioning.weight[:, : CLOCK + 2].clone()}
    save_student(tmp_path / "older.pt", student, older, {})
    found, _ = load_student(tmp_path / "older.pt")
    assert found.conditioning.weight.shape == student.conditioning.weight.shape
    assert not found.conditioning.weight[:, CLOCK + 2 :].any()


def test_a_deeper_student_begins_nearly_as_the_trained_one(data: Path, records: Records) -> None:
    student = student_of(data)
    deeper = deepened(student, 5)
    assert len(deeper.tower.blocks) == 5
    difference = outputs(deeper, records, True) - outputs(student, records, True)
    played = records.played(torch.arange(40))[:, None]
    assert difference.gather(1, played).abs().max() < 0.2


def test_a_layer_of_zeros_stays_finite_in_8_bits(data: Path, records: Records) -> None:
    student, p = deepened(student_of(data), 3), records.positions(torch.arange(8))
    context = encode_context(p.ratings, torch.ones(8, 2), p.clock.clamp(min=0), torch.zeros(8))
    tokens = student_tokens(p, torch.ones(8, dtype=torch.bool), torch.float32)
    quantise(student, tokens, context)
    assert student(tokens, context)[0].isfinite().all()
    for tensor in export(
        student, {"name": "tiny", "source": "a test"}, input_ranges(student)
    ).graph.initializer:
        assert np.isfinite(numpy_helper.to_array(tensor)).all()


def test_a_run_ends_after_a_number_of_positions_and_learns_from_two_teachers(
    data: Path, tmp_path: Path
) -> None:
    options = Options(
        data, tmp_path, "deep", init=str(data / "teacher.pt"), teacher="teacher.pt", player="teacher.pt",
        player_weight=0.5, layers=3, batch=16, validation=16, groups=1, threads=1, positions=64, points=2,
        bits8="never",
    )  # fmt: skip
    trainer = Trainer(options)
    trainer.train()
    lines = [json.loads(line) for line in (tmp_path / "deep.jsonl").read_text().splitlines()]
    assert [line["positions"] for line in lines] == [0, 32, 64]
    assert load_student(tmp_path / "deep.pt")[0].shape.layers == 3


def test_8_bits_of_a_checkpoint_are_those_of_the_training(
    data: Path, records: Records, tmp_path: Path
) -> None:
    student, p = student_of(data), records.positions(torch.arange(40))
    context = encode_context(p.ratings, torch.ones(40, 2), p.clock.clamp(min=0), torch.zeros(40))
    quantise(student, student_tokens(p, torch.ones(40, dtype=torch.bool), torch.float32), context)
    halves = {name: tensor.half().float() for name, tensor in student.state_dict().items()}
    student.load_state_dict(halves)
    save_student(tmp_path / "bits.pt", student, dict(student.named_parameters()), {})
    found, ranges = load_student(tmp_path / "bits.pt")
    plain = outputs(found, records, False)
    use_ranges(found, ranges)
    torch.testing.assert_close(outputs(found, records, False), outputs(student, records, False))
    assert not torch.equal(plain, outputs(found, records, False))


@pytest.mark.parametrize("clock", [False, True])
def test_the_evaluation_has_intervals_by_rating_phase_and_clock(
    data: Path, records: Records, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, clock: bool
) -> None:
    monkeypatch.setattr(evaluate, "_RESAMPLES", 50)
    networks = [f"a={data}/teacher.pt", f"b={data}/teacher.pt"]
    monkeypatch.setattr(sys, "argv", [
        "evaluate", *networks, "--games", str(data / "clocks.xz"), "--library", str(data / "libpool.so"),
        "--out", str(tmp_path / "e.json"), *(["--clock"] if clock else []),
    ])  # fmt: skip
    evaluate.main()
    report = json.loads((tmp_path / "e.json").read_text())
    low, mean, high = np.array(report["all positions"]["a"]["top1"])[[1, 0, 2]]
    assert low <= mean <= high
    assert 0 < report["all positions"]["games"] <= 3
    if clock:
        assert report["all positions"]["a"]["top1 less a without the clock"]
        assert "from 0 s" in report["by clock"]
    else:
        assert report["by rating"].keys() == {"1500"}
        assert report["mean of rating groups"]["b"]["nats less a"] == [0, 0, 0]
        assert "from 0 s" not in report["by clock"]
    assert set(report["by phase"]) <= set(evaluate.PHASES)


def test_an_onnx_file_has_the_scores_of_its_checkpoint(data: Path, records: Records, tmp_path: Path) -> None:
    student, _ = load_student(data / "teacher.pt")
    onnx.save(export(student, {"name": "tiny", "source": "a test"}), tmp_path / "tiny.onnx")
    moves, cpu = policy_moves(load_library(data / "libpool.so")), torch.device("cpu")
    paths = (data / "teacher.pt", tmp_path / "tiny.onnx")
    for see_clock in (False, True):
        a, b = (
            evaluate.Network(path, moves, cpu).scores(records, records.test[:100], see_clock)
            for path in paths
        )
        np.testing.assert_allclose(a.nats, b.nats, atol=0.02)
        assert (a.hits == b.hits).mean() > 0.95


def test_clocks_come_back_in_seconds() -> None:
    scaled = np.log1p(np.array([0.0, 5.0, 7200.0])) / np.log1p(7200.0)
    np.testing.assert_allclose(evaluate.seconds(scaled), [0, 5, 7200], rtol=1e-5)
    assert evaluate.seconds(np.array([-1.0]))[0] < 0
