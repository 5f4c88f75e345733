"""Measuring: scores are cached, and recomputed after a change."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sparring.measure.matching import MeasureOptions, PolicySource, measure
from sparring.measure.samples import GameSelection
from sparring.records import Split
from tests.matching.tables import chess_table
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    chess_table(tmp_path / "table", 120, skip_plies=20)
    for seed, name in ((1, "human"), (2, "strong")):
        write(tiny_network("chess", seed), tmp_path / f"{name}.onnx")
    return tmp_path


def measured(folder: Path, *names: str, heard: list[Any] | None = None, **options: Any) -> dict[str, Any]:
    sources = [PolicySource(name, str(folder / f"{name}.onnx")) for name in names]
    selection = GameSelection("chess", (folder / "table",), Split.TEST)
    on_progress = (lambda *what: heard.append(what)) if heard is not None else (lambda *_: None)
    found: dict[str, Any] = measure(
        sources, selection, folder / "out", options=MeasureOptions(**options), on_progress=on_progress
    )["policies"]
    return found


def test_a_second_run_measures_only_what_is_new(folder: Path) -> None:
    first = measured(folder, "human")
    heard: list[Any] = []
    second = measured(folder, "human", "strong", heard=heard)
    assert second["human"] == first["human"]
    total = first["human"]["all"]["positions"]
    assert [what for what in heard if what[0] == "human"] == [("human", total, total)]
    assert heard[1] == ("strong", 0, total)


@pytest.mark.parametrize("change", ["the network", "symmetries", "the records"])
def test_a_changed_policy_is_measured_again(folder: Path, change: str) -> None:
    first = measured(folder, "human")
    if change == "the network":
        write(tiny_network("chess", 9), folder / "human.onnx")
    if change == "the records":
        (folder / "table").rename(folder / "old")
        chess_table(folder / "table", 121, skip_plies=18)
    heard: list[Any] = []
    second = measured(folder, "human", heard=heard, symmetries=change == "symmetries")
    assert heard[0][1] == 0
    assert heard[-1][1] == second["human"]["all"]["positions"]
    if change != "symmetries":  # which hardly matter while most can still castle
        assert second["human"]["all"] != first["human"]["all"]


def test_calibration_fits_the_validation_split_and_keeps_accuracy(folder: Path) -> None:
    plain = measured(folder, "human")["human"]
    heard: list[Any] = []
    fitted = measured(folder, "human", heard=heard, calibrate=True)["human"]
    assert heard[0][0] == "human, temperature"
    assert fitted["mean"]["top1"] == plain["mean"]["top1"]
    assert fitted["mean"]["nll"] < plain["mean"]["nll"]
    assert set(fitted["temperatures"]) == {"1100", "1900"}
    assert "temperatures" not in plain
    again: list[Any] = []
    assert measured(folder, "human", heard=again, calibrate=True)["human"] == fitted
    assert [what[0] for what in again] == ["human"], "temperatures are kept"
