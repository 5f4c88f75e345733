"""Puzzle ratings: the trees in NumPy, what the features depend on, what is hard, and the command."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

import sparring
from sparring import data
from sparring.base.errors import BadFile
from sparring.chess.game import Chess
from sparring.chess.puzzle_features import problem_features
from sparring.chess.puzzle_files import problem_of, read_problems
from sparring.chess.puzzle_rating import PuzzleModel, PuzzleRating, shipped_model
from sparring.cli import main
from sparring.policies import load_policy
from studies.problems.fit import export

SCHOLAR = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
"""Before Qxf7 mate."""
BEFORE_SCHOLAR = "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR b KQkq - 3 3"
KASPAROV = "b2r3r/k4p1p/p2q1np1/NppP4/3p1Q2/P4PPB/1PP4P/1K1RR3 w - - 1 24"
"""Kasparov against Topalov, 1999: a sacrifice of two rooks, and a quiet fifth move."""
COMBINATION = "24. Rxd4 cxd4 25. Re7+ Kb6 26. Qxd4+ Kxa5 27. b4+ Ka4 28. Qc3"
BACK_RANK = "6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1"
CSV = "PuzzleId,FEN,Moves,Rating,RatingDeviation,Popularity,NbPlays,Themes\n"


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def recorded_model() -> tuple[PuzzleModel, dict[str, list[list[float]]]]:
    """The model of a booster that `tests/problems/lightgbm.json` has as LightGBM dumped it."""
    record = json.loads((Path(__file__).parent / "lightgbm.json").read_text())
    booster = SimpleNamespace(dump_model=lambda: {"tree_info": record["tree_info"]})
    arrays = export(("a", "b", "c", "d"), booster, booster, np.linspace(-2, 2, 40))
    return PuzzleModel.from_arrays(arrays), record


def test_the_trees_predict_what_lightgbm_predicts() -> None:
    """Also at a threshold, and for whole numbers."""
    model, record = recorded_model()
    found = model.rating.predict(np.array(record["rows"], np.float32))
    assert found == pytest.approx(record["predictions"], abs=1e-3)
    assert len({round(value) for value in found}) > 3


def test_the_names_say_which_column_is_which() -> None:
    model, record = recorded_model()
    rows = np.array(record["rows"], np.float32)
    turned = model.predict(("d", "c", "b", "a", "more"), np.column_stack([rows[:, ::-1], rows[:, 0]]))
    assert [found.rating for found in turned] == pytest.approx(record["predictions"], abs=1e-3)
    with pytest.raises(BadFile, match="feature d"):
        model.predict(("a", "b", "c"), rows[:, :3])


def test_a_file_that_is_no_model_is_refused() -> None:
    with pytest.raises(BadFile, match="is missing"):
        PuzzleModel.from_arrays({"rating_roots": np.zeros(1)})


def test_a_mate_in_one_is_far_easier_than_a_quiet_combination_of_five_moves() -> None:
    easy, hard = sparring.rate_puzzle(SCHOLAR, "Qxf7#"), sparring.rate_puzzle(KASPAROV, COMBINATION)
    assert easy.rating < 1200
    assert hard.rating > 2200
    assert easy.interval[1] < hard.interval[0]


def test_a_position_and_a_solution_may_be_values_or_texts() -> None:
    by_text = sparring.rate_puzzle(BACK_RANK, "1. Rd8#")
    by_value = sparring.rate_puzzle(Chess().parse(BACK_RANK), ["d1d8"])
    assert by_text.rating == by_value.rating
    with pytest.raises(ValueError, match="no solution"):
        sparring.rate_puzzle(BACK_RANK, "")
    with pytest.raises(sparring.IllegalMove):
        sparring.rate_puzzle(BACK_RANK, "Rd5 Rd8")


def test_the_chance_rises_with_the_persons_rating_and_falls_with_the_problems() -> None:
    errors = np.linspace(-400, 400, 41)
    problem = PuzzleRating(1600.0, 1600.0 + errors)
    chances = [problem.chance(rating) for rating in range(400, 2900, 100)]
    assert all(weaker < stronger for weaker, stronger in pairwise(chances))
    assert problem.chance(1600) == pytest.approx(0.5)
    harder = PuzzleRating(1800.0, 1800.0 + errors)
    assert harder.chance(1600) < problem.chance(1600)


def test_the_error_of_a_prediction_brings_the_chance_nearer_to_a_half() -> None:
    sure, unsure = PuzzleRating(1600.0, np.full(9, 1600.0)), PuzzleRating(1600.0, np.linspace(1000, 2200, 9))
    assert sure.chance(1200) == pytest.approx(1 / 11)
    assert sure.chance(1200) < unsure.chance(1200) < 0.5


def test_the_chance_at_the_predicted_rating_is_about_a_half() -> None:
    for position, solution in ((SCHOLAR, "Qxf7#"), (KASPAROV, COMBINATION), (BACK_RANK, "Rd8#")):
        found = sparring.rate_puzzle(position, solution)
        assert found.chance(found.rating) == pytest.approx(0.5, abs=0.06)
        low, high = found.interval
        assert low < found.rating < high
        assert 0.7 <= np.mean((low <= found.plausible) & (found.plausible <= high)) <= 0.9


def test_the_features_depend_on_nothing_but_the_problem(tmp_path: Path) -> None:
    """Neither on the id, the rating, the plays and the themes of a file, nor on its format, nor on the
    problems beside it. Lichess's files have the move before the problem, which the networks see."""
    row = f"{BEFORE_SCHOLAR},g8f6 h5f7"
    files = [
        write(tmp_path, "a.csv", f"{CSV}aaaaa,{row},600,75,90,1000,mateIn1 short\n"),
        write(tmp_path, "b.csv", f"{CSV}bbbbb,{row},2800,90,-20,3,endgame quietMove\n"),
        write(tmp_path, "c.csv", f"FEN,Moves\n{row}\n"),
        write(tmp_path, "d.txt", f"{SCHOLAR} h5f7\n"),
        write(tmp_path, "e.pgn", f'[FEN "{SCHOLAR}"]\n[SetUp "1"]\n\n4. Qxf7# 1-0\n'),
    ]
    problems = [record.problem for file in files for record in read_problems(file)]
    assert len(problems) == len(files)
    policies = load_policy("human", "chess"), load_policy("strong", "chess")
    names, values = problem_features(problems, *policies)
    assert np.isfinite(values).all()
    assert np.ptp(values[:3], axis=0).max() < 1e-4
    assert np.ptp(values[3:], axis=0).max() < 1e-4
    (other,) = read_problems(write(tmp_path, "f.txt", f"{BACK_RANK} Rd8#"))
    _, beside = problem_features([other.problem, problems[0]], *policies)
    assert beside[1] == pytest.approx(values[0], abs=1e-3)
    assert set(shipped_model().names) == set(names)


