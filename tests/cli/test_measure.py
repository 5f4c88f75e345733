"""`sparring measure matching`: from a table to a report."""

from __future__ import annotations

import contextlib
import json
import random
import re
from pathlib import Path
from typing import Any

import pytest

from sparring.cli import main
from tests.cli.command_errors import one_line_error
from tests.matching.tables import chess_table, random_record, write_table
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    chess_table(tmp_path / "table", 22, skip_plies=10)
    for seed, name in ((1, "human"), (2, "strong")):
        write(tiny_network("chess", seed), tmp_path / f"{name}.onnx")
    write(tiny_network("shogi"), tmp_path / "shogi.onnx")
    (tmp_path / "blend.toml").write_text(
        'game = "chess"\n[[policy]]\nuse = "human.onnx"\nweight = { 1100 = 0.9, 1900 = 0.6 }\n'
        '[[policy]]\nuse = "strong.onnx"\nweight = { 1100 = 0.1, 1900 = 0.4 }\n'
    )
    return tmp_path


def measure(folder: Path, capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    """What --json prints; every game counts unless it is said otherwise."""
    capsys.readouterr()
    main(
        [
            "measure",
            "matching",
            "chess",
            "--records",
            str(folder / "table"),
            "--split",
            "all",
            "--json",
            *arguments,
        ]
    )
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


def test_json_has_every_policy_by_its_name_and_every_group(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measure(
        folder, capsys, "--policy", str(folder / "human.onnx"), "--policy", f"mine={folder}/blend.toml"
    )
    assert list(found) == ["policies"]
    assert list(found["policies"]) == ["human", "mine"]
    for policy in found["policies"].values():
        assert list(policy["groups"]) == ["1100", "1900"]
        for entry in policy["groups"].values():
            assert entry["positions"] > 300
            assert entry["low"] <= entry["top1"] <= entry["high"]
            assert entry["nll"] > 0
    assert set(found["policies"]["mine"]["differences"]) == {"human"}


def test_a_report_is_written(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = folder / "report"
    found = measure(
        folder,
        capsys,
        "--policy",
        str(folder / "human.onnx"),
        "--policy",
        str(folder / "strong.onnx"),
        "--out",
        str(out),
        "--trials",
        "2",
    )
    report = json.loads((out / "report.json").read_text())
    assert report["positions"] == sum(e["positions"] for e in found["policies"]["human"]["groups"].values())
    assert {"command", "date", "machine", "differences", "trials"} <= set(report)
    assert str(folder) not in (out / "report.json").read_text(), "folders are nobody's business"
    assert not (out / "report.html").exists()
    main(["report", str(out)])
    text = (out / "report.html").read_text()
    assert text.count("<svg") == 7
    first = text.partition("</h1>")[2].strip()
    assert re.match(r"<p>\w.* predicts \d+\.\d% of people&#x27;s moves", first), "the finding comes first"
    for name in ("accuracy-by-group", "accuracy-by-ply", "calibration", "differences", "trials"):
        assert (out / "figures" / f"{name}.svg").exists()
    assert list((out / "scores" / "trial-1").iterdir())


def test_trials_are_different_splits_with_their_mean_and_spread(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    found = measure(
        folder, capsys, "--policy", str(folder / "human.onnx"), "--split", "train", "--trials", "3"
    )
    trials = found["policies"]["human"]["trials"]
    assert set(trials) == {"1100", "1900", "mean"}
    values = [trial["top1"] for trial in trials["mean"]["trials"]]
    assert len(set(values)) > 1
    assert trials["mean"]["mean"] == pytest.approx(sum(values) / 3)
    assert trials["mean"]["deviation"] > 0


def test_groups_positions_and_symmetries_can_be_chosen(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    human = str(folder / "human.onnx")
    found = measure(folder, capsys, "-p", human, "--group", "1900", "--positions", "100", "--symmetries")
    assert list(found["policies"]["human"]["groups"]) == ["1900"]
    assert found["policies"]["human"]["groups"]["1900"]["positions"] <= 100


def test_one_position_in_several_gives_more_games(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    human, limit = str(folder / "human.onnx"), ("--group", "1900", "--positions", "60")
    whole, thinned = (
        measure(folder, capsys, "-p", human, *limit, *more)["policies"]["human"]["groups"]["1900"]
        for more in ((), ("--every", "4"))
    )
    assert thinned["games"] > whole["games"]
    assert thinned["positions"] <= 60


def test_the_terminal_shows_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(
        ["measure", "matching", "chess", "-p", str(folder / "human.onnx"), "-p", str(folder / "blend.toml"),
         "-r", str(folder / "table"), "--split", "all"]
    )  # fmt: skip
    printed = capsys.readouterr().out
    assert "fewer than" not in printed
    for word in ("group", "human", "blend", "1100", "1900", "mean", "±", "nats per move"):
        assert word in printed


def test_groups_of_few_games_are_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["-p", str(folder / "human.onnx"), "-r", str(folder / "table"), "--split", "all"]
    main(["measure", "matching", "chess", *arguments, "--positions", "100"])
    assert (
        "fewer than 20 games, so that intervals are too narrow: 1100 (5), 1900 (" in capsys.readouterr().out
    )


def test_a_file_of_games_and_a_game_without_ratings_do_too(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    rng = random.Random(1)
    records = [random_record("shogi", rng, 12) for _ in range(3)]
    write_table(folder / "s", "shogi", records, source="people-a.hcpe")
    main(
        ["measure", "matching", "shogi", "-p", str(folder / "shogi.onnx"), "-r", str(folder / "s"), "--split",
         "all", "--json"]
    )  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert list(found["policies"]["shogi"]["groups"]) == ["people-a"]
    (folder / "mine.pgn").write_text('[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n')
    main(
        ["measure", "matching", "chess", "-p", str(folder / "human.onnx"), "-r", str(folder / "mine.pgn"),
         "--split", "all", "--json"]
    )  # fmt: skip
    found = json.loads(capsys.readouterr().out)
    assert found["policies"]["human"]["groups"]["mine"]["positions"] == 3


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["checkers", "-p", "human.onnx", "-r", "table"], "unknown game 'checkers'"),
        (["go", "-p", "human.onnx", "-r", "table"], "is a network for chess, not for go"),
        (["chess", "-p", "shogi.onnx", "-r", "table"], "is a network for shogi, not for chess"),
        (["shogi", "-p", "shogi.onnx", "-r", "table"], "holds games of chess, not of shogi"),
        (["chess", "-p", "maia-9999", "-r", "table"], "there is no network 'maia-9999'"),
        (["chess", "-p", "none.toml", "-r", "table"], "there is no policy file none.toml"),
        (["chess", "-p", "human.onnx", "-r", "nowhere"], "no such table or file: nowhere"),
        (["chess", "-p", "human.onnx", "-r", "."], "is no table of games"),
        (["chess", "-p", "human.onnx", "-r", "table", "--split", "half"], "unknown split 'half'"),
        (["chess", "-p", "human.onnx", "-r", "table", "--group", "1500"], "no games of group 1500"),
        (
            ["chess", "-p", "human.onnx", "-p", "human=strong.onnx", "-r", "table"],
            "two policies are called human",
        ),
        (["chess", "-p", "a/b=human.onnx", "-r", "table"], "is not a valid policy name"),
        (["chess", "-p", "human.onnx", "-r", "table", "--backend", "abacus"], "unknown backend 'abacus'"),
        (["chess", "-p", "human.onnx", "-r", "table", "--positions", "0"], "Invalid value for '--positions'"),
        (["chess", "-p", "human.onnx"], "--records"),
        (["chess", "-r", "table"], "--policy"),
    ],
)
def test_errors_are_one_line(
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    arguments: list[str],
    complaint: str,
) -> None:
    monkeypatch.chdir(folder)
    extra = [] if "--split" in arguments else ["--split", "all"]
    assert complaint in one_line_error(capsys, ["measure", "matching", *arguments, *extra])


def test_an_empty_split_says_how_to_take_all_games(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "mine.pgn").write_text('[Result "1-0"]\n\n1. e4 e5 2. Nf3 1-0\n')
    complaints = []
    for split in ("train", "validation", "test"):
        arguments = ["-p", str(folder / "human.onnx"), "-r", str(folder / "mine.pgn"), "--split", split]
        with contextlib.suppress(SystemExit):  # the game is in one of the three
            main(["measure", "matching", "chess", *arguments])
        complaints += capsys.readouterr().err.splitlines()
    assert len(complaints) == 2
    assert all("split of trial 0; --split all takes every game" in complaint for complaint in complaints)
