"""Errors: one root, few classes."""

from __future__ import annotations

import ast
import builtins
from functools import cache
from pathlib import Path

import pytest

import sparring
from sparring.cli.console import run_app

SOURCE = Path(sparring.__file__).parent
MOST = 18
CONTROL_FLOW = {"EndOfInput", "LeftGame", "FlagFell", "Stopped"}
"""Exceptions that no caller outside sees: they end a loop of the terminal, or the planner's evaluation."""


@cache
def exception_classes() -> dict[str, set[str]]:
    """The bases of every exception class of the package, by its name."""
    classes: dict[str, set[str]] = {}
    for path in (*SOURCE.rglob("*.py"), SOURCE / "_core.pyi"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef):
                classes[node.name] = {ast.unparse(base).rpartition(".")[2] for base in node.bases}

    def is_exception(name: str) -> bool:
        builtin = getattr(builtins, name, None)
        if isinstance(builtin, type) and issubclass(builtin, BaseException):
            return True
        return any(is_exception(base) for base in classes.get(name, ()))

    return {name: bases for name, bases in classes.items() if is_exception(name)}


def test_every_exception_derives_from_the_root() -> None:
    classes = exception_classes()

    def is_rooted(name: str) -> bool:
        return name == "SparringError" or any(is_rooted(base) for base in classes.get(name, ()))

    assert {name for name in classes if not is_rooted(name)} == CONTROL_FLOW


def test_there_are_few_exception_classes() -> None:
    classes = exception_classes().keys() - CONTROL_FLOW
    assert len(classes) <= MOST, sorted(classes)


def test_the_native_errors_derive_from_the_root_and_from_value_error() -> None:
    chess = sparring.load_game("chess")
    with pytest.raises(sparring.SparringError, match="nonsense"):
        chess.parse("nonsense")
    with pytest.raises(ValueError, match="illegal"):
        chess.play(chess.initial(), 0)
    assert issubclass(sparring.ParseError, sparring.SparringError)
    assert issubclass(sparring.IllegalMove, sparring.SparringError)


@pytest.mark.parametrize("error", [sparring.BadFile("x is broken"), sparring.NotFound("no y"), OSError("z")])
def test_the_command_line_prints_an_error_of_any_kind_as_one_line(
    error: Exception, capsys: pytest.CaptureFixture[str]
) -> None:
    def command(**_: object) -> None:
        raise error

    with pytest.raises(SystemExit, match="2"):
        run_app(command, "sparring", [])
    assert capsys.readouterr().err == f"sparring: {error}\n"
