"""`sparring train treestrap`: weights, statistics and figures of a run."""

from __future__ import annotations

from pathlib import Path

import pytest

from sparring.cli import main
from sparring.search.linear_evaluation import open_evaluation

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


def test_the_old_command_names_the_new_one(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as exit_:
        main(["train", "bootstrap", "breakthrough", "--out", "x", "--rate", "1"])
    assert exit_.value.code == 2
    assert "is now 'sparring train treestrap'" in capsys.readouterr().err
