"""The tracking study on a few small games, whole and after a kill."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.games import describe
from sparring.rbc.history import to_history
from sparring.records.record import GameRecord, Termination
from studies.rbc import tracking as study
from tests.belief.games import random_game

CONFIG = study.TrackingConfig(limit=2000, compared_games=2, compared_boards=300, sampled_games=1, threads=1)


@pytest.fixture
def games(tmp_path: Path) -> Path:
    path = tmp_path / "games.jsonl"
    lines = []
    for seed in range(3):
        moves = random_game(seed, 5).pack_moves(describe("rbc").packed_move_bytes)
        record = GameRecord(moves=moves, result=None, ending=Termination.UNKNOWN, first="a", second="b")
        lines.append(to_history(record) + "\n")
    path.write_text("".join([*lines, "{ broken\n"]))
    return path


def test_the_report_counts_sides_misses_and_broken_games(games: Path, tmp_path: Path) -> None:
    report = study.run([games], CONFIG, tmp_path / "out", "a command")
    assert (report["games"], report["broken"], report["sides"]) == (3, 1, 6)
    assert report["complete"]["observations"] > 50
    assert report["complete"]["misses"] == 0
    assert report["reference_tracker"]["sides"] == 2
    assert report["reference_tracker"]["observations"] > 5
    assert report["reference_tracker"]["different"] == 0
    assert json.loads((tmp_path / "out" / study.REPORT).read_text()) == report


def test_a_killed_run_goes_on_and_ends_the_same(games: Path, tmp_path: Path) -> None:
    whole = study.run([games], CONFIG, tmp_path / "whole", "a command")
    out = tmp_path / "out"

    def kill(game: int, followed: study.TrackedSide) -> None:
        if game == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        study.run([games], CONFIG, out, "a command", on_progress=kill)
    with (out / study.JOURNAL).open("a") as journal:
        journal.write('{"game": 2, "pla')  # as a kill in the middle of a line leaves it
    followed = []
    again = study.run([games], CONFIG, out, "a command", on_progress=lambda game, side: followed.append(side))
    assert again == whole
    assert len(followed) == 6


def test_another_setting_begins_anew(games: Path, tmp_path: Path) -> None:
    study.run([games], CONFIG, tmp_path, "a command")
    other = study.TrackingConfig(limit=100, compared_games=0, compared_boards=1, sampled_games=3, threads=1)
    report = study.run([games], other, tmp_path, "a command")
    assert report["sampled"]["sides"] > 0
    assert report["reference_tracker"]["observations"] == 0


def test_samples_are_not_compared_with_complete_sets(games: Path, tmp_path: Path) -> None:
    small = study.TrackingConfig(limit=60, compared_games=3, compared_boards=2000, sampled_games=3, threads=1)
    report = study.run([games], small, tmp_path, "a command")
    assert report["sampled"]["observations"] > 0
    assert report["reference_tracker"]["observations"] > 5
    assert report["reference_tracker"]["different"] == 0


def test_a_part_of_the_games_can_be_measured_first(games: Path, tmp_path: Path) -> None:
    assert study.run([games], CONFIG, tmp_path, "a command", max_games=1)["sides"] == 2
    assert study.run([games], CONFIG, tmp_path, "a command")["sides"] == 6
    assert study.run([games], CONFIG, tmp_path, "a command", max_games=2)["sides"] == 4
