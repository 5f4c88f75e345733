"""Levels of Go problems: features, the linear model, the command, the study. All positions are our own."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

import sparring
from sparring import data
from sparring.base.errors import BadFile
from sparring.cli import main
from sparring.go.problem_features import problem_features
from sparring.go.problem_files import parse_problem
from sparring.go.problem_rating import GoProblemRating, LevelModel, level_number, level_text, shipped_model
from sparring.policies import load_policy
from studies.problems.go_features import groups_of, main_line
from studies.problems.go_fit import held_out, spearman

CAPTURE = "(;SZ[19]GN[Capture]AB[bc][bd][dc][dd][ce]AW[cc][cd][ee][ec](;B[cb]C[RIGHT])(;B[ed];W[cb]C[WRONG]))"
"""Black takes two stones in atari."""
ROW = (
    "(;SZ[19]GN[Row]AB[ac][bc][cc][dc][ec][eb][ea]AW[ab][bb][cb][db][da]"
    "(;B[ba];W[aa];B[ca]C[RIGHT])(;B[aa];W[ba]))"
)
"""Black kills in the middle of three points in a row."""
SQUARE = (
    "(;SZ[19]GN[Square]AB[ae][be][ce][de][ee][ed][ec][eb][ea]AW[ad][bd][cd][dd][dc][db][da]"
    "(;B[bb](;W[cb];B[ba](;W[bc];B[ab];W[ca];B[aa];W[cc];B[ac]C[RIGHT])(;W[ab];B[bc];W[ac];B[aa]C[RIGHT]))"
    "(;W[bc];B[ab];W[cb];B[ba];W[ca];B[aa];W[cc];B[ac]C[RIGHT]))(;B[ab];W[bb])(;B[cb];W[bb]))"
)
"""A carpenter's square, one of the hardest shapes of the corner; the lines are a sketch."""


def features(*texts: str) -> dict[str, list[float]]:
    policies = load_policy("human", "go"), load_policy("strong", "go")
    names, values = problem_features([parse_problem(text) for text in texts], *policies)
    assert np.isfinite(values).all()
    return dict(zip(names, values.T.tolist(), strict=True))


def test_a_capture_is_far_easier_than_the_carpenters_square() -> None:
    easy, hard = sparring.rate_go_problem(CAPTURE), sparring.rate_go_problem(SQUARE)
    assert easy.rating + 5 < hard.rating
    assert easy.share > hard.share
    low, high = hard.interval
    assert low <= hard.rating <= high


def test_wrong_lines_names_and_the_problems_beside_do_not_matter() -> None:
    bare = ROW.replace("(;B[aa];W[ba])", "").replace("GN[Row]", "")
    together, alone = features(ROW, bare, CAPTURE), features(bare)
    for name, values in together.items():
        assert values[0] == pytest.approx(values[1], abs=1e-4), name
        assert values[0] == pytest.approx(alone[name][0], abs=1e-3), name


def test_the_model_finds_its_features() -> None:
    assert set(shipped_model().names) <= set(features(ROW))


def test_the_first_move_is_described_by_what_it_is() -> None:
    found = features(CAPTURE, ROW, "(;SZ[9]AB[bc][cb][ab][bd]AW[bb][ac][cc][dc](;B[ba]))")
    assert found["captures"][0] == 1
    assert found["first_line"][:2] == [0, 1]
    assert found["depth"][0] == 0
    assert found["depth"][1] == pytest.approx(np.log(2))
    assert found["small_board"] == [0, 0, 1]


def test_a_throw_in_and_a_connection_are_told_apart() -> None:
    throw_in = "(;SZ[9]AB[cb]AW[ab][bb][ca](;B[ba]))"
    joined = "(;SZ[9]AB[cb][ab]AW[dd](;B[bb]))"
    found = features(throw_in, joined)
    assert found["throw_in"] == [1, 0]
    assert found["connects"] == [0, 1]


def test_a_likely_line_has_a_larger_probability_than_an_unlikely_one() -> None:
    sensible, silly = features(ROW), features(ROW.replace("B[ba];W[aa];B[ca]C[RIGHT]", "B[bd]C[RIGHT]"))
    for name in ("first_-10", "first_9", "line_-5"):
        assert sensible[name][0] > silly[name][0]


def model(names: tuple[str, ...] = ("a", "b")) -> LevelModel:
    return LevelModel.from_arrays(
        {
            "names": np.array(names),
            "mean": np.array([1.0, 0.0]),
            "deviation": np.array([2.0, 1.0]),
            "weights": np.array([3.0, -1.0]),
            "intercept": np.array(-5.0),
            "share_weights": np.array([0.0, 1.0]),
            "share_intercept": np.array(0.0),
            "errors": np.linspace(-2, 2, 41),
        }
    )


