"""`sparring tune levels`: from a table to a level table, resumable after a kill."""

from __future__ import annotations

import json
import random
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from sparring.cli import main
from sparring.play.opponent import Opponent
from sparring.players import PlayerConfig
from sparring.players.player_config import read_level_table
from sparring.policies import Policy
from tests.cli.command_errors import one_line_error
from tests.matching.tables import random_record, write_table
from tests.networks.tiny_networks import tiny_network, write
from tests.waiting import wait_for_lines
from tests.workers.pickled_pool import PickledPool


@pytest.fixture
def folder(tmp_path: Path, model_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    rng = random.Random(1)
    records = [
        random_record("chess", rng, 24, first_rating=rating, second_rating=rating)
        for rating in (1250, 1650)
        for _ in range(60)
    ]
    write_table(tmp_path / "table", "chess", records)
    write(tiny_network("chess", 2), tmp_path / "strong.onnx")
    return tmp_path


SMALL = [
    *("--network", "strong.onnx", "--records", "table", "--classes", "1250,1650", "--out", "levels.toml"),
    *("--nodes", "4", "--positions", "64", "--held-out", "16", "--minibatch", "16", "--every", "2"),
]
"""Random moves by a random network: nothing can be gained, so that the table needs `--keep-anyway`."""


def tune(capsys: pytest.CaptureFixture[str], *arguments: str) -> list[dict[str, Any]]:
    capsys.readouterr()
    main(["tune", "levels", "chess", *SMALL, *arguments, "--keep-anyway", "--json"])
    found: list[dict[str, Any]] = json.loads(capsys.readouterr().out)["classes"]
    return found


def test_a_level_table_of_all_ratings_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = tune(capsys, "--steps", "2")
    assert [each["class"] for each in found] == [1250, 1650]
    for each in found:
        assert each["steps"] == 2
        assert [row["nodes"] for row in each["by_nodes"]] == [1, 2, 4]
        assert set(each["standard_errors"]["gradients"]) == {"differences"}
        assert each["held_out"]["low"] <= each["held_out"]["value"] <= each["held_out"]["high"]
    table = read_level_table(folder / "levels.toml")
    assert (table.game, table.policy, table.range) == ("chess", "strong.onnx", (600, 2600))
    player = table.at(1250)
    assert player.nodes == 4
    assert player.policy_temperature == pytest.approx(found[0]["theta"]["policy_temperature"], rel=0.1)


def test_without_a_gain_it_says_so_and_writes_no_table(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["tune", "levels", "chess", *SMALL, "--steps", "1", "--classes", "1250"]
    with pytest.raises(SystemExit) as ended:
        main(arguments)
    assert ended.value.code
    words = capsys.readouterr().err
    assert "at the end: nothing was gained (" in words
    assert "nothing was gained for 1250: levels.toml is not written" in words
    assert not (folder / "levels.toml").exists()
    main([*arguments, "--keep-anyway", "--json"])
    result = json.loads(capsys.readouterr().out)["classes"][0]
    assert not result["gained"]
    assert result["gain"]["low"] <= 0
    start, end = result["start"]["held_out"]["value"], result["held_out"]["value"]
    assert result["gain"]["value"] == pytest.approx(start - end)
    assert (folder / "levels.toml").exists()


def test_a_tuned_level_can_be_played(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    tune(capsys, "--steps", "1", "--out", "tuned/levels.toml")
    made: list[PlayerConfig] = []

    def make(config: PlayerConfig, policy: Policy) -> None:
        made.append(config)
        raise KeyboardInterrupt

    monkeypatch.setattr("sparring.play.opponent.make_player", make)
    with pytest.raises((KeyboardInterrupt, SystemExit)):
        main(["play", "chess", "--level", "1500", "--levels", "tuned/levels.toml"])
    assert (made[0].level, made[0].nodes, made[0].rating) == (1500, 4, None)
    assert Path(made[0].model).resolve() == folder / "strong.onnx"
    for words, said in (
        (["chess", "--levels", "tuned/levels.toml"], "say which level"),
        (["shogi", "--level", "1500", "--levels", "tuned/levels.toml"], "levels of chess, not of shogi"),
        (["chess", "--level", "1500", "--levels", "none.toml"], "none.toml"),
        (["chess", "--level", "100", "--levels", "tuned/levels.toml"], "the levels of chess are 600 to 2600"),
    ):
        assert said in one_line_error(capsys, ["play", *words])


def test_a_level_s_own_policy_may_be_a_file_beside_the_table(tmp_path: Path) -> None:
    rows = '[[levels]]\nlevel = 1000\n[[levels]]\nlevel = 1500\npolicy = "own.onnx"\n'
    (tmp_path / "levels.toml").write_text(
        f'game = "chess"\npolicy = "table.onnx"\n{rows}[[levels]]\nlevel = 2000\npolicy = "human"\n'
    )
    for name in ("table.onnx", "own.onnx"):
        (tmp_path / name).touch()
    opponent = Opponent("chess", levels=tmp_path / "levels.toml")
    models = [opponent.level_keys(level)["model"] for level in (1000, 1500, 2000)]
    assert models == [str(tmp_path / "table.onnx"), str(tmp_path / "own.onnx"), "human"]


def test_classes_in_processes_have_the_results_of_one_process(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    alone = tune(capsys, "--steps", "1")
    together = tune(capsys, "--steps", "1", "--workers", "2", "--out", "other.toml")
    for one, other in zip(alone, together, strict=True):
        assert (one["theta"], one["path"]) == (other["theta"], other["path"])


def test_a_finished_class_is_not_tuned_again_and_other_options_are_refused(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = tune(capsys, "--steps", "1", "--classes", "1250")
    journal = folder / "levels.tuning" / "class-1250.jsonl"
    before = journal.read_bytes()
    assert tune(capsys, "--steps", "1", "--classes", "1250") == first
    assert journal.read_bytes() == before
    assert len(tomllib.loads((folder / "levels.toml").read_text())["levels"]) == 1
    error = one_line_error(capsys, ["tune", "levels", "chess", *SMALL, "--nodes", "5"])
    assert "another --out" in error


def test_a_class_that_did_not_converge_goes_on_with_more_steps(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tune(capsys, "--steps", "3", "--classes", "1250", "--out", "whole.toml")[0]
    main(["tune", "levels", "chess", *SMALL, "--steps", "2", "--classes", "1250", "--keep-anyway"])
    told = capsys.readouterr().err
    assert "class 1250, step 2" in told
    assert "not converged" in told
    longer = tune(capsys, "--steps", "3", "--classes", "1250")[0]
    assert (longer["steps"], longer["theta"], longer["path"]) == (3, whole["theta"], whole["path"])
    assert not longer["converged"]


def test_classes_on_ray_have_the_results_of_one_process(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparring.base.workers.RayWorkerPool", PickledPool)
    PickledPool.made.clear()
    few = ("--steps", "1", "--classes", "1250")
    alone = tune(capsys, *few)[0]
    elsewhere = tune(capsys, *few, "--ray", "local", "--out", "other.toml")[0]
    assert (elsewhere["theta"], elsewhere["path"]) == (alone["theta"], alone["path"])
    assert PickledPool.made == [(1, "local")]


def test_a_killed_tuning_resumes_with_the_same_result(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    whole = tune(capsys, "--steps", "3", "--classes", "1250", "--out", "whole.toml")[0]
    arguments = [*SMALL, "--steps", "3", "--classes", "1250"]
    program = "import sys; from sparring.cli import main; main(sys.argv[1:])"
    run = subprocess.Popen([sys.executable, "-c", program, "tune", "levels", "chess", *arguments])
    journal = folder / "levels.tuning" / "class-1250.jsonl"
    wait_for_lines(journal, 2)
    run.kill()
    assert run.wait() == -signal.SIGKILL, "it ended before it could be killed"
    resumed = tune(capsys, "--steps", "3", "--classes", "1250")[0]
    assert resumed["path"] == whole["path"]
    assert resumed["theta"] == whole["theta"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--classes", "1250,x"], "expected whole numbers"),
        (["--classes", "2600"], "players of 2550 to 2650"),
        (["--records", "nowhere"], "no such table"),
        (["--network", "nothing"], "nothing"),
        (["--classes", "2000,2600", "--workers", "2"], "players of"),
    ],
)
def test_bad_input_is_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert message in one_line_error(capsys, ["tune", "levels", "chess", *SMALL, *arguments])


def test_an_interrupted_run_says_that_it_resumes(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sparring.measure.tune_classes", interrupted)
    with pytest.raises(SystemExit) as ended:
        main(["tune", "levels", "chess", *SMALL])
    assert ended.value.code == 130
    assert "interrupted; the same command resumes" in capsys.readouterr().err
