"""Lists the tests that need no more than the wheel and pytest: `make test-wheel` runs them without extras.

A file is listed if every module that it imports at its top, and those of its own test modules, can be found,
and those of Sparring be imported.
"""

from __future__ import annotations

import ast
import importlib.util
import pkgutil
from functools import cache
from pathlib import Path

from sparring.base.errors import MissingExtra

ROOT = Path(__file__).parents[2]
FOLDERS = ("server", "cli", "engines", "records", "play", "players", "games", "policies", "conformance")

EXTRAS = {
    "onnx": (
        "tests/cli/test_rbc_explain.py::test_a_bad_network_is_named",
        "tests/engines/test_engine_streams.py::test_endless_files_are_refused",
        "tests/engines/test_uci.py::test_each_line_of_a_policy_has_the_score_of_its_own_move",
        "tests/engines/test_uci.py::test_names_of_options_ignore_case_and_values_may_have_spaces",
        "tests/engines/test_uci.py::test_a_rating_for_an_unconditioned_network_is_reported_and_ignored",
    ),
    "torch": (
        "tests/games/test_breakthrough_end_to_end.py",
        "tests/cli/test_train_rbc.py",
        "tests/cli/test_folder_locks.py::test_a_second_writer_of_a_folder_is_refused[evaluator]",
        "tests/cli/test_expendibots_commands.py::test_a_network_is_trained_from_the_command_line",
        "tests/cli/test_expendibots_commands.py::test_mistakes_end_in_one_line",
    ),
    "pyarrow": (
        "tests/cli/test_missing_extras.py::test_the_extra_is_named[matplotlib-plots",
        "tests/cli/test_missing_extras.py::test_the_extra_is_named[pyarrow-records",
        "tests/cli/test_folder_locks.py::test_a_second_writer_of_a_folder_is_refused[records]",
        "tests/cli/test_folder_locks.py::test_a_second_writer_of_a_folder_is_refused[matching]",
        "tests/cli/test_output_streams.py::test_output_that_is_not_utf_8_has_escapes",
        "tests/cli/test_output_streams.py::test_a_full_output_is_one_line",
    ),
    "zstandard": (
        "tests/cli/test_folder_locks.py::test_a_second_writer_of_a_folder_is_refused[generation]",
        "tests/cli/test_rbc_bots_commands.py::test_games_are_generated_and_the_same_command_adds_nothing",
    ),
    "matplotlib": (
        "tests/cli/test_measure.py::test_a_report_is_written",
        "tests/cli/test_treestrap_command.py::test_a_run_leaves_weights_statistics_and_figures",
        "tests/records/test_table.py::test_the_commands_build_count_list_and_export",
    ),
}
"""Tests that use an extra when they run, by its module."""


def pytest_arguments() -> list[str]:
    """The files, relative to the repository, and the tests of them that need a missing extra."""
    without = [test for module, tests in EXTRAS.items() if not _can_be_imported(module) for test in tests]
    return [*_files(), *(f"--deselect={test}" for test in without)]


def _files() -> list[str]:
    paths = [path for folder in FOLDERS for path in sorted((ROOT / "tests" / folder).rglob("test_*.py"))]
    return [str(path.relative_to(ROOT)) for path in paths if _runs(path)]


@cache
def _runs(path: Path) -> bool:
    return all(_can_be_imported(name) for name in _imported(path))


def _imported(path: Path) -> set[str]:
    """The modules, and the names of Sparring's modules, that a file imports at its top."""
    names = set()
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module)
            if node.module.partition(".")[0] == "sparring":
                names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


@cache
def _needs_no_extra(name: str) -> bool:
    """Whether a module of Sparring's, or a name in it, can be imported without extras."""
    try:
        pkgutil.resolve_name(name)
    except (AttributeError, ImportError, MissingExtra):  # a module that failed is no attribute
        return False
    return True


def _can_be_imported(name: str) -> bool:
    package = name.partition(".")[0]
    if package == "sparring":
        return _needs_no_extra(name)
    if package not in ("tests", "bench", "studies"):
        return importlib.util.find_spec(package) is not None
    path = ROOT / Path(*name.split("."))
    if path.is_dir():
        return True
    return path.with_suffix(".py").exists() and _runs(path.with_suffix(".py"))


if __name__ == "__main__":
    print(" ".join(pytest_arguments()))
