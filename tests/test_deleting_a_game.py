"""A game's folder can be deleted: everything else is imported, plays, and passes its tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

import sparring
from sparring import _core

ROOT = Path(__file__).parents[1]
SOURCE = Path(sparring.__file__).parent
NEEDS = {"chess": ("rbc",)}
"""Games that go with a game, since they are built on it."""
TESTS = [
    "tests/games/test_breakthrough.py",
    "tests/games/test_go.py",
    "tests/records/test_variant_pgn.py",
    "tests/records/test_game_records.py",
    "tests/arena/test_openings.py",
    "tests/search/test_mcts.py",
    "tests/server/test_new_game_openings.py",
    "tests/cli/test_terminal_game.py",
]
"""Quick tests of other parts that name neither reconnaissance blind chess nor Expendibots."""
BEGIN = """
import sys
sys.meta_path[:] = [finder for finder in sys.meta_path if isinstance(finder, type)]  # no editable installs
sys.path.insert(0, sys.argv[1])
"""
IMPORT_AND_PLAY = f"""{BEGIN}
import importlib, pkgutil
import sparring
from sparring.cli import main
from sparring.games import GAMES
from sparring.play.match import play_game
from sparring.players import make_strength_player

assert sparring.__path__ == [sys.argv[1] + "/sparring"]
for module in pkgutil.walk_packages(sparring.__path__, "sparring."):
    importlib.import_module(module.name)
main(["games"])
for name in GAMES:
    with make_strength_player(name, 1) as first, make_strength_player(name, 1) as second:
        result = play_game(name, first, second, seed=1, max_plies=4)
        assert result.reason == "length limit", result
print("left:", *GAMES)
"""
RUN_TESTS = f"""{BEGIN}
import pytest
sys.exit(pytest.main(["-q", "-p", "no:cacheprovider", *sys.argv[2:]]))
"""


def package_without(folder: Path, game: str) -> Path:
    """A folder with a copy of the package, made of links, without a game and those that need it."""
    package = folder / "sparring"
    package.mkdir()
    for path in (*SOURCE.iterdir(), Path(_core.__file__)):
        if path.name not in (game, *NEEDS.get(game, ())) and not (package / path.name).exists():
            (package / path.name).symlink_to(path)
    return folder


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments], cwd=ROOT, env=env, capture_output=True, text=True
    )


GAMES = sorted(path.parent.name for path in SOURCE.glob("*/plugin.py"))


@pytest.mark.parametrize("game", GAMES)
def test_everything_else_is_imported_and_plays(game: str, tmp_path: Path) -> None:
    done = run(IMPORT_AND_PLAY, str(package_without(tmp_path, game)))
    assert done.returncode == 0, done.stderr[-2000:]
    left = done.stdout.splitlines()[-1].split()[1:]
    assert sorted(left) == [name for name in GAMES if name not in (game, *NEEDS.get(game, ()))]


@pytest.mark.parametrize("game", ["rbc", "expendibots"])
def test_tests_of_other_parts_pass(game: str, tmp_path: Path) -> None:
    done = run(RUN_TESTS, str(package_without(tmp_path, game)), *TESTS)
    assert done.returncode == 0, done.stdout[-2000:]
