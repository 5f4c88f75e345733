"""Architecture: layers depend downwards only, the native stub is current, writes are atomic."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from nanobind.stubgen import StubGen

import sparring
from sparring import _core
from sparring.games import DESCRIPTIONS

SOURCE = Path(sparring.__file__).parent
LAYERS = [
    "cli",
    "server",
    "engines",
    "calibration",
    "turing",
    "arena",
    "tuning",
    "players",
    "training",
    "search",
    "strength",
    "blending",
    "matching",
    "policies",
    "networks",
    "records",
    "reports",
    "belief",
    "games",
    "workers",
    "data",
    "config",
    "storage",
    "_core",
    "_lazy",
    "_telemetry",
]


def imports(path: Path) -> set[str]:
    """The parts of the package that a module imports."""
    names: list[str] = []
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module:
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return {name.split(".")[1] for name in names if name.startswith("sparring.")}


def test_dependencies_point_downwards() -> None:
    for path in SOURCE.rglob("*.py"):
        part = path.relative_to(SOURCE).parts[0]
        if part.endswith(".py"):
            continue
        for below in imports(path) - {part}:
            assert LAYERS.index(part) < LAYERS.index(below), f"{path} imports {below}"


def test_files_are_written_by_storage() -> None:
    """Only sparring.storage writes and syncs whole files."""
    for path in SOURCE.rglob("*.py"):
        if path.relative_to(SOURCE).parts[0] != "storage":
            found = re.search(r"\bfsync\b|\.write_text\(|\.write_bytes\(", path.read_text())
            assert found is None, f"{path} has {found and found[0]}: see sparring.storage"


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
            found = re.search(r"\b__file__\b|importlib.resources|\bresources\.files\b", path.read_text())
            assert found is None, f"{path} has {found and found[0]}: see sparring.data"


def test_experiments_and_tests_are_not_part_of_the_package() -> None:
    for path in SOURCE.rglob("*.py"):
        outside = re.search(r"^\s*(from|import) (studies|tests|bench)\b", path.read_text(), re.MULTILINE)
        assert outside is None, f"{path} has {outside and outside[0]}"


NAMES_A_GAME = {
    "arena.uci": "the command `go` of UCI and USI",
    "engines.uci": "the command `go` of UCI and USI, and the UCI option UCI_Variant",
    "cli.commands": "the command group `sparring rbc`",
}
"""Modules outside a game's own that name a game, and why."""


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(SOURCE).with_suffix("").parts).removesuffix(".__init__")


def games_named(path: Path) -> set[str]:
    """String constants that are a game's name, and imports of a game's rules or native classes."""
    tree = ast.parse(path.read_text())
    names = {game.name for game in DESCRIPTIONS}
    prefixes = tuple(game.native for game in DESCRIPTIONS)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    found = set()
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and id(node) not in docstrings and node.value in names:
            found.add(repr(node.value))
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("sparring."):
            package, *rest = (node.module or "").split(".")[1:]
            for alias in node.names:
                if package == "_core" or (package == "games" and not rest):
                    named = re.fullmatch(rf"({'|'.join(prefixes)})([A-Z]\w*)?", alias.name)
                else:
                    named = None
                if named or (package == "games" and {*rest, alias.name} & names):
                    found.add(f"{node.module}.{alias.name}")
    return found


def test_only_its_own_modules_name_a_game() -> None:
    """A game's description lists its own modules. Everything else asks the description."""
    own = [module for game in DESCRIPTIONS for module in game.modules]
    for path in SOURCE.rglob("*.py"):
        name = module_name(path)
        if name.startswith("games") or any(f"{name}.".startswith(f"{each}.") for each in own):
            continue
        found = games_named(path)
        assert bool(found) == (name in NAMES_A_GAME), (
            f"{path} names {', '.join(sorted(found)) or 'no game'}: ask sparring.games.describe, list the "
            "module in the game's description, or mend NAMES_A_GAME"
        )


def test_the_modules_of_a_game_exist() -> None:
    known = {module_name(path) for path in SOURCE.rglob("*.py")}
    for game in DESCRIPTIONS:
        assert set(game.modules) <= known, f"games/{game.name}.py lists modules that do not exist"


def test_a_module_is_short() -> None:
    """A module is one idea; one of more than 400 lines has several."""
    repository = Path(__file__).parents[1]
    for folder in (SOURCE, repository / "studies", repository / "bench"):
        for path in folder.rglob("*.py"):
            assert len(path.read_text().splitlines()) <= 400, f"{path}: split it"
