"""Sizes of the student that train on the same batches, and scores that are kept between evaluations."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest
import torch

from studies.student import evaluate, time_networks, train_sizes
from studies.student.network import load_student
from studies.student.options import Options
from studies.student.positions import Records, load_library, policy_moves, read_games
from studies.student.sizes import read_sizes
from tests.studies.test_student import data

__all__ = ["data"]


def test_sizes_see_the_same_positions_and_write_a_file_each(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [
        "train_sizes", "1x16", "2x16", "--data", str(data), "--out", str(tmp_path / "out"),
        "--teacher", "teacher.pt", "--positions", "32", "--batch", "8", "--validation", "8",
        "--groups", "2", "--threads", "1", "--points", "2",
    ])  # fmt: skip
    train_sizes.main()
    runs = read_sizes([tmp_path / "out" / f"{name}.jsonl" for name in ("2x16", "1x16")])
    assert list(runs) == ["1x16", "2x16"]
    for run in runs.values():
        assert [point["positions"] for point in run["points"]] == [0, 16, 32]
    assert load_student(tmp_path / "out" / "2x16.pt")[0].shape.layers == 2


def test_a_run_whose_end_is_over_still_ends(data: Path, tmp_path: Path) -> None:
    options = Options(
        data, tmp_path, "late", teacher="teacher.pt", end=1.0, batch=8, validation=8, groups=1, threads=1,
        points=1,
    )  # fmt: skip
    train_sizes.train_sizes(["1x16"], options)
    assert len((tmp_path / "1x16.jsonl").read_text().splitlines()) == 2


def test_scores_come_back_from_their_file(data: Path, tmp_path: Path) -> None:
    library = load_library(data / "libpool.so")
    records = Records(read_games(data / "games.xz"), library, 1, torch.device("cpu"))
    network = evaluate.Network(data / "teacher.pt", policy_moves(library), torch.device("cpu"))
    scores = network.scores(records, records.train[:20])
    scores.save(tmp_path / "scores" / "a.npz")
    found = evaluate.read_scores(tmp_path / "scores" / "a.npz")
    np.testing.assert_array_equal(found.hits, scores.hits)
    np.testing.assert_allclose(found.nats, scores.nats, rtol=1e-6)


def test_scores_that_are_there_are_not_measured_again(
    data: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    held_out = read_games(data / "games.xz")._replace(splits=np.full(24, 2, np.uint8))
    monkeypatch.setattr(evaluate, "read_games", lambda path: held_out)
    monkeypatch.setattr(evaluate, "_RESAMPLES", 20)
    command = [
        "evaluate",
        "--games",
        "g",
        "--library",
        str(data / "libpool.so"),
        "--threads",
        "1",
        "--limit",
        "30",
    ]
    command += [
        "--scores",
        str(tmp_path / "scores"),
        "--ratings",
        "1500",
        "1600",
        "--out",
        str(tmp_path / "e.json"),
    ]
    reports = []
    for path in (data / "teacher.pt", tmp_path / "gone.pt"):
        monkeypatch.setattr(sys, "argv", [*command, f"a={path}"])
        evaluate.main()
        reports.append(json.loads((tmp_path / "e.json").read_text()))
    assert reports[0] == reports[1]
    assert reports[0]["by rating"].keys() == {"1500"}


def test_times_are_those_of_the_functions_in_both_orders() -> None:
    called = list[str]()
    times = time_networks.timed([lambda: called.append("a"), lambda: called.append("b")], rounds=2, runs=1)
    assert "".join(called) == "baabbaab"
    assert times.shape == (2, 2)


def test_ratios_are_to_the_first_network() -> None:
    times = np.array([[2.0, 1.0], [4.0, 2.0], [6.0, 3.3]])
    first, second = time_networks.summary(times, n=4)
    assert first == {"ms": 1000.0, "ratio": [1.0, 1.0, 1.0]}
    assert second == {"ms": 500.0, "ratio": [0.5, 0.5, 0.55]}
