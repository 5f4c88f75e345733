"""Architecture: layers depend downwards only, the native stub is current, writes are atomic."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from pkgutil import resolve_name

import pytest
from nanobind.stubgen import StubGen

import sparring
from sparring import _core
from sparring.games import GAMES

SOURCE = Path(sparring.__file__).parent
GAME_FOLDERS = {path.parent.name for path in SOURCE.glob("*/plugin.py")}
LAYERS = [
    {"base", "data", "_core", "_version"},
    {"games"},
    {"records", "networks"},
    {"policies"},
    {"search"},
    {"players"},
    {"play"},
    {"measure"},
    {"training"},
    {"arena"},
    {"engines"},
    {"server"},
    {"cli"},
    GAME_FOLDERS,
]
"""The packages, the lowest first. A module refers to its own package and to lower ones."""
LAYER = {package: number for number, packages in enumerate(LAYERS) for package in packages}
BESIDE = {
    ("base", "data"): "provenance names the shipped files",
    ("rbc", "chess"): "its pieces, moves and boards are those of chess",
    ("measure", "arena"): "calibration plays as tournaments do",
}
"""References beside or above a package, and why."""
NO_REFERENCE = {"sparring.card": "a key of networks' metadata"}
"""Strings that look like a reference, and what they are."""
REFERENCE = re.compile(r"sparring(?:\.\w+)+(?::\w+)?")
ANY_PACKAGE = "sparring.*"
"""What an f-string refers to that leaves the package open."""
FINDS_PLUGINS = "games/description.py"
"""The module that imports `sparring.<game>.plugin`."""


def docstrings(tree: ast.AST) -> set[int]:
    """The ids of constants that are statements: docstrings of modules, classes, functions and fields."""
    return {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}


@cache
def references(source: str) -> tuple[tuple[str, bool], ...]:
    """The names below `sparring` that a module refers to, and whether by a string. Of an f-string it is the
    part before the first value."""
    return tuple(_references(source))


def _references(source: str) -> Iterator[tuple[str, bool]]:
    tree = ast.parse(source)
    ignored = docstrings(tree)
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from ((alias.name, False) for alias in node.names if alias.name.startswith("sparring."))
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"line {node.lineno}: a relative import"
            if (node.module or "").partition(".")[0] == "sparring":
                yield from ((f"{node.module}.{alias.name}", False) for alias in node.names)
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            if node.value.id == "sparring" and not node.attr.startswith("__"):
                yield f"sparring.{node.attr}", False
        elif isinstance(node, ast.JoinedStr):
            first = node.values[0] if node.values else None
            if isinstance(first, ast.Constant) and str(first.value).startswith("sparring."):
                package = str(first.value).split(".")[1]
                yield (f"sparring.{package}" if package else ANY_PACKAGE), True
        elif isinstance(node, ast.Constant) and id(node) not in ignored:
            text = str(node.value)
            if REFERENCE.fullmatch(text) and text not in NO_REFERENCE:
                yield text, True


def modules() -> Iterator[tuple[str, Path]]:
    """The modules below the packages, with their package."""
    for path in SOURCE.rglob("*.py"):
        if path.parent != SOURCE:
            yield path.relative_to(SOURCE).parts[0], path


def test_references_point_downwards() -> None:
    """Import statements and strings alike."""
    used = set()
    for package, path in modules():
        for name, _ in references(path.read_text()):
            if name == ANY_PACKAGE:
                assert path == SOURCE / FINDS_PLUGINS, f"{path} refers to a package that a value names"
                continue
            other = re.split("[.:]", name)[
                1
            ]  # a name of the root, such as load_player, is above all packages
            if other != package and LAYER.get(other, len(LAYERS)) >= LAYER[package]:
                used.add((package, other))
                assert (package, other) in BESIDE, f"{path} refers to {name}"
    assert used == set(BESIDE), "BESIDE lists references that are no more"


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("import sparring.cli.play", "sparring.cli.play"),
        ("def f():\n    from sparring.cli import main", "sparring.cli.main"),
        ("from sparring import load_player", "sparring.load_player"),
        ("import sparring\nsparring.load_player", "sparring.load_player"),
        ("target = 'sparring.cli.play:play'", "sparring.cli.play:play"),
        ("target = f'sparring.cli.{name}:{name}'", "sparring.cli"),
        ("target = f'sparring.{name}'", ANY_PACKAGE),
    ],
)
def test_a_reference_is_seen_in_any_form(source: str, name: str) -> None:
    assert [reference for reference, _ in references(source)] == [name]


def test_a_relative_import_is_refused() -> None:
    with pytest.raises(AssertionError, match="a relative import"):
        list(references("from ..cli import main"))


def test_what_a_string_refers_to_exists() -> None:
    for _, path in modules():
        for name, by_string in references(path.read_text()):
            if by_string and name != ANY_PACKAGE:
                assert resolve_name(name) is not None, f"{path} refers to {name}"


def test_files_are_written_by_storage() -> None:
    """Only sparring.base.storage writes and syncs whole files."""
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).as_posix() != "base/storage.py":
            write = re.search(r"\bfsync\b|\.write_text\(|\.write_bytes\(", path.read_text())
            assert write is None, f"{path} has {write and write[0]}: see sparring.base.storage"


def test_the_stub_of_the_native_module_is_current() -> None:
    stub = StubGen(_core)
    stub.put(_core)
    assert stub.get() == (SOURCE / "_core.pyi").read_text(), "run `make stubs`"


def test_test_modules_have_names_of_their_own() -> None:
    names = [path.name for path in Path(__file__).parent.rglob("test_*.py")]
    assert sorted(names) == sorted(set(names)), "pytest imports them by their bare names"


def test_a_public_class_name_is_defined_once() -> None:
    places: dict[str, list[str]] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places.setdefault(node.name, []).append(str(path.relative_to(SOURCE)))
    assert {name: where for name, where in places.items() if len(where) > 1} == {}


def test_shipped_files_are_found_by_the_data_module() -> None:
    """Only sparring.data knows where the package's own files are."""
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] != "data":
            place = re.search(r"\b__file__\b|importlib.resources|\bresources\.files\b", path.read_text())
            assert place is None, f"{path} has {place and place[0]}: see sparring.data"


