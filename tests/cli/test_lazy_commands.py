"""The command line imports only what a command needs."""

from __future__ import annotations

import inspect
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module

import pytest

from sparring.cli import commands, main
from sparring.cli.commands import Command, Group, all_commands
from sparring.games import GAMES

HEAVY = ("matplotlib", "onnxruntime", "pyarrow", "ray", "torch")
IMPORTS = f"""
import os, sys
from sparring.cli import main

def leave(code):
    print("heavy:", [name for name in {HEAVY} if name in sys.modules], file=sys.stderr, flush=True)
    kill(code)

kill, os._exit = os._exit, leave  # engines leave by os._exit
try:
    main(sys.argv[1:])
finally:
    leave(0)
"""


def every_command(commands: dict[str, Command | Group], path: str = "") -> Iterator[tuple[str, Command]]:
    for name, entry in commands.items():
        words = f"{path} {name}".strip()
        if isinstance(entry, Command):
            yield words, entry
        else:
            yield from every_command(dict(entry.commands), words)


EVERY = dict(every_command(all_commands()))


@pytest.mark.parametrize("arguments", ["--version", "--help", "arena --help", "play --help", "perft --help"])
def test_help_imports_no_heavy_library(arguments: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, *arguments.split()], capture_output=True, text=True, check=True
    )
    assert done.stderr.splitlines()[-1] == "heavy: []"


@pytest.mark.parametrize(("protocol", "asked"), [("uci", "uci"), ("usi", "usi"), ("gtp", "name")])
def test_an_engine_introduces_itself_without_heavy_libraries(protocol: str, asked: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", IMPORTS, "engine", protocol],
        input=f"{asked}\nquit\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert {"uci": "uciok", "usi": "usiok", "gtp": "= "}[protocol] in done.stdout
    assert done.stderr.splitlines()[-1] == "heavy: []"


def test_a_general_command_lists_no_games_commands(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(commands, "all_commands", lambda: pytest.fail("the games' commands were listed"))
    main(["perft", "chess", "1"])
    assert "20" in capsys.readouterr().out


def test_a_game_replaces_no_general_command() -> None:
    """A general one would be found first when it is invoked, but not in the help."""
    general = {name for name, entry in commands._GENERAL.items() if isinstance(entry, Command)}
    for game in GAMES.values():
        assert not general & set(game.commands() if game.commands else ()), game.name


def test_no_command_imports_heavy_libraries_before_it_runs() -> None:
    modules = sorted({command.target.partition(":")[0] for command in EVERY.values()})
    code = f"import sys, {', '.join(modules)}; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_the_version_imports_no_command() -> None:
    code = "import sys; from sparring.cli import main\ntry: main(['--version'])\nfinally: print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "numpy" not in done.stdout.split()
    assert "sparring._core" not in done.stdout.split()


@pytest.mark.parametrize("name", EVERY)
def test_a_summary_is_the_first_line_of_the_docstring(name: str) -> None:
    module, function = EVERY[name].target.split(":")
    doc = inspect.getdoc(getattr(import_module(module), function))
    assert doc is not None
    assert doc.splitlines()[0] == EVERY[name].summary


def test_summaries_fit_a_line_of_help() -> None:
    assert [each.summary for each in EVERY.values() if len(each.summary) > 66] == []
