"""A build without the networks that learned from games whose licence is not stated."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import sparring
import sparring._core
from sparring import data
from tests.packaging.unlicensed import DATA, left_out

CATALOGUE = """
from sparring.games import describe, load_game
from sparring.play.opponent import default_kind
from sparring.players import DEFAULT_RATING
from sparring.server.browser_site import game_data
from sparring.server.opponents import Opponents
assert "go" not in DEFAULT_RATING and "chess" in DEFAULT_RATING
assert default_kind(load_game("go")) == "strength"
assert Opponents().ratings("go") is None
assert game_data("go", Opponents())["networks"] == {}
"""


@pytest.fixture(scope="module")
def bare(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The package without the files that such a build leaves out."""
    folder = tmp_path_factory.mktemp("bare")
    gone = {Path(path).name for path in left_out()}
    root = Path(sparring.__file__).parent
    unneeded = shutil.ignore_patterns("__pycache__", "*chess.onnx", "*shogi.onnx", "*.zip")

    def ignored(where: str, names: list[str]) -> set[str]:
        of_data = Path(where).parent == root / "data"
        return {*unneeded(where, names), *(gone & {*names} if of_data else ())}

    shutil.copytree(root, folder / "sparring", ignore=ignored)
    core = Path(sparring._core.__file__)
    if core.parent != root:  # an editable package
        shutil.copy(core, folder / "sparring")
    for name in ("human-chess", "human-shogi"):
        path = data.path("networks", name)
        (folder / "sparring" / path.relative_to(root)).symlink_to(path)
    return folder


def run(folder: Path, *arguments: str, stdin: str = "quit\n") -> str:
    # Without .pth files: that of the editable package would bring its own folder in.
    command = [sys.executable, "-S", *arguments]
    packages = [path for path in sys.path if path.endswith("site-packages")]
    environment = {"PYTHONPATH": os.pathsep.join((str(folder), *packages)), "HOME": str(folder)}
    found = subprocess.run(command, input=stdin, capture_output=True, text=True, env=environment, check=False)
    return found.stdout + found.stderr


def test_the_files_that_are_left_out_are_shipped_otherwise() -> None:
    paths = left_out()
    assert [path for path in paths if not (DATA.parents[1] / path).is_file()] == []
    assert data.lacking("go") == data.lacking("chess") == ""
    assert {"sparring/data/networks/human-go.onnx", "sparring/data/styles/go.npz"} <= {*paths}


def test_the_other_opponents_of_the_game_play_and_it_says_what_it_lacks(bare: Path) -> None:
    typed = "C3\nscore\npass\nquit\n"
    played = run(bare, "-m", "sparring", "play", "go", "-o", "size=5", "--strength", "1", stdin=typed)
    assert "This package has no network of people's moves for go: it was built without what" in played
    assert "White " in played, "it answers, also a pass"
    assert "A rough estimate by random games, often 10 points off: this package has no network" in played
    assert "Traceback" not in played
    refused = run(bare, "-m", "sparring", "play", "go", "--rank", "3d")
    assert refused.count("\n") <= 2
    assert "games of KGS and Fox, whose licence is not stated" in refused
    engine = run(bare, "-m", "sparring", "engine", "gtp", stdin="genmove b\nquit\n")
    assert "? there is no network 'blend' of go (this package was built without" in engine


def test_it_offers_no_people_of_that_game(bare: Path) -> None:
    assert run(bare, "-c", CATALOGUE) == ""
