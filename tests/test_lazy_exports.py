"""Packages that export lazily: every name is found, for Python and for type checkers alike."""

from __future__ import annotations

import ast
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import sparring

SOURCE = Path(sparring.__file__).parent
BASE = {"sparring.base", "sparring.base.lazy", "sparring.base.telemetry"}
"""What importing any package of ours imports."""
PACKAGES = sorted(
    ".".join(("sparring", *path.parent.relative_to(SOURCE).parts))
    for path in SOURCE.rglob("__init__.py")
    if "attach(" in path.read_text()
)


def names_for_type_checkers(package: str) -> set[str]:
    """The names that `if TYPE_CHECKING:` imports."""
    path = SOURCE.joinpath(*package.split(".")[1:]) / "__init__.py"
    blocks = [node for node in ast.parse(path.read_text()).body if isinstance(node, ast.If)]
    imports = [each for block in blocks for each in block.body if isinstance(each, ast.ImportFrom)]
    return {alias.asname or alias.name for each in imports for alias in each.names}


@pytest.mark.parametrize("package", PACKAGES)
def test_every_export_is_found(package: str) -> None:
    module = import_module(package)
    for name in module.__all__:
        assert getattr(module, name) is not None
    assert dir(module) == sorted(module.__all__)
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = module.nothing


@pytest.mark.parametrize("package", PACKAGES)
def test_type_checkers_see_the_same_names(package: str) -> None:
    assert names_for_type_checkers(package) == set(import_module(package).__all__)


@pytest.mark.parametrize("package", PACKAGES)
def test_no_export_has_the_name_of_a_module(package: str) -> None:
    """An import of the module would replace the export."""
    folder = SOURCE.joinpath(*package.split(".")[1:])
    modules = {path.stem for path in folder.glob("*.py")} | {path.name for path in folder.iterdir()}
    assert modules & set(import_module(package).__all__) == set()


def test_importing_sparring_imports_neither_numpy_nor_the_core() -> None:
    code = "import sys, sparring; sparring.__version__; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {name for name in done.stdout.split() if name.startswith(("numpy", "sparring"))}
    assert loaded == {
        "sparring",
        "sparring.base",
        "sparring.base.lazy",
        "sparring.base.telemetry",
        "sparring._version",
    }


def test_the_root_has_two_dozen_names_or_so() -> None:
    functions = {"load_game", "load_network", "load_player", "load_policy", "open_records", "play_game"}
    functions |= {"find_problems", "rate_go_problem", "rate_puzzle", "review", "safer_moves"}
    types = {"Decision", "Game", "GameStart", "Move", "Outcome", "Player", "Policy", "Position"}
    types |= {"Prediction", "State", "Turn"}
    play = {"Clock", "GameResult", "GoProblemRating", "PuzzleRating", "Review", "SearchLimits", "TimeControl"}
    errors = {"BadConfig", "BadFile", "CannotWrite", "EngineFailure", "IllegalMove", "MissingExtra"}
    errors |= {"NotFound", "ParseError", "SparringError"}
    assert set(dir(sparring)) == {"__version__", *functions, *types, *play, *errors}


@pytest.mark.parametrize("package", PACKAGES)
def test_importing_the_package_imports_none_of_its_modules(package: str) -> None:
    code = f"import sys, {package}; print(*(name for name in sys.modules if name.startswith('{package}.')))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) <= {
        "sparring.base",
        "sparring.base.lazy",
        "sparring.base.telemetry",
        *PACKAGES,
    }