def test_the_level_is_a_sum_of_features_that_are_cut_at_three_deviations() -> None:
    values = np.array([[3.0, 1.0], [100.0, 0.0], [-100.0, 0.0]])
    usual, most, least = model().predict(("a", "b"), values)
    assert usual.rating == pytest.approx(-5 + 3 - 1)
    assert usual.share == pytest.approx(1 / (1 + np.exp(-1)))
    assert most.rating == pytest.approx(4)
    assert (least.rating, least.level) == (-14, "15k")
    turned = model().predict(("more", "b", "a"), np.array([[9.0, 1.0, 3.0]]))
    assert turned[0].rating == usual.rating


def test_a_model_that_does_not_fit_is_refused() -> None:
    with pytest.raises(BadFile, match="feature b"):
        model().predict(("a",), np.zeros((1, 1)))
    with pytest.raises(BadFile, match="is missing"):
        LevelModel.from_arrays({"names": np.array(["a"])})


def test_levels_and_ranks_have_no_gap_between_kyu_and_dan() -> None:
    assert [level_number(rank) for rank in (-15, -1, 1, 7)] == [-14, 0, 1, 7]
    assert [level_text(level) for level in (-14, -0.4, 0.6, 7)] == ["15k", "1k", "1d", "7d"]


def test_the_chance_rises_with_the_rank_and_falls_with_the_level() -> None:
    errors = np.linspace(-4, 4, 41)
    easy, hard = GoProblemRating(-8.0, -8 + errors, 0.6), GoProblemRating(2.0, 2 + errors, 0.3)
    ranks = (-15, -9, -5, -1, 1, 5, 9)
    assert all(easy.chance(low) < easy.chance(high) for low, high in pairwise(ranks))
    assert easy.chance(-9) == pytest.approx(0.5)
    assert all(hard.chance(rank) < easy.chance(rank) for rank in ranks)


def test_the_command_finds_the_game_from_the_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "problems.sgf"
    file.write_text(f"{CAPTURE}\n{SQUARE}")
    main(["problems", "rate", str(file), "--rank", "5k"])
    header, *lines = capsys.readouterr().out.splitlines()
    assert header.split() == ["level", "80", "%", "solved", "by", "5k", "problem"]
    assert [line.split()[-1] for line in lines] == ["Capture", "Square"]
    main(["problems", "rate", str(file), "--rank", "5k", "--json"])
    rows = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert rows[0]["first_moves"] == ["C18"]
    assert rows[0]["chance"] > rows[1]["chance"]
    assert [row["level"] for row in rows] == [line.split()[0] for line in lines]
    assert 0 < rows[1]["right_tries"] < rows[0]["right_tries"] < 1


@pytest.mark.parametrize(
    ("content", "options", "message"),
    [
        ("(;SZ[19]AB[aa])", [], "no solution"),
        ("(;SZ[19]AB[aa];B[bb]", [], "a ) is missing"),
        (ROW, ["--rating", "1500"], "rank"),
        (ROW, ["--rank", "strong"], "'strong'"),
        ("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 Rd8#", ["--rank", "5k"], "rating"),
    ],
)
def test_a_broken_file_or_a_wrong_option_is_one_line(
    content: str, options: list[str], message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "bad.txt"
    file.write_text(content)
    with pytest.raises(SystemExit) as end:
        main(["problems", "rate", str(file), *options])
    assert end.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert message in line


def test_the_model_was_fitted_on_the_networks_that_ship() -> None:
    """Another network says other numbers: the model must then be fitted again."""
    card = data.training_card("difficulty", "go")["made_by"]
    for name in ("human-go", "strong-go"):
        row = data.file_version("networks", name)
        assert row is not None
        assert f"{name} {row.version}" in card


def test_copies_of_a_problem_are_of_one_group() -> None:
    exchanged = ROW.translate(str.maketrans("BW", "WB"))
    mirrored = "(;SZ[19]AB[sc][rc][qc][pc][oc][ob][oa]AW[sb][rb][qb][pb][pa];B[ra])"
    turned = "(;SZ[19]AB[ca][cb][cc][cd][ce][be][ae]AW[ba][bb][bc][bd][ad];B[ab])"
    groups = groups_of([parse_problem(text) for text in (ROW, exchanged, mirrored, turned, CAPTURE, SQUARE)])
    assert len(set(groups[:4].tolist())) == 1
    assert len(set(groups.tolist())) == 3


def test_the_main_line_is_one_right_line() -> None:
    problem = main_line(parse_problem(SQUARE))
    (step,) = problem.tries
    length = 1
    while step.following:
        (reply,) = step.following
        (step,) = reply.following
        length += 2
    assert length == 9


def test_cross_validation_learns_a_line_and_nothing_from_copies_of_noise() -> None:
    rng = np.random.default_rng(3)
    values = rng.normal(size=(60, 5)).repeat(4, axis=0)
    groups = np.arange(60).repeat(4)
    line = values @ np.array([1.0, -2.0, 0.0, 0.5, 0.0])
    assert spearman(held_out(values, line, groups), line) > 0.99
    noise = rng.normal(size=60).repeat(4)
    assert spearman(held_out(values, noise, groups), noise) < 0.3
