"""The command `sparring` and its commands: names, functions and summaries. Games add their own.

The module of a command is imported when it is invoked: help and `--version` import none of them.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup
from typer.main import get_command

from sparring.cli.console import checked_command, run_app
from sparring.games import GAMES

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


def _own(target: str, summary: str) -> Command:
    """A command of this package; the target is `module:function`."""
    return Command(f"sparring.cli.{target}", summary)


_GENERAL: dict[str, Command | Group] = {
    "serve": _own("serve:serve", "Open the page to play on."),
    "browser": _own("browser:browser", "Write the browser edition: a folder of static files."),
    "backup": _own("backup:backup", "Write your data folder to one file."),
    "restore": _own("backup:restore", "Bring a data folder back from a backup."),
    "play": _own("play:play", "Play a game in the terminal."),
    "predict": _own("predict:predict", "Predict the moves that people of a rating would play."),
    "safer": _own("safer:safer", "Show the move that scores best among people of a rating."),
    "review": _own("review:review", "Review a game: marks, better moves, and what people play."),
    "games": _own("inspect:games", "List the games and their rule options."),
    "engine": Group(
        "Run a player as an engine for a GUI: UCI for chess, USI for shogi, GTP for Go.",
        {"install": _own("install:install_levels", "Write launchers of levels for a GUI.")},
    ),
    "models": Group(
        "Add, list and remove networks.",
        {
            "add": _own("inspect:add", "Check a network file, convert it and store it."),
            "list": _own("inspect:list_models", "List the shipped and the added networks."),
            "info": _own("inspect:info", "Show the model card of a network."),
            "remove": _own("inspect:remove", "Remove an added network."),
        },
    ),
    "problems": Group(
        "Rate problems, and find them in games.",
        {"rate": _own("problems:rate", "Predict how hard problems of chess or Go are.")},
    ),
    "records": Group(
        "Build and read tables of games.",
        {
            "build": _own("records:build", "Parse game files and pack the games into a table."),
            "stats": _own("records:stats", "Count games and positions by rating, speed and result."),
            "export": _own("records:export", "Write games of a table in the notation of their game."),
            "list": _own("records:list_games", "List the first games of a table with their ids."),
            "verify": _own(
                "records:verify", "Compare the files of a table with the checksums in its manifest."
            ),
        },
    ),
    "measure": Group(
        "Measure policies on people's moves, and the strength of players.",
        {
            "matching": _own("measure:matching", "Measure accuracy, likelihood and calibration by group."),
            "mistakes": _own(
                "measure:mistakes", "Measure what moves give away, by group: loss, mistakes, blunders."
            ),
            "level": _own("measure:level", "Estimate the rating of a player from its moves."),
            "person": _own(
                "measure:measure_person", "Measure people's models on games that they did not see."
            ),
        },
    ),
    "report": _own("inspect:report", "Render a measurement's report as an HTML page."),
    "blend": Group(
        "Fit pools of policies to people's moves.",
        {"fit": _own("blend:fit_blend", "Fit pool weights to people's moves and write a policy file.")},
    ),
    "train": Group(
        "Train networks and evaluations.",
        {
            "people": _own("train:people", "Train a policy network on people's games."),
            "student": _own("train:student", "Train a policy network on games that its teachers play."),
            "selfplay": _own("train:selfplay", "Train a strong network by self-play, from the rules alone."),
            "person": _own("train:person", "Make a player that plays like one person, from their games."),
            "treestrap": _own("train:treestrap", "Train a linear evaluation by search and self-play."),
            "descent": _own("train:descent", "Train a value network by best-first minimax (Descent)."),
        },
    ),
    "tune": Group(
        "Tune a search to people's moves.",
        {"levels": _own("tune:levels", "Tune a search to classes of players and write a level table.")},
    ),
    "arena": Group(
        "Run tournaments and rate players.",
        {
            "run": _own("arena:run", "Play a tournament, or resume it."),
            "rate": _own("arena:rate", "Compute ratings with 95 % intervals from tournament results."),
            "sprt": _own("arena:sprt", "Test whether one of two players is stronger (SPRT)."),
        },
    ),
    "calibrate": _own("calibrate:calibrate", "Measure the levels of a table against anchors, or resume."),
    "perft": _own("inspect:perft", "Count the move sequences of a given length (perft)."),
}


def all_commands() -> dict[str, Command | Group]:
    """The general commands and those of the games (`GameDescription.commands`). A group that both have gets
    the commands of both."""
    commands = dict(_GENERAL)
    for game in GAMES.values():
        for name, entry in (game.commands() if game.commands else {}).items():
            existing = commands.get(name)
            if isinstance(existing, Group) and isinstance(entry, Group):
                entry = Group(existing.summary, {**existing.commands, **entry.commands})
            commands[name] = entry
    return commands


def main(arguments: Sequence[str] | None = None) -> None:
    """Runs a command line, by default that of the process.

    An error that a user can make prints one line to standard error and exits with a non-zero status. The
    games' commands are listed unless a general one is invoked.
    """
    app = typer.Typer(
        cls=LazyGroup, add_completion=False, no_args_is_help=True, context_settings=HELP_OPTIONS
    )
    app.callback()(about)
    group = get_command(app)
    assert isinstance(group, LazyGroup)
    name = next(iter(sys.argv[1:] if arguments is None else arguments), "")
    general = _GENERAL.get(name)
    commands = {name: general} if isinstance(general, Command) else all_commands()
    run_app(group.add(commands), "sparring", arguments)


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
