"""Command-line arguments for games, positions and policies."""

from __future__ import annotations

import dataclasses
import re
import sys
import types
import typing
from collections.abc import Iterable
from pathlib import Path
from typing import Annotated, Any, TypeAlias

import typer

from sparring.base.config import show_value
from sparring.base.errors import UserError, unknown_word
from sparring.base.provenance import portable_command
from sparring.games import GAMES, Game, RatingSystem, describe, load_game
from sparring.networks.network import BACKENDS
from sparring.policies import Policy, policy_name, rating_out_of_range
from sparring.records import Split


def check_game(name: str) -> str:
    """The name of a game. Raises BadConfig for another."""
    if name not in GAMES:
        raise unknown_word("game", name, GAMES)
    return name


def check_records(paths: list[Path]) -> None:
    """Raises UserError for a path that does not exist."""
    for path in paths:
        if not path.exists():
            raise UserError(f"no such table or file: {path}")


def check_choice(what: str, value: str, choices: Iterable[str]) -> None:
    """Raises UserError for a value that is not one of the choices."""
    if value not in choices:
        raise UserError(f"unknown {what} '{value}'; there are {', '.join(choices)}")


def chosen_split(name: str) -> Split | None:
    """The split of a value of --split; None for all. Raises UserError."""
    check_choice("split", name, SPLITS)
    return None if name == "all" else Split(name)


def whole_numbers(text: str, separator: str = ",") -> list[int]:
    """The numbers of a list such as 800,1000. Raises UserError."""
    try:
        return [int(part) for part in text.split(separator) if part.strip()]
    except ValueError:
        raise UserError(f"'{text}': expected whole numbers, such as 1250{separator}1650") from None


SPLITS = (*map(str, Split), "all")
"""Values of --split."""
GameName: TypeAlias = Annotated[
    str, typer.Argument(metavar="GAME", help=f"One of {', '.join(GAMES)}.", callback=check_game)
]
AsJson: TypeAlias = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Records: TypeAlias = Annotated[
    list[Path],
    typer.Option("--records", "-r", help="Folder of a table (`sparring records build`), or a game file."),
]
SplitName: TypeAlias = Annotated[str, typer.Option(help=f"Which games: {', '.join(SPLITS)}.")]
Trial: TypeAlias = Annotated[int, typer.Option(min=0, help="Seed of the split.")]
GroupPositions: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Maximum number of positions per group.")
]
Every: TypeAlias = Annotated[
    int, typer.Option(min=1, help="Take one position in so many of each game: more games.")
]
Groups: TypeAlias = Annotated[list[str] | None, typer.Option(help="Only these groups, such as 1100 or 6d.")]
Backend: TypeAlias = Annotated[str, typer.Option(help=f"Runtime of the networks: {', '.join(BACKENDS)}.")]
SessionThreads: TypeAlias = Annotated[int, typer.Option(min=1, help="Threads of each network.")]
Device: TypeAlias = Annotated[str, typer.Option(help="cpu, cuda or cuda:1 (default: the fastest available).")]
Steps: TypeAlias = Annotated[
    int | None, typer.Option(min=1, help="Training steps; overrides the configuration.")
]
TrainingSeed: TypeAlias = Annotated[
    int | None, typer.Option(min=0, help="Seed; overrides the configuration.")
]
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
    check_game(name)
    try:
        return load_game(name, **dict(_parse_option(name, option) for option in options or []))
    except ValueError as error:
        raise UserError(f"{name}: {error}") from None


def choose_state(game: Game[Any], position: str | None) -> Any:
    """The state of a position text; the initial state if there is none. Raises ParseError."""
    return game.initial() if position is None else game.parse(position)


def named_policies(texts: list[str]) -> list[tuple[str, str]]:
    """(name, source) of each policy, from NAME=SOURCE or a source alone. Raises UserError."""
    sources: dict[str, str] = {}
    for text in texts:
        given, source = name_and_source(text)
        name = given or policy_name(source)
        if not _NAME.fullmatch(name):
            raise UserError(f"'{name}' is not a valid policy name: use letters, digits, spaces, . + - and _")
        if name in sources:
            raise UserError(f"two policies are called {name}; write NAME=FILE to tell them apart")
        sources[name] = source
    return list(sources.items())


