"""The study of puzzle ratings: splits, parts that are kept, and its measures."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.problems.features import place_of, split_of, write_features
from studies.problems.fit import mean_error, read_features, weights_of

ROWS = (
    "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes\n"
    "aaaaa,r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3,g8f6 h5f7,600,75,90,99,mateIn1\n"
    "bbbbb,5rk1/5ppp/8/8/8/8/5PPP/3R2K1 b - - 0 1,f8e8 d1d7,900,80,90,1000,quietMove short\n"
)


def test_the_split_is_of_the_id_alone_and_has_its_shares() -> None:
    names = [f"{number:05x}" for number in range(5000)]
    shares = {name: sum(split_of(i) == name for i in names) / 5000 for name in ("train", "valid", "test")}
    assert shares == pytest.approx({"train": 0.8, "valid": 0.08, "test": 0.12}, abs=0.02)
    order = sorted(names, key=place_of)[:1000]
    assert sum(split_of(i) == "test" for i in order) / 1000 == pytest.approx(0.12, abs=0.04)


def test_features_are_written_once(tmp_path: Path) -> None:
    file = tmp_path / "puzzles.csv"
    file.write_text(ROWS)
    write_features(file, tmp_path / "out", 2, 0, 1)
    puzzles = read_features(tmp_path / "out")
    assert sorted(zip(puzzles.ids, puzzles.ratings, puzzles.themes, strict=True)) == [
        ("aaaaa", 600.0, "mateIn1"),
        ("bbbbb", 900.0, "quietMove short"),
    ]
    (part,) = (tmp_path / "out").iterdir()
    part.write_bytes(b"kept")
    write_features(file, tmp_path / "out", 2, 0, 1)
    assert part.read_bytes() == b"kept"


def test_the_error_and_its_interval_are_of_the_weighted_puzzles() -> None:
    errors = np.array([100.0] * 50 + [-300.0] * 50)
    assert mean_error(errors)["mae"] == 200
    found = mean_error(errors, np.array([1.0] * 50 + [0.0] * 50))
    assert (found["mae"], found["low"], found["high"]) == (100, 100, 100)


def test_weights_give_the_distribution_of_another_sample() -> None:
    flat = np.arange(400.0, 2800.0, 1.0)
    wanted = np.random.default_rng(1).normal(1500, 200, 4000)
    weights = weights_of(flat, wanted)
    mean = (flat * weights).sum() / weights.sum()
    assert mean == pytest.approx(1500, abs=20)
    assert ((flat - mean) ** 2 * weights).sum() / weights.sum() == pytest.approx(200**2, rel=0.1)
