"""Architecture: layers depend downwards only, the native stub is current, writes are atomic."""

from __future__ import annotations

import ast
import re
from pathlib import Path

from nanobind.stubgen import StubGen

import sparring
from sparring import _core

SOURCE = Path(sparring.__file__).parent
LAYERS = [
    "cli",
    "engines",
    "arena",
    "players",
    "training",
    "search",
    "blending",
    "matching",
    "policies",
    "networks",
    "records",
    "reports",
    "belief",
    "games",
    "entries",
    "workers",
    "data",
    "config",
    "storage",
    "_core",
    "_lazy",
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