def name_and_source(text: str) -> tuple[str, str]:
    """(name, source) of NAME=SOURCE; the name is empty for a source alone or an existing file."""
    name, equals, source = text.partition("=")
    return ("", text) if not equals or Path(text).is_file() else (name, source)


def command_line() -> str:
    """`sparring ...` as typed, without folders of this machine (`portable_command`), for reports."""
    return portable_command(["sparring", *sys.argv[1:]])


def option_texts(name: str) -> list[str]:
    """The rule options of a game with their defaults, such as size=19."""
    usual = describe(name).rules()
    return [f"{field.name}={_written(getattr(usual, field.name))}" for field in dataclasses.fields(usual)]


def _written(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _parse_option(name: str, text: str) -> tuple[str, object]:
    key, equals, value = text.partition("=")
    kinds = typing.get_type_hints(describe(name).rules)
    names = describe(name).option_names()
    if not equals or key not in names:
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


# Ratings and ranks on the command line, by the game's rating system.


_VOWEL = re.compile(r"8|1[18](?:\d\d)?(?!\d)")
"""Numbers that begin with a vowel when they are read aloud: eight, eleven hundred, eighteen."""
_INTEGER = re.compile(r"-?[0-9]{1,100}")


def parse_rating(game: str, rating: object, rank: object, whose: str = "") -> int | None:
    """The number of a rating or rank, as `Position` takes it; None where neither is given.

    `check_rating_range` checks it against the range of a policy. `whose` stands before the word in
    messages, such as "opponent ". Raises UserError.
    """
    system = describe(game).ratings
    _check_word(game, system, rating, rank, whose)
    value = rating if rank is None else rank
    return None if value is None else _number(system, value, whose)


def parse_ratings(game: str, ratings: str | None, ranks: str | None) -> list[int]:
    """The numbers of a comma-separated list, each once. Raises UserError."""
    system = describe(game).ratings
    _check_word(game, system, ratings, ranks, "")
    texts = [text.strip() for text in (ratings or ranks or "").split(",")]
    is_number = system.word == "rating"
    return list(
        dict.fromkeys(
            _number(system, int(text) if is_number and _INTEGER.fullmatch(text) else text, "")
            for text in texts
        )
    )


def check_rating_range(policy: Policy, *ratings: int | None) -> None:
    """Raises UserError for a rating outside the policy's range, or outside the game's if it has none."""
    system = describe(policy.game).ratings
    if complaint := rating_out_of_range(policy, *ratings):
        raise UserError(complaint)
    for number in ratings:
        if number is not None and not system.lowest <= number <= system.highest:
            span = f"from {system.lowest} to {system.highest}"
            raise UserError(f"{policy.name}: a {system.word} is {span}, not {show_value(number)}")


def with_article(rating: str) -> str:
    """A rating or rank with its article: a 1500, an 800, an 1100, an 18k."""
    return f"an {rating}" if _VOWEL.match(rating) else f"a {rating}"


def _check_word(game: str, system: RatingSystem, rating: object, rank: object, whose: str) -> None:
    given = {"rating": rating, "rank": rank}
    other = "rank" if system.word == "rating" else "rating"
    if given[other] is not None:
        raise UserError(
            f"{game} uses {system.word}s: give a {whose}{system.word}, such as {system.example}, "
            f"and no {whose}{other}"
        )


def _number(system: RatingSystem, value: object, whose: str) -> int:
    """The number of a rating of any size, or of a rank. Raises UserError."""
    if system.word == "rating":
        if isinstance(value, int) and not isinstance(value, bool):
            return value
        raise UserError(
            f"{whose}rating {show_value(value)}: expected a whole number, such as {system.example}"
        )
    if (number := system.number(value)) is not None:
        return number
    raise UserError(f"{whose}rank {show_value(value)}: expected a rank such as {system.example}")