def test_all_mates_count_where_the_solution_mates() -> None:
    """Lichess takes every mate for a solution."""
    policies = load_policy("human", "chess"), load_policy("strong", "chess")
    position = "6k1/5ppp/8/8/8/8/1R3PPP/3R2K1 w - - 0 1"  # Rb8 and Rd8 mate
    problems = [problem_of(Chess().parse(position), [move]) for move in ("Rd8#", "Rb8#")]
    names, values = problem_features(problems, *policies)
    column = names.index("log_800")
    assert values[0, column] == pytest.approx(values[1, column], abs=1e-4)


def test_epd_has_its_solution_in_an_operation(tmp_path: Path) -> None:
    fields = " ".join(SCHOLAR.split()[:4])
    text = f'{fields} bm Qxf7#; id "scholar";\n\n{fields} pv h5f7; id "line";\n'
    records = list(read_problems(write(tmp_path, "p.epd", text)))
    assert [record.name for record in records] == ["scholar", "line"]
    assert records[0].problem.solution == records[1].problem.solution


def test_a_reply_at_the_end_of_a_solution_is_left_out(tmp_path: Path) -> None:
    (record,) = read_problems(write(tmp_path, "p.txt", f"{KASPAROV} Rxd4 cxd4 Re7+ Kb6"))
    assert len(record.problem.solution) == 3


def test_the_command_prints_ratings_and_chances(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = write(tmp_path, "p.csv", f"{CSV}aaaaa,{BEFORE_SCHOLAR},g8f6 h5f7,600,75,90,1000,mateIn1\n")
    main(["problems", "rate", str(file), "--rating", "1500"])
    header, line = capsys.readouterr().out.splitlines()
    assert header.split() == ["puzzle", "rating", "80", "%", "solved", "by", "1500", "problem"]
    assert line.endswith("aaaaa")
    main(["problems", "rate", str(file), "--rating", "1500", "--json"])
    row = json.loads(capsys.readouterr().out)
    assert row["problem"] == "aaaaa"
    assert row["low"] < row["puzzle_rating"] < row["high"]
    assert row["chance"] > 0.8
    assert line.startswith(str(row["puzzle_rating"]))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "no problem in it"),
        ("hello\n", "line 1: FEN"),
        (f"{BACK_RANK}\n", "line 1: no solution"),
        (f"{BACK_RANK} Rd8#\n{BACK_RANK} Rd9#\n", "line 2: 'Rd9#' is not a move"),
        (f"{BACK_RANK} e2e4\n", "line 1: e2e4"),
        (f"{CSV}aaaaa,{BEFORE_SCHOLAR}\n", "line 2: 2 cells"),
        (f"{CSV}aaaaa,{BEFORE_SCHOLAR},,600,75,90,1000,short\n", "line 2: "),
        (f"{CSV}aaaaa,{BEFORE_SCHOLAR},g8f6,600,75,90,1000,short\n", "line 2: no solution"),
        (f'[FEN "{SCHOLAR}"]\n\n*\n', "game 1: no solution"),
        (f'[FEN "{SCHOLAR}"]\n\n4. Qxf8# *\n', "game 1: "),
    ],
)
def test_a_bad_file_is_one_line(
    content: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = write(tmp_path, "bad.txt", content)
    with pytest.raises(SystemExit) as end:
        main(["problems", "rate", str(file)])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line
    assert "bad.txt" in line


def test_a_file_that_is_not_there_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["problems", "rate", "nothing.csv"])
    assert capsys.readouterr().err == "sparring: nothing.csv: no such file\n"


def test_the_model_was_fitted_on_the_networks_that_ship() -> None:
    """Another network says other numbers: the model must then be fitted again."""
    card = data.training_card("difficulty", "chess")["made_by"]
    for name in ("human-chess", "strong-chess"):
        row = data.file_version("networks", name)
        assert row is not None
        assert f"{name} {row.version}" in card
