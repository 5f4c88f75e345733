"""Command-line arguments for games, positions and policies."""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sparring.cli.errors import UserError
from sparring.games import GAMES, Game, load_game
from sparring.policies import policy_name
from sparring.reports.command import portable_command

GameName: TypeAlias = Annotated[str, typer.Argument(metavar="GAME", help=f"One of {', '.join(GAMES)}.")]
Options: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        "--option", "-o", metavar="NAME=VALUE", help="A rule of the game, such as -o size=9 for go."
    ),
]
PositionText: TypeAlias = Annotated[
    str | None,
    typer.Option("--position", metavar="TEXT", help="Where to begin: FEN, SFEN or the game's own text."),
]
_NAME = re.compile(r"\w[\w.+ -]{0,99}")


def choose_game(name: str, options: list[str] | None) -> Game[Any]:
    """The game with its rule options. Raises UserError."""
    if name not in GAMES:
        raise UserError(f"unknown game '{name}'; there are {', '.join(GAMES)}")
    try:
        return load_game(name, **dict(_parse_option(name, option) for option in options or []))
    except ValueError as error:
        raise UserError(f"{name}: {error}") from None


def choose_state(game: Game[Any], position: str | None) -> Any:
    """The state of a position text; the initial state if there is none. Raises ParseError."""
    return game.initial() if position is None else game.parse(position)


def named_policies(texts: list[str]) -> list[tuple[str, str]]:
    """(name, source) of each policy, from NAME=SOURCE or a source alone. Raises UserError."""
    found: dict[str, str] = {}
    for text in texts:
        given, source = name_and_source(text)
        name = given or policy_name(source)
        if not _NAME.fullmatch(name):
            raise UserError(f"'{name}' is not a valid policy name: use letters, digits, spaces, . + - and _")
        if name in found:
            raise UserError(f"two policies are called {name}; write NAME=FILE to tell them apart")
        found[name] = source
    return list(found.items())


def name_and_source(text: str) -> tuple[str, str]:
    """(name, source) of NAME=SOURCE; the name is empty for a source alone or an existing file."""
    name, equals, source = text.partition("=")
    return ("", text) if not equals or Path(text).is_file() else (name, source)


def command_line() -> str:
    """`sparring ...` as typed, without folders of this machine (`portable_command`), for reports."""
    return portable_command(["sparring", *sys.argv[1:]])


def option_texts(name: str) -> list[str]:
    """The rule options of a game with their defaults, such as size=19."""
    usual = GAMES[name]()
    return [f"{field.name}={_written(getattr(usual, field.name))}" for field in dataclasses.fields(usual)]


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_option(name: str, text: str) -> tuple[str, object]:
    key, equals, value = text.partition("=")
    kinds = typing.get_type_hints(GAMES[name])
    known = [field.name for field in dataclasses.fields(GAMES[name])]
    if not equals or key not in known:
        raise UserError(f"{name} has no option '{text}'; it has {', '.join(option_texts(name)) or 'none'}")
    kind = kinds[key]
    if typing.get_origin(kind) is types.UnionType:  # a number, or None for the usual one
        kind = typing.get_args(kind)[0]
    if typing.get_origin(kind) is typing.Literal:
        if value not in typing.get_args(kind):
            raise UserError(f"{name}: {key} is one of {', '.join(typing.get_args(kind))}, not '{value}'")
        return key, value
    if kind is bool:
        if value not in ("true", "false"):
            raise UserError(f"{name}: {key} is true or false, not '{value}'")
        return key, value == "true"
    try:
        return key, kind(value)
    except ValueError:
        raise UserError(f"{name}: {key} is a number, not '{value}'") from None
