"""Problems out of games: one clear answer, a solution tree, no duplicates, PGN."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import chess.pgn
import pytest

from sparring.chess.problem_finder import GameProblem, find_problems
from sparring.cli import main
from sparring.records.readers import RecordedGame, open_records

GAME = """[White "Ann"]
[Black "Ben"]
[WhiteElo "900"]
[BlackElo "900"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Bxf7+ Ke7 7. Nd5# 1-0

[White "Ann"]
[Black "Cid"]
[WhiteElo "900"]
[BlackElo "900"]

1. e4 e5 2. Nf3 d6 3. Bc4 Bg4 4. Nc3 h6 5. Nxe5 Bxd1 6. Nxd1 dxe5 0-1
"""


@pytest.fixture(scope="module", autouse=True)
def short_searches() -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("sparring.measure.review._NODES", (500, 10_000, 30_000))
        patch.setattr("sparring.chess.problem_finder._NODES", 60_000)
        patch.setattr("sparring.chess.problem_finder._TREE_NODES", 20_000)
        patch.setattr("sparring.chess.problem_finder._SEEN", 1.01)  # also what everybody sees
        yield


@pytest.fixture(scope="module")
def games(tmp_path_factory: pytest.TempPathFactory) -> list[RecordedGame]:
    path = tmp_path_factory.mktemp("games") / "games.pgn"
    path.write_text(GAME)
    return list(open_records(path))


@pytest.fixture(scope="module")
def problems(games: list[RecordedGame]) -> list[GameProblem]:
    return list(find_problems(games))


def test_a_mate_that_one_player_found_and_another_missed_is_one_problem(
    games: list[RecordedGame], problems: list[GameProblem]
) -> None:
    (legal,) = [problem for problem in problems if problem.state.move_text(problem.line[0]) == "c4f7"]
    assert legal.ply == 10
    assert legal.state.ply == 10, "it knows the moves before"
    assert not legal.missed
    assert [legal.state.move_text(move) for move in legal.line] == ["c4f7", "e8e7", "c3d5"]
    assert len({problem.state.text() for problem in problems}) == len(problems)
    assert 400 < legal.rating.rating < 2800
    assert 0 < legal.likely < 1
    missed = [problem for problem in find_problems(games[1:]) if problem.line[0] == legal.line[0]]
    assert [problem.missed for problem in missed] == [True]


def test_a_problem_is_written_with_its_solution(problems: list[GameProblem]) -> None:
    for problem in problems:
        game = chess.pgn.read_game(io.StringIO(problem.pgn()))
        assert game is not None
        assert not game.errors
        assert game.headers["FEN"] == problem.state.text()
        moves = [move.uci() for move in game.mainline_moves()]
        assert len(moves) == len(problem.line)
        assert len(moves) % 2 == 1, "the solver moves last"


def test_people_who_see_the_answer_have_no_problem(
    games: list[RecordedGame], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparring.chess.problem_finder._SEEN", 0.0)
    assert list(find_problems(games)) == []


def test_the_command_writes_a_file_that_can_be_rated(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file, out = tmp_path / "games.pgn", tmp_path / "problems.pgn"
    file.write_text(GAME)
    main(["problems", "from", str(file), "--out", str(out), "--most", "1"])
    assert "1 problem in" in capsys.readouterr().out
    main(["problems", "rate", str(out)])
    assert len(capsys.readouterr().out.splitlines()) == 2
