"""`sparring blend fit`: from a table to a blend's file that every command takes."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

from sparring.cli import main
from sparring.policies import load_policy
from tests.cli.command_errors import one_line_error
from tests.matching.tables import chess_table, random_record, write_table
from tests.networks.tiny_networks import tiny_network, write


@pytest.fixture
def folder(tmp_path: Path, model_store: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    chess_table(tmp_path / "table", 12)
    for seed, name in ((1, "human"), (2, "strong"), (3, "third")):
        write(tiny_network("chess", seed), tmp_path / f"{name}.onnx")
    write(tiny_network("shogi"), tmp_path / "shogi.onnx")
    return tmp_path


PAIR = ["--human", "human.onnx", "--strong", "strong.onnx", "--records", "table", "--split", "all"]


def fit(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, Any]:
    capsys.readouterr()
    main(["blend", "fit", "chess", *arguments, "--json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return found


@pytest.mark.parametrize("how", [[], ["--by", "position"], ["--by", "all"]])
def test_the_file_is_a_policy(folder: Path, capsys: pytest.CaptureFixture[str], how: list[str]) -> None:
    found = fit(capsys, *PAIR, *how)
    assert list(found["groups"]) == ["1100", "1900"]
    for group in found["groups"].values():
        assert group["best"]["low"] <= group["best"]["alpha"] <= group["best"]["high"]
        assert group["nll"] <= min(group["alone"])
        assert sum(alpha["value"] for alpha in group["alphas"]) == pytest.approx(1)
    assert (folder / "blend.toml").read_text() == found["blend"]
    assert load_policy("blend.toml", "chess").game == "chess"
    main(["predict", "chess", "--blend", "blend.toml", "--rating", "1500", "--json"])
    moves = json.loads(capsys.readouterr().out)["moves"]
    assert sum(move["p"] for move in moves) == pytest.approx(1, abs=1e-4)


def test_one_position_in_several_is_fitted(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    whole, thinned = (fit(capsys, *PAIR, *how)["groups"]["1900"] for how in ([], ["--every", "4"]))
    assert 0 < thinned["positions"] < whole["positions"] / 2


def test_a_file_elsewhere_finds_its_networks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "deep").mkdir()
    fit(capsys, *PAIR, "--out", "deep/blend.toml")
    assert '"../human.onnx"' in (folder / "deep" / "blend.toml").read_text()
    assert load_policy("deep/blend.toml", "chess").game == "chess"


def test_more_features_never_fit_worse(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    nats = [fit(capsys, *PAIR, "--by", by)["nll"] for by in ("position", "rating", "all")]
    assert nats[0] <= nats[1] <= nats[2]


def test_any_number_of_policies_can_be_blended(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    found = fit(capsys, *PAIR, "--also", "third.onnx")
    assert found["blend"].count("[[policy]]") == 3
    assert found["groups"]["1100"]["best"] is None
    assert load_policy("blend.toml", "chess").game == "chess"


def test_policies_are_evaluated_once(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    fit(capsys, *PAIR, "--cache", "cache")
    sizes = {path.name: path.stat().st_size for path in (folder / "cache").glob("*.choices")}
    assert len(sizes) == 2
    fit(capsys, *PAIR, "--cache", "cache", "--by", "position")
    assert {path.name: path.stat().st_size for path in (folder / "cache").glob("*.choices")} == sizes


def test_one_players_games_give_one_blend(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    rng = random.Random(1)
    ratings = {"first_rating": 1500, "second_rating": 1700}
    records = [random_record("chess", rng, 20, first="ann", second=str(n), **ratings) for n in range(4)]
    write_table(folder / "anns", "chess", records)
    found = fit(capsys, "--human", "human.onnx", "--strong", "strong.onnx", "-r", "anns", "--player", "ann")
    assert list(found["groups"]) == ["player ann"]
    assert found["groups"]["player ann"]["positions"] == 40
    assert "weight = {" not in found["blend"], "one rating, one weight"


def test_the_terminal_shows_a_table(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["blend", "fit", "chess", *PAIR])
    printed = capsys.readouterr().out
    for word in ("group", "alpha", "1100", "1900", "nats per move", "blend.toml"):
        assert word in printed


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["checkers", *PAIR], "unknown game 'checkers'"),
        (["chess", *PAIR[:2], "--strong", "shogi.onnx", *PAIR[4:]], "is a network for shogi, not for chess"),
        (["chess", *PAIR, "--by", "mood"], "unknown way 'mood'; there are rating, position, all"),
        (["chess", *PAIR, "--group", "2400"], "there are no games of group 2400; there are 1100, 1900"),
        (["chess", *PAIR, "--player", "zoe"], "there are no games of zoe"),
        (["chess", *PAIR[:4], "--records", "nowhere"], "no such table or file: nowhere"),
        (["chess", *PAIR[:2], "--strong", "human=strong.onnx", *PAIR[4:]], "two policies are called human"),
    ],
)
def test_errors_are_one_line(
    folder: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], complaint: str
) -> None:
    assert complaint in one_line_error(capsys, ["blend", "fit", *arguments])
    assert not (folder / "blend.toml").exists()
