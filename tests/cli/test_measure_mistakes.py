"""`sparring measure mistakes`: what moves give away, from a file of games."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from tests.cli.command_errors import one_line_error
from tests.cli.test_measure_level import GAME


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    path = tmp_path / "games.pgn"
    path.write_text(GAME.replace('"1000"', '"1950"') + GAME)
    return ["measure", "mistakes", "chess", "--records", str(path)]


def test_groups_have_losses_with_intervals(
    command: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main([*command, "--skip", "0", "--out", str(tmp_path / "report"), "--json"])
    printed = json.loads(capsys.readouterr().out)
    assert list(printed["groups"]) == ["1900"], "the other game is between two groups"
    group = printed["groups"]["1900"]
    assert (group["games"], printed["judge"]) == (1, {"policy": "strong"})
    assert 0 < group["blunders"]["value"] <= group["mistakes"]["value"] < 1
    written = json.loads((tmp_path / "report" / "mistakes.json").read_text())
    assert written["groups"] == printed["groups"]
    assert {"command", "version", "machine"} <= set(written)
    main([*command, "--skip", "0"])
    assert f"{group['loss']['value']:.3f}" in capsys.readouterr().out


def test_what_people_lose_stands_beside_games_of_the_same_judge(
    command: list[str], capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    people = {1900: {"loss": {"value": 0.0432, "low": 0.04, "high": 0.05}}}
    monkeypatch.setattr("sparring.measure.people_mistakes", lambda game, judge: people)
    main([*command, "--skip", "0"])
    printed = capsys.readouterr().out
    assert "people lose" in printed
    assert "0.043" in printed


def test_bad_input_is_one_line(command: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    said = one_line_error(capsys, [*command, "--judge", "sockfish"])
    assert "no such program" in said
    assert "strong-chess" in said, "the networks are named"
    assert "--judge is empty" in one_line_error(capsys, [*command, "--judge", ""])
    assert "no games of group 1200" in one_line_error(capsys, [*command, "--group", "1200"])
    assert "too short" in one_line_error(capsys, [*command, "--skip", "90"])
    assert "must speak UCI" in one_line_error(capsys, [*command, "--judge", "true"])
