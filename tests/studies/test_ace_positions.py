"""The position test: items, answers of players, ratings with intervals, and the Amsterdam test's curves."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import UserError
from studies.ace.amsterdam import read_answers, skill_curve
from studies.ace.answers import answers_of, collect_answers
from studies.ace.commands import ace_test
from studies.ace.evidence import write_lines
from studies.ace.position_items import FORM, chosen_parts, read_graded, read_people, read_puzzles, read_test
from studies.ace.position_scores import (
    TOLD,
    Calibration,
    calibrate_on_people,
    grade_rating,
    posterior_rating,
    rasch_rating,
    score_player,
)
from studies.ace.respondents import all_respondents

PUZZLES = """PuzzleId,FEN,Moves,Rating,RatingDeviation,NbPlays,Themes,GameId
a,6k1/5ppp/8/8/8/8/5PPP/R3K2R w - - 0 1,h1g1 g8f8 a1a8 f8e7,1500,75,10,x,y
b,7k/6pp/8/8/8/8/8/R2R2K1 b - - 0 1,g7g6 d1d8 h8g7 a1a7,900,75,10,x,y
c,6k1/pp3ppp/8/8/8/8/8/2RR2K1 b - - 0 1,a7a6 c1c8,600,75,10,mate,y
"""
GRADED = (
    '1kr5/3n4/q3p2p/p2n2p1/PppB1P2/5BP1/1P2Q2P/3R2K1 w - - bm f5; id "x"; '
    'c0 "f5=100, Bf2=46"; c7 "f5 Bf2"; c8 "100 46"; c9 "f4f5 d4f2"; Ae "y";\n'
)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "lichess-puzzles-3000.csv").write_text(PUZZLES)
    (tmp_path / "sts-graded.epd").write_text(GRADED)
    rows = [
        {"game": "x", "start": None, "moves": ["e2e4", "e7e5"], "played": "g1f3", "rating": 1500},
        {"game": "y", "start": None, "moves": ["d2d4"], "played": "d7d5", "rating": 1800},
    ]
    write_lines(rows, tmp_path / "items.jsonl.gz")
    return tmp_path


def test_items_are_read_with_the_moves_that_count(folder: Path) -> None:
    people = read_people(folder / "items.jsonl.gz")
    assert [item.state.legal_moves()[item.played] for item in people] == [
        item.state.parse_move(text) for item, text in zip(people, ("g1f3", "d7d5"), strict=True)
    ]
    mate = next(item for item in read_puzzles(folder / "lichess-puzzles-3000.csv", 3) if item.rating == 600)
    (state,) = mate.states
    solving = {state.move_text(state.legal_moves()[index]) for index in mate.solutions[0]}
    assert solving == {"c1c8", "d1d8"}  # every mate solves it
    (graded,) = read_graded(folder / "sts-graded.epd", 5)
    assert sorted(graded.grades)[-3:] == [0.0, 0.46, 1.0]


def test_answers_are_kept_in_a_journal_and_scored(folder: Path) -> None:
    test = read_test(folder / "items.jsonl.gz", folder, puzzles=3, graded=1)
    asked: list[int] = []

    def perfect(states: Any) -> list[Any]:
        asked.append(len(states))
        people, puzzles, graded = chosen_parts(test, [np.zeros(len(s.legal_moves())) for s in states])
        for item, answer in zip(test.people, people, strict=True):
            answer[item.played] = 1
        for puzzle, answers in zip(test.puzzles, puzzles, strict=True):
            for right, answer in zip(puzzle.solutions, answers, strict=True):
                answer[right[0]] = 1
        for item_, answer in zip(test.graded, graded, strict=True):
            answer[int(np.argmax(item_.grades))] = 1
        return [*people, *(each for answers in puzzles for each in answers), *graded]

    path = folder / "answers.jsonl"
    for _ in range(2):
        collect_answers(test, {"perfect": ("test", 1500.0, perfect)}, path)
    assert asked == [len(test.states)]
    entry = json.loads(path.read_text().splitlines()[1])
    curves = [np.zeros((len(TOLD), len(item.state.legal_moves()))) for item in test.people]
    found = score_player(test, curves, answers_of(test, entry), Calibration())
    assert found["puzzles"]["solved"] == 1
    assert found["graded"]["grade"] == 1
    assert found["people"]["low"] < found["people"]["rating"] < found["people"]["high"]


def simulated(count: int, seed: int) -> tuple[Any, Any]:
    """People of known rating who choose between two moves; the policy knows the probabilities."""
    rng = np.random.default_rng(seed)
    ratings = rng.uniform(600, 2600, count)
    turning = rng.uniform(600, 2600, count)
    told = np.array(TOLD)
    right = rng.random(count) < 1 / (1 + np.exp(-(ratings - turning) / 250))
    likely = 1 / (1 + np.exp(-(told[None, :] - turning[:, None]) / 250))
    return ratings, np.log(np.where(right[:, None], likely, 1 - likely))


def test_people_of_known_rating_are_estimated_with_true_intervals() -> None:
    line, rows = calibrate_on_people(*simulated(40_000, 1), FORM, persons=120)
    assert line.slope == pytest.approx(1, abs=0.15)
    for row in rows:
        assert abs(row["estimate"] - row["rating"]) < 130
        assert row["coverage"] > 0.85


def test_a_posterior_is_where_the_likelihood_is() -> None:
    told = np.array(TOLD)
    mean, low, high = posterior_rating(-0.5 * ((told - 1800) / 150.0) ** 2)
    assert mean == pytest.approx(1800, abs=20)
    assert (high - low) == pytest.approx(2 * 1.96 * 150, rel=0.1)
    weak, _, _ = posterior_rating(-(told - 600) / 100.0)
    assert weak < 700


def test_the_rasch_rating_is_where_the_expected_number_is_the_number_solved() -> None:
    difficulties = np.linspace(800, 2200, 200)
    shares = 1 / (1 + 10 ** ((difficulties - 1700) / 400))
    found = rasch_rating(difficulties, shares)
    assert found["rating"] == pytest.approx(1700, abs=1)
    assert found["low"] < 1700 < found["high"]
    assert rasch_rating(difficulties, np.ones(200))["rating"] < 4000


def test_grades_become_ratings_by_reference_players() -> None:
    assert grade_rating(0.5, [(1000, 0.4), (2000, 0.6)]) == pytest.approx(1500)


def test_the_skill_curve_of_the_amsterdam_test(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    elo = rng.normal(0, 1, 120)
    difficulty = rng.normal(0, 1, 40)
    right = (rng.random((120, 40)) < 1 / (1 + np.exp(-2 * (elo[:, None] - difficulty)))).astype(int)
    lines = ["ELO," + ",".join(f"Y{i}" for i in range(1, 41))]
    lines += [f"{e}," + ",".join(map(str, row)) for e, row in zip(elo, right, strict=True)]
    lines += ["0.0," + ",".join(["1"] * 40), "1.5," + ",".join(["9"] * 40)]  # unrated; without answers
    path = tmp_path / "answers.csv"
    path.write_text("\n".join(lines) + "\n")
    known, answers = read_answers(path)
    assert answers.shape == (120, 40)
    found = skill_curve(known, answers)
    assert found["correlation"] > 0.85
    assert 0.85 < found["coverage"] <= 1


def test_any_player_takes_the_test_by_its_file(folder: Path) -> None:
    (folder / "club.toml").write_text('game = "chess"\nmodel = "human"\nrating = 1400\ntemperature = 0.5\n')
    (folder / "small.toml").write_text('game = "chess"\nmodel = "strong"\nnodes = 4\ntemperature = 1.0\n')
    files = [folder / "club.toml", folder / "small.toml"]
    found = all_respondents(None, None, "", (), files, False, "onnxruntime", 8)
    assert {name: each[:2] for name, each in found.items()} == {
        "club": ("player", 1400), "small": ("player", None)
    }  # fmt: skip
    test = read_test(folder / "items.jsonl.gz", folder, 3, 1)
    for _, _, answer in found.values():
        for shares, state in zip(answer(test.states), test.states, strict=True):
            assert len(shares) == len(state.legal_moves())
            assert shares.sum() == pytest.approx(1)


def test_a_player_s_elo_is_told_with_intervals(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "club.toml").write_text('game = "chess"\nmodel = "human"\nrating = 1400\n')
    lines = (folder / "lichess-puzzles-3000.csv").read_text().splitlines()
    (folder / "lichess-puzzles-3000.csv").write_text("\n".join([lines[0], *lines[1:] * 80]))  # 150 are taken
    (folder / "ace.json").write_text('{"positions": {"calibration": {"intercept": 5000, "slope": 0}}}')
    ace_test([folder / "club.toml"], folder, folder)
    told = capsys.readouterr().out
    assert "club: people's positions 5000 (5000 to 5000), puzzles " in told
    (folder / "ace.json").write_text("{}")
    with pytest.raises(UserError, match="no calibration"):
        ace_test([folder / "club.toml"], folder, folder)
