"""`sparring measure level`: a player's rating from a file of games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from sparring.games.ratings import rank_order
from tests.cli.command_errors import one_line_error

GAME = """[Event "Rated rapid game"]
[White "Ann"]
[Black "Bob"]
[Result "1-0"]
[WhiteElo "1900"]
[BlackElo "1000"]

1. e4 e5 2. Nf3 f6 3. Nxe5 fxe5 4. Qh5+ Ke7 5. Qxe5+ Kf7 6. Bc4+ d5 7. Bxd5+ Kg6 8. h4 h6 9. Bxb7 Bd6 1-0

"""


@pytest.fixture
def games(tmp_path: Path) -> str:
    path = tmp_path / "games.pgn"
    path.write_text(GAME)
    return str(path)


def test_players_have_ratings_with_intervals(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    main(["measure", "level", "--pgn", games, "--json"])
    ann, bob = json.loads(capsys.readouterr().out)["players"]
    assert (ann["name"], ann["games"], ann["moves"], ann["recorded_rating"]) == ("Ann", 1, 9, 1900)
    assert ann["low"] < ann["rating"] < ann["high"]
    assert ann["rating"] > bob["rating"]  # the Damiano Defence is not played well
    main(["measure", "level", "--pgn", games, "--name", "Bob"])
    assert "Bob" in capsys.readouterr().out


def test_players_of_go_have_ranks(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "game.sgf"
    path.write_text(
        "(;GM[1]SZ[19]PB[Ann]PW[Bob]BR[3k]KM[7.5];B[pd];W[dd];B[pp];W[dp];B[fq];W[cn];B[aa];W[qn])"
    )
    main(["measure", "level", "--games", str(path), "--json"])
    ann, bob = json.loads(capsys.readouterr().out)["players"]
    assert (ann["name"], ann["moves"], ann["recorded_rating"]) == ("Ann", 4, "3k")
    ranks = [rank_order(rank) for rank in (ann["low"], ann["rating"], ann["high"])]
    assert ranks == sorted(ranks)
    assert rank_order(ann["rating"]) < rank_order(bob["rating"])  # who plays at A19 in the opening?
    main(["measure", "level", "--games", str(path), "--name", "Bob"])
    assert "rank" in capsys.readouterr().out
    path.write_text("(;GM[1]SZ[9]PB[Ann]PW[Bob];B[ee];W[cc];B[gg];W[cg])")
    assert "boards of 19 rows" in one_line_error(capsys, ["measure", "level", "--games", str(path)])


def test_bad_input_is_one_line(games: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "no games of Eve" in one_line_error(capsys, ["measure", "level", "--pgn", games, "--name", "Eve"])
    assert "no such file" in one_line_error(capsys, ["measure", "level", "--pgn", "nowhere.pgn"])
    (tmp_path / "empty.pgn").write_text("")
    assert "no games" in one_line_error(capsys, ["measure", "level", "--pgn", str(tmp_path / "empty.pgn")])
    (tmp_path / "game.kif").write_text("")
    assert "not in shogi" in one_line_error(capsys, ["measure", "level", "--pgn", str(tmp_path / "game.kif")])
