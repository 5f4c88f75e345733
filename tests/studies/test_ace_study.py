"""`python -m studies ace`: it runs what is missing, resumes, and says what was found and what is missing."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any

import chess
import chess.pgn
import numpy as np
import pytest

from sparring.measure.reports import read_json
from studies.__main__ import main
from studies.ace import study
from studies.ace.games import play_pairings
from studies.ace.summary import missing_lines, summary_lines

TINY = study.Sizes(nodes=2, positions=16, held_out=16, minibatch=8, steps=1, games=2)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    """Games between players of the paper's classes, by random moves."""
    rng = np.random.default_rng(0)
    path = tmp_path / "games.pgn"
    with path.open("w") as file:
        for number in range(400):
            board = chess.Board()
            for _ in range(24):
                moves = list(board.legal_moves)
                board.push(moves[int(rng.integers(len(moves)))])
                if board.is_game_over():
                    break
            game = chess.pgn.Game.from_board(board)
            ratings = ("1250", "1650") if number % 2 else ("2150", "2550")
            names = {"WhiteElo": ratings[0], "BlackElo": ratings[1], "Result": "1-0", "Round": str(number)}
            game.headers.update(names)
            print(game, file=file, end="\n\n")
    return path


def test_it_runs_the_first_experiment_from_records_and_resumes(
    records: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(study, "QUICK", TINY)
    monkeypatch.setattr("studies.ace.games.play_pairings", partial(play_pairings, max_plies=2))
    out = tmp_path / "out"
    main(["ace", "--quick", "--records", str(records), "--out", str(out)])
    report = read_json(out / "ace.json")
    assert [row["class"] for row in report["tuning"]["classes"]] == [1250, 1650, 2150, 2550]
    assert [row["games"] for row in report["round_robin"]["pairs"]] == [2] * 6
    assert {path.name for path in out.glob("*.svg")} == {"theta.svg", "scores.svg"}
    said = capsys.readouterr().out
    assert "class 1250, step 1" in said
    assert "D v B, 2 games: expected 0.091" in said
    assert "missing: experiment 2, the position test; python -m studies ace" in said

    monkeypatch.setattr("studies.ace.games.play_pairings", None)  # no game is played again
    main(["ace", "--quick", "--records", str(records), "--out", str(out)])
    assert "step 1" not in capsys.readouterr().out


def test_records_without_the_classes_are_refused_in_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "games.pgn").write_text('[WhiteElo "800"]\n[BlackElo "800"]\n\n1. e4 e5 2. Nf3 1-0\n')
    with pytest.raises(SystemExit):
        main(["ace", "--quick", "--records", str(tmp_path / "games.pgn"), "--out", str(tmp_path / "out")])
    assert "there are no moves of players of 1200 to 1300" in capsys.readouterr().err


def test_the_position_test_is_made_once_and_taken_by_classes_and_levels(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[dict[str, Any]] = []
    taken: list[dict[str, Any]] = []

    def find_items(records: list[Path], **options: Any) -> None:
        made.append(options)
        options["out"].parent.mkdir(exist_ok=True, parents=True)
        options["out"].touch()

    monkeypatch.setattr(study, "ace_items", find_items)
    monkeypatch.setattr(study, "ace_answers", lambda *files, **options: taken.append(options))
    for _ in range(2):
        study.take_position_test([tmp_path], tmp_path, study.Sizes(), tmp_path, "onnxruntime", 64)
    assert [options["keep"] for options in made] == [400, 5000]
    assert [options["levels"] for options in taken] == [study.Sizes().levels] * 2  # the journal resumes


def test_a_small_p_is_said_to_be_a_difference() -> None:
    pair = {"weaker": "D", "stronger": "B", "games": 200, "expected": 0.09, "observed": 0.5, "low": 0.4,
            "high": 0.6, "paper_observed": 0.105}  # fmt: skip
    chi_square = {"statistic": 90.0, "degrees": 1, "p": 1e-9}
    *_, line = summary_lines({"round_robin": {"pairs": [pair], "chi_square": chi_square}})
    assert line.endswith("p = 1e-09: they differ")


def test_a_whole_report_misses_nothing() -> None:
    parts = "tuning round_robin positions strength gradients curve cross losses baselines"
    assert list(missing_lines({part: {} for part in parts.split()})) == []
