from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.cli import main
from tests.cli.command_errors import one_line_error
from tests.cli.interrupting import press_ctrl_c


def test_info_shows_the_content_of_the_tables(capsys: pytest.CaptureFixture[str]) -> None:
    main(["expendibots", "tables", "info", "--json"])
    rows = {(row["mover"], row["other"]): row for row in json.loads(capsys.readouterr().out)["materials"]}
    assert rows[2, 2]["longest_win"] == 7
    assert rows[2, 3]["longest_loss"] == 46


def test_probe_values_a_position_and_its_moves(capsys: pytest.CaptureFixture[str]) -> None:
    main(["expendibots", "tables", "probe", "8/8/8/8/8/8/a7/A6A w"])
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "wins in 1"
    assert "  boom a1: wins at once" in lines


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["expendibots", "tables", "probe", "8/8/8/8/8/aaa5/8/AAA5 w"], "no table has"),
        (["expendibots", "tables", "info", "--file", "README.md"], "has no endgame tables"),
    ],
)
def test_mistakes_end_in_one_line(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert message in one_line_error(capsys, arguments)


def test_ctrl_c_ends_a_build_at_once_and_leaves_no_file(tmp_path: Path) -> None:
    out = tmp_path / "tables.zip"
    build = ["expendibots", "tables", "build", "--out", str(out)]
    code, lines = press_ctrl_c(build, tmp_path / "begun", by_first_thread=True)
    assert (code, lines[-1]) == (130, "sparring: interrupted")
    assert not out.exists()
