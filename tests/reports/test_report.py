"""Report folders: JSON first, figures if matplotlib is there, pages from both."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sparring.base.errors import BadFile, MissingExtra
from sparring.base.plot_style import open_pyplot
from sparring.base.provenance import provenance
from sparring.cli import main
from sparring.measure.reports import Figure, read_figures, read_json, write_report


def draw_line() -> Any:
    figure, axis = open_pyplot().subplots()
    axis.plot([0, 1], [0, 1])
    return figure


def fail() -> Any:
    raise MissingExtra("pictures need matplotlib")


def test_a_report_is_json_with_provenance_and_one_svg_a_figure(tmp_path: Path) -> None:
    assert write_report({"n": 1}, tmp_path, "a command", [Figure("line", "A line", draw_line)]) == ""
    content = read_json(tmp_path / "report.json")
    assert list(content) == [*provenance("a command"), "n"]
    assert [path.name for path in (tmp_path / "figures").iterdir()] == ["line.svg"]
    found = read_figures(tmp_path, {"line": "A line", "other": "Not drawn"})
    assert list(found) == ["A line"]
    assert found["A line"].startswith("<svg")


def test_without_matplotlib_the_numbers_are_written(tmp_path: Path) -> None:
    message = write_report({"n": 1}, tmp_path, "a command", [Figure("line", "A line", fail)])
    assert message == "without figures: pictures need matplotlib"
    assert read_json(tmp_path / "report.json")["n"] == 1


@pytest.mark.parametrize(
    ("text", "why"), [(None, "there is no report"), ("{", "is not JSON"), ("[1]", "holds no JSON object")]
)
def test_a_file_that_is_no_report_is_refused(tmp_path: Path, text: str | None, why: str) -> None:
    if text is not None:
        (tmp_path / "report.json").write_text(text)
    with pytest.raises(BadFile, match=why):
        read_json(tmp_path / "report.json")


def test_the_command_refuses_the_report_of_another_program(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "report.json").write_text(json.dumps({"command": "x", "blends": {}}))
    with pytest.raises(SystemExit) as ended:
        main(["report", str(tmp_path)])
    assert ended.value.code == 2
    assert "is not a report of `sparring measure matching`" in capsys.readouterr().err
