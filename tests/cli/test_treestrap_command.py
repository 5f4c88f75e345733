"""`sparring train treestrap`: weights, statistics and figures of a run."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from sparring.base.errors import BadFile
from sparring.cli import main
from sparring.games import load_game
from sparring.players import Turn, load_player_file
from sparring.search.linear_evaluation import open_evaluation
from tests.cli.interrupting import press_ctrl_c

QUICK = ("--depth", "2", "--games", "4", "--block", "2", "--warmup-games", "1", "--max-plies", "20")


def treestrap(out: Path, *more: str, game: str = "breakthrough") -> None:
    main(["train", "treestrap", game, "--out", str(out), *QUICK, *more])


def refused(capsys: pytest.CaptureFixture[str], out: Path, *more: str, game: str = "breakthrough") -> str:
    capsys.readouterr()
    with pytest.raises(SystemExit) as exit_:
        treestrap(out, *more, game=game)
    captured = capsys.readouterr()
    assert exit_.value.code == 2
    (line,) = captured.err.splitlines()
    assert line.startswith("sparring: ")
    return line


@pytest.mark.parametrize("game", ["breakthrough", "expendibots"])
def test_a_run_leaves_weights_statistics_and_figures(
    game: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    treestrap(tmp_path, game=game)
    said = capsys.readouterr()
    assert "evaluation.json" in said.out
    assert "4 games: error" in said.err
    assert open_evaluation(game, tmp_path / "evaluation.json").origin["games"] == 4
    assert len((tmp_path / "blocks.jsonl").read_text().splitlines()) == 2
    for name in ("weights-over-time", "weights-by-feature"):
        assert (tmp_path / f"{name}.svg").read_text().count("<svg") == 1


def test_errors_are_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert "has no features" in refused(capsys, tmp_path, game="chess")
    assert "expected one of rootstrap" in refused(capsys, tmp_path, "--algorithm", "q")
    assert "no evaluation" in refused(capsys, tmp_path, "--start", str(tmp_path / "none.json"))
    assert "there is no book" in refused(capsys, tmp_path, "--book", str(tmp_path / "none.log"))
    treestrap(tmp_path / "run")
    assert "has a run with seed 0" in refused(capsys, tmp_path / "run", "--seed", "1")


def test_the_result_of_a_run_can_be_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    treestrap(tmp_path)
    evaluation = tmp_path / "evaluation.json"
    assert f"sparring play breakthrough --player {evaluation}" in capsys.readouterr().out
    rules = load_game("breakthrough")
    with load_player_file(evaluation, nodes=200) as player:
        assert player.choose(Turn.of(rules.initial())).move in rules.legal_moves(rules.initial())
    monkeypatch.setattr("sys.stdin", io.StringIO("b2b3\nquit\n"))
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "home"))
    main(["play", "breakthrough", "--player", str(evaluation), "--seed", "1"])
    assert "Black plays" in capsys.readouterr().out


@pytest.mark.parametrize(
    "content",
    ["{", "[]", "\xff", "[" * 100_000, '{"game": [], "stages": {}}', '{"game": "chess", "stages": {}}',
     '{"game": "breakthrough", "stages": {"opening": {"x": 1}}}', '{"game": "breakthrough"}'],
)  # fmt: skip
def test_a_broken_evaluation_is_a_clear_error(content: str, tmp_path: Path) -> None:
    (tmp_path / "evaluation.json").write_text(content, encoding="latin-1")
    with pytest.raises(BadFile):
        load_player_file(tmp_path / "evaluation.json")


@pytest.mark.parametrize("workers", ["1", "2"])
def test_ctrl_c_ends_a_deep_search_at_once_and_the_run_resumes(workers: str, tmp_path: Path) -> None:
    run = tmp_path / "run"
    endless = ["train", "treestrap", "breakthrough", "--out", str(run), "--depth", "20", "--workers", workers]
    code, lines = press_ctrl_c([*endless, "--warmup-games", "0"], run / "settings.json")
    assert code == 130
    assert lines == [f"interrupted after 0 games; the same command resumes the run in {run}"]
    assert (run / "blocks.jsonl").read_text() == ""
