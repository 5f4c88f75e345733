"""A game's folder can be deleted: everything else is imported, plays, and passes its tests."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

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
"""
IMPORT_AND_PLAY = """
import importlib, pkgutil
import sparring
from sparring.cli import main
from sparring.games import GAMES
from sparring.play.match import play_game
from sparring.players import make_strength_player

assert sparring.__path__ == [sys.path[0] + "/sparring"]
for module in pkgutil.walk_packages(sparring.__path__, "sparring."):
    importlib.import_module(module.name)
main(["games"])
for name in GAMES:
    with make_strength_player(name, 1) as first, make_strength_player(name, 1) as second:
        result = play_game(name, first, second, seed=1, max_plies=4)
        assert result.reason == "length limit", result
print("left:", *GAMES)
"""
RUN_TESTS = f"""
import pytest
assert pytest.main(["-q", "-p", "no:cacheprovider", *{TESTS}]) == 0
"""
FORKS = """
import contextlib, importlib, os, traceback
for library in ("torch", "onnx", "matplotlib.pyplot", "pyarrow", "fastapi.testclient"):
    with contextlib.suppress(ImportError):
        importlib.import_module(library)
assert "sparring" not in sys.modules
for folder in sys.argv[2:]:
    child = os.fork()
    if child == 0:
        sys.path.insert(0, folder)
        text = os.open(os.path.join(folder, "printed"), os.O_WRONLY | os.O_CREAT)
        os.dup2(text, 1), os.dup2(text, 2)
        code = 1
        try:
            exec(sys.argv[1])
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush(), sys.stderr.flush()
            os._exit(code)
    print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
"""Runs code once for each folder, which comes first on the path, and prints how it ended. Libraries of others
are imported once for all."""


def package_without(folder: Path, game: str) -> Path:
    """A folder with a copy of the package, made of links, without a game and those that need it."""
    package = folder / "sparring"
    package.mkdir()
    for path in (*SOURCE.iterdir(), Path(_core.__file__)):
        if path.name not in (game, *NEEDS.get(game, ())) and not (package / path.name).exists():
            (package / path.name).symlink_to(path)
    return folder


def run(code: str, folders: list[Path]) -> list[str]:
    """Runs code in a process for each folder, and returns what it prints."""
    env = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST_")}
    command = [sys.executable, "-c", BEGIN + FORKS, code, *map(str, folders)]
    done = subprocess.run(command, cwd=ROOT, env=env, capture_output=True, text=True)
    texts = [(folder / "printed").read_text() for folder in folders]
    for code_of, text in zip(done.stdout.split(), texts, strict=True):
        assert code_of == "0", text[-2000:]
    return texts


GAMES = sorted(path.parent.name for path in SOURCE.glob("*/plugin.py"))


def packages(folder: Path, games: list[str]) -> list[Path]:
    """Copies of the package, each without one of the games."""
    for game in games:
        (folder / game).mkdir()
    return [package_without(folder / game, game) for game in games]


def test_everything_else_is_imported_and_plays(tmp_path: Path) -> None:
    texts = run(IMPORT_AND_PLAY, packages(tmp_path, GAMES))
    for game, text in zip(GAMES, texts, strict=True):
        left = text.splitlines()[-1].split()[1:]
        assert sorted(left) == [name for name in GAMES if name not in (game, *NEEDS.get(game, ()))]


def test_tests_of_other_parts_pass(tmp_path: Path) -> None:
    for text in run(RUN_TESTS, packages(tmp_path, ["expendibots", "rbc"])):
        assert " passed" in text
