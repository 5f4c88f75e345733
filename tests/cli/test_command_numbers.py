"""Numbers on the command line are bounded: nothing but one line comes of an absurd one."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from sparring.base.errors import UserError
from sparring.cli import main
from sparring.cli.console import check_number
from tests.cli.command_errors import one_line_error

HUGE = "9" * 25


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        (["predict", "chess", "--threads", "99999999999"], "--threads 99999999999: .* from 0 to 1024"),
        (["measure", "matching", "chess", "--records", "x", "-p", "human", "--threads", HUGE], "--threads"),
        (["rbc", "track", "x.json", "--player", "white", "--seed", "-1"], "--seed"),
        (["rbc", "track", "x.json", "--player", "white", "--limit", HUGE], "--limit"),
        (["rbc", "track", "x.json", "--player", "white", "--limit", "9" * 400], "--limit"),
        (["rbc", "generate", "--players", "random", "--out", "x", "--seed", HUGE], "--seed"),
        (["rbc", "generate", "--players", "random", "--out", "x", "--processes", "99999"], "--processes"),
        (["train", "treestrap", "expendibots", "--out", "x", "--seed", "-1"], "--seed -1"),
        (["train", "treestrap", "expendibots", "--out", "x", "--max-update", "nan"], "finite"),
        (["predict", "go", "--komi", "nan"], "finite"),
        (["predict", "chess", "--clock", "inf"], "finite"),
        (["play", "chess", "--temperature", "nan"], "--temperature"),
        (["play", "chess", "--seed", HUGE], "--seed"),
        (["arena", "rate", "x", "--anchor", "a=nan"], "--anchor 'a=nan': expected NAME=ELO"),
        (["arena", "rate", "x", "--anchor", "a=inf"], "--anchor"),
        (["arena", "rate", "x", "--anchor", "a=1e300"], "--anchor"),
        (["arena", "rate", "x", "--prior", "nan"], "."),
        (["perft", "chess", HUGE], "."),
    ],
)
def test_an_absurd_number_gives_one_line(
    arguments: list[str],
    complaint: str,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.chdir(tmp_path)
    line = one_line_error(capsys, arguments)
    assert len(line) < 400
    assert re.search(complaint, line), line
    assert list(tmp_path.iterdir()) == []


def test_usual_numbers_pass() -> None:
    for name, value in (
        ("seed", (1 << 63) - 1),
        ("threads", 1024),
        ("games", 10**9),
        ("x", True),
        ("x", "y"),
    ):
        check_number(f"--{name}", name, value)
    for name, value in (("seed", 1 << 63), ("seed", -1), ("workers", 1025), ("games", 10**10)):
        with pytest.raises(UserError, match=name):
            check_number(f"--{name}", name, value)


def test_help_shows_the_options_as_before(capsys: pytest.CaptureFixture[str]) -> None:
    main(["predict", "--help"])
    out = capsys.readouterr().out
    assert "--threads" in out
    assert "Threads of each" in out
