"""Errors of the command line in tests."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from sparring.cli import main


def one_line_error(capsys: pytest.CaptureFixture[str], arguments: Sequence[str]) -> str:
    """Runs a command that must exit with code 2 and one line on standard error; returns the line."""
    capsys.readouterr()
    with pytest.raises(SystemExit) as ended:
        main(list(arguments))
    assert ended.value.code == 2
    (line,) = capsys.readouterr().err.splitlines()
    return line
