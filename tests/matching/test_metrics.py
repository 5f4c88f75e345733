"""Metrics of a policy, computed by hand on a few positions."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from sparring.measure.metrics import (
    PolicyMetrics,
    Resamples,
    all_buckets,
    calibration_bins,
    expected_calibration_error,
)
from sparring.measure.samples import METADATA_DTYPE, GameSelection, read_sample
from sparring.measure.scores import SCORE_DTYPE
from sparring.policies import MIN_PROBABILITY
from tests.matching.tables import chess_table

ROWS = np.array(
    [(0.5, 0.5, 1.0, 0), (0.25, 0.5, 1.0, 1), (0.0, 0.9, 1.0, 7), (0.9, 0.9, 1.0, 0)], SCORE_DTYPE
)


def matching(tmp_path: Path) -> PolicyMetrics:
    """Four positions: two of a game of group 1100, two of a game of group 1900."""
    table = chess_table(tmp_path / "t", 1, skip_plies=28)
    sample = read_sample(GameSelection("chess", (table,), split=None))
    assert len(sample) == 4
    return PolicyMetrics(sample, ROWS, Resamples.draw(sample.group_of_game, 20))


def test_accuracy_likelihood_and_their_relatives(tmp_path: Path) -> None:
    groups = matching(tmp_path).by_group()
    low, high = groups["1100"], groups["1900"]
    assert (low["positions"], low["games"]) == (2, 1)
    assert (low["top1"], low["top2"], low["top5"]) == (0.5, 1.0, 1.0)
    assert (high["top1"], high["top2"], high["top5"]) == (0.5, 0.5, 0.5)
    assert low["expected"] == pytest.approx(0.375)
    assert low["nll"] == pytest.approx((math.log(2) + math.log(4)) / 2)
    assert low["perplexity"] == pytest.approx(math.sqrt(8))
    assert high["nll"] == pytest.approx(-(math.log(MIN_PROBABILITY) + math.log(0.9)) / 2, rel=1e-6)
    assert (low["low"], low["high"]) == (0.5, 0.5), "a single game has no width"


def test_the_mean_counts_every_group_the_same(tmp_path: Path) -> None:
    found = matching(tmp_path)
    groups, mean = found.by_group(), found.mean()
    for column in ("top1", "top3", "nll", "expected"):
        assert mean[column] == pytest.approx((groups["1100"][column] + groups["1900"][column]) / 2)
    assert found.all()["positions"] == mean["positions"] == 4


def test_a_difference_to_itself_is_nothing(tmp_path: Path) -> None:
    found = matching(tmp_path)
    for entry in (found.difference(found)["mean"], found.difference(found)["groups"]["1100"]):
        assert set(entry.values()) == {0.0}


def test_calibration_is_confidence_against_accuracy() -> None:
    bins = [calibration_bin for calibration_bin in calibration_bins(ROWS, 10) if calibration_bin.positions]
    assert [(each.positions, each.accuracy) for each in bins] == [(2, 0.5), (2, 0.5)]
    assert [each.confidence for each in bins] == pytest.approx([0.5, 0.9])
    assert expected_calibration_error(ROWS) == pytest.approx((2 * 0 + 2 * 0.4) / 4)


def metadata(**columns: list[float]) -> np.ndarray:
    rows = np.zeros(len(next(iter(columns.values()))), METADATA_DTYPE)
    for name in ("clock", "evaluation", "swing"):
        rows[name] = np.nan
    for name, values in columns.items():
        rows[name] = values
    return rows


def test_kinds_of_positions_by_their_bounds() -> None:
    rows = metadata(
        ply=[0, 9, 10, 500],
        legal=[1, 4, 5, 218],
        clock=[np.nan, 29.9, 30, 5000],
        evaluation=[-301, -300, 0, 300],
        swing=[-1000, -100, 0, 50],
    )
    named = {
        buckets.title: [buckets.names[i] if i >= 0 else None for i in buckets.of]
        for buckets in all_buckets("chess", rows)
    }
    assert named == {
        "ply": ["0-9", "0-9", "10-19", "110+"],
        "phase": ["opening"] * 4,
        "legal moves": ["1", "2-4", "5-9", "200-249"],
        "clock": [None, "0-29", "30-59", "1200+"],
        "evaluation": ["lost", "worse", "even", "won"],
        "swing": ["loses over 300", "loses 50 to 100", "within 50", "gains 50 or more"],
    }


def test_columns_without_values_make_no_buckets() -> None:
    titles = [buckets.title for buckets in all_buckets("go", metadata(ply=[0.0, 1.0]))]
    assert titles == ["ply", "phase", "legal moves"]
