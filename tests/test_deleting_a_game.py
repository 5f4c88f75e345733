"""A game's folder can be deleted: everything else is imported, plays, and passes its tests."""

from __future__ import annotations

import ast
import os
import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

import sparring
from sparring import _core

TESTS = Path(__file__).parent
ROOT = TESTS.parent
SOURCE = Path(sparring.__file__).parent
NEEDS = {"chess": ("rbc",)}
"""Games that go with a game, since they are built on it."""
SLOW = {
    "bench", "fastapi", "hypothesis", "multiprocessing", "onnx", "pexpect", "playwright", "ray", "signal",
    "socket", "sparring.engines", "sparring.server", "sparring.training", "studies", "subprocess", "torch",
}  # fmt: skip
"""Modules of tests that start servers, engines, browsers or processes, or train: too slow to be run again."""
OF_THE_REPOSITORY = ("docs", "packaging")
"""Folders of tests that read pages and files beside the package."""
SECONDS_OF_A_FILE = 0.05
"""Processor time after which the rest of a file is left out: whole, the files need a minute a game."""
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
RUN_TESTS = """
import collections, time
import pytest

class OnlyAsLong:
    used = collections.Counter()

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_setup(self, item):
        if self.used[item.location[0]] > {seconds}:
            pytest.skip("its file has run for long enough")

    def pytest_runtest_logstart(self):
        self.began = time.process_time()

    def pytest_runtest_logfinish(self, location):
        self.used[location[0]] += time.process_time() - self.began

assert pytest.main(["-q", "-rfE", "-p", "no:cacheprovider", *{files}], [OnlyAsLong()]) == 0
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


@cache
def imports(path: Path) -> frozenset[str]:
    """The modules that a file imports, with those of names that may be modules."""
    modules = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            modules |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            modules |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return frozenset(modules)


def with_helpers(path: Path) -> set[Path]:
    """A test's file, the files of tests that it imports, and their `conftest.py`."""
    files, left = set(), [path]
    while left:
        if (file := left.pop()) not in files:
            files.add(file)
            helpers = [
                ROOT / f"{module.replace('.', '/')}.py" for module in imports(file) if "tests." in module
            ]
            conftests = [folder / "conftest.py" for folder in file.parents if folder.is_relative_to(TESTS)]
            left += [helper for helper in (*helpers, *conftests) if helper.exists()]
    return files


def is_quick(files: set[Path]) -> bool:
    return not any(
        module == slow or module.startswith(f"{slow}.")
        for file in files
        for module in imports(file)
        for slow in SLOW
    )


def files_without(game: str) -> list[Path]:
    """The quick test files that neither name a game, nor read the package's files, nor import what does."""
    names = re.compile(rf"(?i:(?<![a-z]){game}(?![a-z]))|{game.capitalize()}|sparring\.__file__")
    return [
        path
        for path in sorted(TESTS.rglob("test_*.py"))
        if path.parent.name not in OF_THE_REPOSITORY
        if is_quick(files := with_helpers(path))
        if not any(names.search(file.read_text()) for file in files)
    ]


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


@pytest.mark.parametrize("game", ["expendibots", "rbc"])
def test_tests_that_do_not_name_it_pass(game: str, tmp_path: Path) -> None:
    files = files_without(game)
    assert len(files) > 80, "the selection finds too little"
    code = RUN_TESTS.format(seconds=SECONDS_OF_A_FILE, files=[str(path) for path in files])
    (text,) = run(code, packages(tmp_path, [game]))
    passed = re.search(r"(\d+) passed", text)
    assert passed is not None
    assert int(passed[1]) > 400, text[-500:]