def test_experiments_and_tests_are_not_part_of_the_package() -> None:
    for path in SOURCE.rglob("*.py"):
        outside = re.search(r"^\s*(from|import) (studies|tests|bench)\b", path.read_text(), re.MULTILINE)
        assert outside is None, f"{path} has {outside and outside[0]}"


NAMES_A_GAME = {
    "engines/uci.py": "the command `go` of UCI and USI, and the UCI option UCI_Variant",
    "players/uci_client.py": "the command `go` of UCI and USI",
}
"""Modules outside the games' folders that name a game, and why."""


def games_named(path: Path) -> set[str]:
    """String constants that are a game's name, and imports of a game's native classes."""
    tree = ast.parse(path.read_text())
    ignored = docstrings(tree)
    native = re.compile(rf"({'|'.join(game.native for game in GAMES.values())})([A-Z]\w*)?")
    named = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in ignored and node.value in GAME_FOLDERS:
            named.add(repr(node.value))
        elif isinstance(node, ast.ImportFrom) and node.module == "sparring._core":
            named |= {alias.name for alias in node.names if native.fullmatch(alias.name)}
    return named


def test_only_its_own_folder_names_a_game() -> None:
    """Everything else asks the description."""
    for package, path in modules():
        if package not in GAME_FOLDERS:
            named, name = games_named(path), path.relative_to(SOURCE).as_posix()
            assert bool(named) == (name in NAMES_A_GAME), (
                f"{name} names {', '.join(sorted(named)) or 'no game'}: ask sparring.games.describe, or mend "
                "NAMES_A_GAME"
            )


DIALECT = {"each", "told", "said", "dials", "found", "undone", "sort_in"}
"""Names that do not say what a thing is."""


def test_names_say_what_things_are() -> None:
    """Variables and functions. Keys of messages, such as `found` in a review, are fields."""
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            match node:
                case ast.Name(id=name, ctx=ast.Store()) | ast.arg(arg=name) | ast.FunctionDef(name=name):
                    is_field = name == "found" and path.name == "review.py"
                    assert name.strip("_") not in DIALECT or is_field, f"{path}, line {node.lineno}: {name}"


def test_a_module_is_short() -> None:
    """A module is one idea, of 800 lines at most."""
    repository = Path(__file__).parents[1]
    for folder in (SOURCE, repository / "studies", repository / "bench"):
        for path in folder.rglob("*.py"):
            assert len(path.read_text().splitlines()) <= 800, f"{path}: split it"


MOST_FILES = 280
"""The package's modules. A new one is an idea of its own, not a part of its only importer."""


def test_the_package_has_few_modules() -> None:
    assert len([*SOURCE.rglob("*.py")]) <= MOST_FILES


MOST_ANY = 886
"""Uses of `Any` in the package: a type that could be said. The number may fall, not grow."""


def test_any_does_not_spread() -> None:
    uses = sum(
        isinstance(node, ast.Name) and node.id == "Any"
        for path in SOURCE.rglob("*.py")
        for node in ast.walk(ast.parse(path.read_text()))
    )
    assert uses <= MOST_ANY


MOST_ON_THE_WAY = {"command line to a move": 30, "click to the answer": 25, "turn of blind chess": 25}


@pytest.mark.parametrize("way", MOST_ON_THE_WAY)
def test_a_way_through_the_program_has_few_files(way: str) -> None:
    """`python tests/journeys.py --list` shows them. In a process of its own, which has imported nothing."""
    if way == "turn of blind chess":
        pytest.importorskip("reconchess")
    command = [sys.executable, str(Path(__file__).with_name("journeys.py")), "--list", way]
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
    python, other, _ = map(int, done.stdout.splitlines()[-1].split())
    assert python + other <= MOST_ON_THE_WAY[way], done.stdout
