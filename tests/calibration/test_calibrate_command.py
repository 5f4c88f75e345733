"""`sparring calibrate` from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from sparring.cli import main
from tests.cli.command_errors import one_line_error

LEVELS = """
game = "chess"
policy = "human"
[[levels]]
level = 1000
rating = 1000
[[levels]]
level = 1400
rating = 1400
temperature = 0.5
"""
FAMILY = """
game = "chess"
[[anchor]]
name = "small"
elo = 1000
strength = 1
"""
STRONGER = """
[[anchor]]
name = "large"
elo = 1200
strength = 2
"""


def test_levels_are_measured_by_family_and_matches_between_them_are_played(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "levels.toml").write_text(LEVELS)
    (tmp_path / "family.toml").write_text(FAMILY)
    command = [
        "calibrate", "chess", "--players", str(tmp_path / "levels.toml"),
        "--out", str(tmp_path / "ladder.json"),
        "--anchors", str(tmp_path / "family.toml"), "--games", "2", "--rounds", "1", "--matches", "1400-1000",
    ]  # fmt: skip
    main(command)
    assert "1400 against 1000" in capsys.readouterr().out
    found = json.loads((tmp_path / "ladder.json").read_text())
    rows = found["families"]["family"]["levels"]
    assert [(row["asked"], row["games"]) for row in rows] == [(1000, 2), (1400, 2)]
    assert found["matches"][0]["games"] == 2
    games = (tmp_path / "ladder.jsonl").read_text()
    main(command)
    assert (tmp_path / "ladder.jsonl").read_text() == games


def test_anchors_above_a_rating_are_left_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "levels.toml").write_text(LEVELS)
    (tmp_path / "family.toml").write_text(FAMILY + STRONGER)
    command = [
        "calibrate", "chess", "--players", str(tmp_path / "levels.toml"), "--levels", "1000",
        "--out", str(tmp_path / "ladder.json"), "--anchors", str(tmp_path / "family.toml"),
        "--games", "2", "--rounds", "1", "--max-anchor",
    ]  # fmt: skip
    main([*command, "1000"])
    found = json.loads((tmp_path / "ladder.json").read_text())
    assert list(found["families"]["family"]["anchors"]) == ["small"]
    assert "all anchors are stronger" in one_line_error(capsys, [*command, "900"])


def test_ratings_of_anchors_can_be_those_of_an_earlier_ladder(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "levels.toml").write_text(LEVELS)
    (tmp_path / "family.toml").write_text(FAMILY.replace("elo = 1000\n", ""))
    links = tmp_path / "links.json"
    command = [
        "calibrate", "chess", "--players", str(tmp_path / "levels.toml"), "--levels", "1000",
        "--anchors", str(tmp_path / "family.toml"), "--games", "2", "--rounds", "1", "--links", str(links),
        "--out", str(tmp_path / "ladder.json"),
    ]  # fmt: skip
    assert "not a ladder" in one_line_error(capsys, command)
    links.write_text(json.dumps({"families": {"family": {"anchors": {"other": 700}}}}))
    assert "no rating of small" in one_line_error(capsys, command)
    links.write_text(json.dumps({"families": {"family": {"anchors": {"small": 700}}}}))
    main(command)
    found = json.loads((tmp_path / "ladder.json").read_text())["families"]["family"]
    assert found["anchors"] == {"small": 700}
    assert found["levels"][0]["games"] == 2


@pytest.mark.parametrize(
    ("arguments", "fault"),
    [
        (["shogi"], "no family of anchors|anchors of chess|no level table"),
        (["chess", "--anchors", "crafty"], "no family of anchors"),
        (["chess", "--levels", "99999"], "levels of chess"),
        (["chess", "--levels", "x"], "whole numbers"),
        (["chess", "--matches", "1200"], "expected"),
    ],
)
def test_bad_arguments_are_one_line_errors(
    arguments: list[str], fault: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert re.search(fault, one_line_error(capsys, ["calibrate", *arguments]))
