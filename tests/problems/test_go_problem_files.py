"""Go problems in SGF: the marks of collections, set-up, what is refused. All positions are our own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.base.errors import BadFile
from sparring.games import move_name
from sparring.go.problem_files import GoProblem, Step, begins_sgf, parse_problem, read_problems

STONES = "AB[ac][bc][cc][dc][ec][eb][ea]AW[ab][bb][cb][db][da]"
"""A White group whose only eye space are three points in a row: Black kills in the middle."""


def problem(moves: str, head: str = "", stones: str = STONES) -> GoProblem:
    return parse_problem(f"(;GM[1]FF[4]SZ[9]{head}{stones}{moves})")


def first(found: GoProblem) -> list[str]:
    return [move_name(found.state, move) for move in found.right_moves]


@pytest.mark.parametrize(
    "moves",
    [
        "(;B[aa];W[ba])(;B[ba];W[aa];B[ca]C[RIGHT])",
        "(;B[ba];W[aa]C[Correct!])(;B[aa];W[ba]C[Incorrect])",
        "(;B[aa]C[✗ no];W[ba])(;B[ba]C[✓])",
        "(;B[aa]C[失败])(;B[ba]C[正解图])",
        "(;B[aa];W[ba]GW[1])(;B[ba];W[aa]GB[1])",
        "(;B[aa]BM[1])(;B[ba]TE[1])",
        "(;B[aa]N[wrong])(;B[ba]N[right])",
        "(;B[ba])(;B[aa];W[ba])",
        "(;B[ba];W[aa];B[ca])",
        "(;B[aa]C[The right side is bigger])(;B[ba]C[RIGHT])",
    ],
)
def test_the_marks_of_collections_say_which_first_move_is_right(moves: str) -> None:
    """Without a mark of a right line the first variation is right that is not marked as wrong."""
    assert first(problem(moves)) == ["B9"]


def test_a_move_that_one_reply_refutes_is_wrong_although_another_leads_to_a_right_end() -> None:
    found = problem("(;B[aa](;W[ba]C[WRONG])(;W[ca];B[ba]C[RIGHT]))(;B[ba]C[RIGHT])")
    assert first(found) == ["B9"]


def test_a_line_that_is_right_only_against_one_reply_is_taken_if_there_is_no_other() -> None:
    found = problem("(;B[ba](;W[aa]C[WRONG])(;W[ca];B[aa]C[RIGHT]))")
    assert first(found) == ["B9"]


def test_several_first_moves_may_be_right() -> None:
    found = problem("(;B[ba]C[RIGHT])(;B[ca]C[RIGHT])(;B[aa])")
    assert first(found) == ["B9", "C9"]


def test_an_opponents_last_move_may_carry_the_mark() -> None:
    (step,) = problem("(;B[ba];W[aa]C[RIGHT])").tries
    assert step.right
    assert [reply.right for reply in step.following] == [True]


def test_the_tree_keeps_replies_and_wrong_moves() -> None:
    found = problem("(;B[ba](;W[aa];B[ca]C[RIGHT])(;W[ca](;B[aa]C[RIGHT])(;B[ff])))(;B[aa])")
    right, wrong = found.tries
    assert (right.right, wrong.right) == (True, False)
    assert [len(reply.following) for reply in right.following] == [1, 2]
    answers: tuple[Step, ...] = right.following[1].following
    assert [answer.right for answer in answers] == [True, False]


def test_the_set_up_may_stand_in_a_later_node_and_in_rectangles() -> None:
    by_points = problem("(;B[ba])")
    text = "(;SZ[9]C[A row of three];AB[ac:ec][eb][ea]AW[ab:db][da][ii];AE[ii]PL[B];B[ba])"
    assert parse_problem(text).state.stones == by_points.state.stones


def test_the_solver_is_the_side_of_pl_or_of_the_first_move() -> None:
    assert problem(";W[ba]").state.to_move == 1
    both = "(;B[ba])(;W[ba])"
    assert problem(both).state.to_move == 0
    assert problem(both, "PL[W]").state.to_move == 1
    assert len(problem(both, "PL[W]").tries) == 1


def test_a_pass_is_a_move_of_a_line() -> None:
    (step,) = problem(";B[ba];W[];B[ca]C[RIGHT]").tries
    (reply,) = step.following
    assert (reply.move, reply.right) == (81, True)


def test_names_and_places_of_a_file(tmp_path: Path) -> None:
    file = tmp_path / "p.sgf"
    one = f"(;SZ[9]GN[A row\nof three]{STONES};B[ba])"
    file.write_text(f"Collected by me.\n{one}\n(;SZ[9]{STONES};B[ba])\n")
    assert [record.name for record in read_problems(file)] == ["A row of three", "problem 2"]
    assert begins_sgf(one)
    assert not begins_sgf("6k1/5ppp/8/8/8/8/5PPP/3R2K1 w - - 0 1 Rd8#")


def test_chinese_files_are_read_in_their_charset(tmp_path: Path) -> None:
    file = tmp_path / "p.sgf"
    text = f"(;SZ[9]CA[gb2312]{STONES}(;B[aa]C[失败])(;B[ba]C[正解]))"
    file.write_bytes(text.encode("gb18030"))
    (record,) = read_problems(file)
    assert first(record.problem) == ["B9"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no problem in it"),
        ("hello", "no problem in it"),
        ("(;SZ[9]AB[aa];B[ba]", "is missing"),
        ("(;SZ[9]AB[aa];B[ba", "no ] ends"),
        ("(;SZ[9]AB[aa]{;B[ba])", "out of place"),
        ("(;[aa]SZ[9])", "without its property"),
        ("(;SZ[9]AB[aa])", "no solution"),
        ("(;SZ[9];B[ba])", "no stones"),
        ("(;SZ[9]AB[aa]B[ba])", "a move stands in the first node"),
        ("(;SZ[9]AB[aa];W[aa])", "aa|A9|stone"),
        ("(;SZ[9]AB[aa];B[bb];B[cc])", "Black moves twice in a row"),
        ("(;SZ[9]AB[aa];B[zz])", "'zz' is not a point"),
        ("(;SZ[9]AB[jj];B[aa])", "'jj' is not a point"),
        ("(;SZ[9]AB[aa](;B[bb]C[WRONG])(;B[cc]C[WRONG]))", "no right answer"),
        ("(;SZ[4]AB[aa];B[bb])", "board size 4"),
        ("(;SZ[9:13]AB[aa];B[bb])", "board size '9:13'"),
        ("(;SZ[x]AB[aa];B[bb])", "board size 'x'"),
        ("(;GM[2]SZ[8]AB[aa];B[bb])", "another game"),
    ],
)
def test_a_broken_problem_is_one_clear_line(text: str, message: str, tmp_path: Path) -> None:
    file = tmp_path / "bad.sgf"
    file.write_text(text)
    with pytest.raises(BadFile, match=message) as raised:
        list(read_problems(file))
    assert "bad.sgf" in str(raised.value)
    assert "\n" not in str(raised.value)


def test_a_game_record_is_no_problem() -> None:
    points = [f"{column}{row}" for row in "abcdefg" for column in "abcdefghijklmnopq"]
    moves = "".join(f";{'BW'[i % 2]}[{point}]" for i, point in enumerate(points))
    with pytest.raises(ValueError, match="more than 100 moves"):
        parse_problem(f"(;SZ[19]AB[ss]{moves})")


def test_the_second_of_two_broken_problems_is_named(tmp_path: Path) -> None:
    file = tmp_path / "two.sgf"
    file.write_text(f"(;SZ[9]{STONES};B[ba])\n\n(;SZ[9]{STONES})\n")
    with pytest.raises(BadFile, match=r"problem 2 \(line 3\): no solution"):
        list(read_problems(file))
    with pytest.raises(BadFile, match="2 problems"):
        parse_problem(file.read_text())
