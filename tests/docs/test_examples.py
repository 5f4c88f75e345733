"""The programs of examples/ run as a reader runs them, without a network and in seconds."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.docs.markdown import ROOT

EXAMPLES = sorted((ROOT / "examples").glob("*.py"))
SHOWN = {
    "blend_policies": r"(?m)^ +0% strong: .*\n +25% strong: .*\n +50% strong: .*\n100% strong: ",
    "blind_chess_bots": r"(?m)^\S+ - attacker: (0|0\.5|1)\.?\d* \(.+\)$",
    "measure_matching": r"(?m)^human: top-1 0\.\d+ \(.*\), \d\.\d+ nats a move, \d+ positions of 16 games$",
    "play_against_engine": r"Level 1400 has [\d.]+ of 2 points|Install stockfish",
    "play_two_levels": r"White, level 1200, scores (0|0\.5|1)",
    "predict_moves": r"(?m)^1000: .*\n1500: .*\n2000: ",
}
"""A part of what each program prints."""
WRITES = {"play_two_levels": "game.pgn", "blind_chess_bots": "game.json"}


def run(example: Path, folder: Path, **environment: str) -> str:
    """Runs the program in an empty folder and returns what it prints."""
    command = [sys.executable, str(example)]
    settings = {**os.environ, "SPARRING_HOME": str(folder / "home"), **environment}
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_prints_what_it_promises(example: Path, tmp_path: Path) -> None:
    assert re.search(SHOWN[example.stem], run(example, tmp_path))
    if example.stem in WRITES:
        assert (tmp_path / WRITES[example.stem]).stat().st_size > 200


@pytest.mark.skipif(shutil.which("stockfish") is None, reason="then it is the test above")
def test_without_stockfish_the_example_says_what_is_missing(tmp_path: Path) -> None:
    assert run(ROOT / "examples" / "play_against_engine.py", tmp_path, PATH="").startswith(
        "Install stockfish"
    )


def test_the_page_lists_every_example() -> None:
    listed = re.findall(r"^\| \[(\w+)\.py\]\((\w+)\.py\)", (ROOT / "examples/README.md").read_text(), re.M)
    assert sorted(name for name, _ in listed) == [example.stem for example in EXAMPLES] == sorted(SHOWN)
