"""The student's study: curves of runs, and times of networks in turn."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np
import pytest

from studies.student import curves, time_networks
from tests.training.factories import chess_games, make_trainer, small_config


def test_curves_have_all_measurements_of_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    games = chess_games(tmp_path / "games")
    for width in (8, 16):
        make_trainer(small_config(network={"width": width}), games, tmp_path / f"1x{width}").train()
    runs = [str(tmp_path / name) for name in ("1x8", "1x16")]
    monkeypatch.setattr(sys, "argv", ["curves", *runs, "--out", str(tmp_path / "out"), "--name", "sizes"])
    curves.main()
    measured = json.loads((tmp_path / "out" / "sizes.json").read_text())
    assert [point["positions"] for point in measured["1x8"]["points"]] == [128, 256]
    assert measured["1x8"]["parameters"] < measured["1x16"]["parameters"]
    figure = (tmp_path / "out" / "sizes.svg").read_text()
    assert "million parameters" in figure
    assert "1x16" in figure


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
