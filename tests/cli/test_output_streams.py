"""Commands whose input is closed, or whose output cannot take every character, or is full."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

RUN = "from sparring.cli import main; main()"


def run(
    *arguments: str, encoding: str = "utf-8", out: int = subprocess.PIPE
) -> subprocess.CompletedProcess[bytes]:
    """Runs `sparring` with closed standard input."""
    return subprocess.run(
        [sys.executable, "-c", RUN, *arguments],
        check=False,
        stdout=out,
        stderr=subprocess.PIPE,
        env={**os.environ, "PYTHONIOENCODING": encoding, "COLUMNS": "200"},
        preexec_fn=lambda: os.close(0),
    )


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("output")
    (folder / "a.pgn").write_text('[White "先手é"]\n\n1. e4 e5 1-0\n')
    done = run("records", "build", str(folder / "a.pgn"), "--out", str(folder / "t"), encoding="ascii")
    assert done.returncode == 0, done.stderr
    return folder / "t"


@pytest.mark.parametrize(("encoding", "shown"), [("ascii", rb"\u5148\u624b\xe9"), ("latin-1", b"\xe9 - ?")])
def test_output_that_is_not_utf_8_has_escapes(encoding: str, shown: bytes, table: Path) -> None:
    done = run("records", "list", str(table), encoding=encoding)
    assert done.returncode == 0, done.stderr
    assert shown in done.stdout


def test_a_full_output_is_one_line(table: Path) -> None:
    with Path("/dev/full").open("wb") as full:
        done = run("records", "export", str(table), "--game", "all", out=full.fileno())
    assert done.returncode == 2
    assert done.stderr == b"sparring: No space left on device\n"
