"""The command `sparring`. Only the module of the command that is invoked is imported."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import typer
from typer.main import get_command

from sparring.cli.commands import HELP_OPTIONS, LazyGroup, all_commands
from sparring.cli.console import run_app


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line, by default that of the process.

    An error that a user can make prints one line to standard error and exits with a non-zero status.
    """
    app = typer.Typer(
        cls=LazyGroup, add_completion=False, no_args_is_help=True, context_settings=HELP_OPTIONS
    )
    app.callback()(about)
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    run_app(group.add(all_commands()), "sparring", arguments)


def _print_version(wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        print(f"sparring {version('sparring')}")
        raise typer.Exit


def about(
    show_version: Annotated[
        bool,
        typer.Option("--version", "-V", callback=_print_version, is_eager=True, help="Print the version."),
    ] = False,
) -> None:
    """The opponent you want to play."""
