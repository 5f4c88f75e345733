"""Commands that are imported when they are invoked: help and `--version` import none of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from sparring.cli.console import checked_command

HELP_OPTIONS: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of every command: -h is --help."""


@dataclass(frozen=True)
class Command:
    """A command of the command line."""

    target: str
    """The function behind it, as `module:function`."""
    summary: str
    """The line of the group's help: the first line of the function's docstring."""


@dataclass(frozen=True)
class Group:
    """A group of commands, such as `sparring arena`."""

    summary: str
    commands: Mapping[str, Command | Group]


class LazyCommand(TyperCommand):
    """The name and the summary of a command whose module is not imported yet."""

    def __init__(self, name: str, command: Command) -> None:
        super().__init__(name, help=command.summary)
        self._command = command

    def load(self) -> Any:
        """The command itself. Imports its module."""
        module, function = self._command.target.split(":")
        app = typer.Typer(add_completion=False)
        command = checked_command(getattr(import_module(module), function))
        app.command(self.name, context_settings=HELP_OPTIONS)(command)
        return get_command(app)


class LazyGroup(TyperGroup):
    """A group that lists commands by their summaries and loads the one that is invoked."""

    def add(self, commands: Mapping[str, Command | Group]) -> LazyGroup:
        """Adds commands and groups, in the order in which help shows them."""
        for name, entry in commands.items():
            if isinstance(entry, Command):
                self.add_command(LazyCommand(name, entry))
            else:
                group = LazyGroup(
                    name=name, help=entry.summary, no_args_is_help=True, context_settings=HELP_OPTIONS
                )
                self.add_command(group.add(entry.commands))
        return self

    def resolve_command(self, ctx: Any, args: list[str]) -> tuple[str | None, Any, list[str]]:
        """Finds the command that the arguments name, and loads it."""
        name, command, rest = super().resolve_command(ctx, args)
        return name, command.load() if isinstance(command, LazyCommand) else command, rest
