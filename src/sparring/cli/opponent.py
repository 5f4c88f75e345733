"""The opponent that the options of `sparring play` ask for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sparring.cli.errors import UserError
from sparring.cli.game_file import expand_user
from sparring.cli.ratings import check_rating_range
from sparring.config import BadConfig
from sparring.games import Game, describe
from sparring.players import (
    DEFAULT_RATING,
    LOAD_ERRORS,
    STRENGTHS,
    BadPlayer,
    BadPlayerConfig,
    Player,
    PlayerConfig,
    default_player_config,
    load_player,
    make_player,
    open_player,
)
from sparring.players.levels import level_keys, level_of_rating, read_level_table
from sparring.players.persons import UnknownPerson, find_person
from sparring.policies import load_policy, unrated

DEFAULT_STRENGTH = 5
_REPERTOIRE_PLIES = 200
"""A repertoire is played as far as it goes."""


@dataclass(frozen=True)
class OpponentOptions:
    """Options of an opponent that plays like people; None if not given."""

    level: int | None
    rating: int | None
    my_rating: int | None
    model: str | None
    temperature: float | None
    repertoire: Path | None = None
    adapt: bool | None = None
    levels: Path | None = None

    def __bool__(self) -> bool:
        return any(each is not None for each in vars(self).values())


def find_player_of_person(name: str, game: str) -> Path:
    """The player's file of a person. Raises UserError."""
    try:
        return find_person(name, game).path
    except UnknownPerson as error:
        raise UserError(str(error)) from None


def load_opponent(source: str | Path, game: str, **overrides: Any) -> Player:
    """The player of a bot's name or of a file. Raises UserError."""
    try:
        return load_player(source, game, **overrides)
    except BadPlayer as error:
        raise UserError(str(error)) from None


def choose_strength(rules: Game[Any], strength: int | None, options: OpponentOptions) -> int | None:
    """The strength of the small search player; None for one that plays like people. Raises UserError."""
    game = rules.spec.name
    if strength is not None:
        if options:
            raise UserError(
                "--strength is for the small search player: it has no level, rating, model, temperature or "
                "repertoire"
            )
        return strength
    if rules.spec.hidden and options:
        raise UserError(
            f"policies do not play {game}, a game of hidden information: choose a --strength or a --bot"
        )
    if game in DEFAULT_RATING or options.model is not None:
        return None
    if options:
        raise UserError(f"there is no network of people's moves for {game}: choose a --strength or a --model")
    return DEFAULT_STRENGTH


def choose_player(
    game: str, options: OpponentOptions, file: Path | None, seed: int | None, *, instant: bool
) -> Player:
    """The player of a file, or of a policy at a rating in its range. Raises UserError."""
    if file is not None:
        return load_opponent(file, game, **({} if seed is None else {"seed": seed}))
    keys = _level_keys(game, _level_of(game, options), options.levels)
    model = options.model or keys.get("model", PlayerConfig.model)
    try:
        policy = load_policy(model, game)
    except LOAD_ERRORS as error:
        raise UserError(str(error)) from None
    rating = keys.get("rating", DEFAULT_RATING.get(game)) if options.rating is None else options.rating
    if complaint := unrated(policy):
        if options.rating is not None or options.my_rating is not None:
            raise UserError(f"{complaint} in {game}: give no {describe(game).ratings.word}")
        rating = None
    check_rating_range(policy, options.rating)
    check_rating_range(policy, options.my_rating, whose="my ")
    given: dict[str, Any] = {"model": model, "rating": rating, "opponent_rating": options.my_rating}
    if options.temperature is not None:
        given["temperature"] = options.temperature
    if options.repertoire is not None:
        given |= {"book": str(expand_user(options.repertoire)), "book_plies": _REPERTOIRE_PLIES}
    given["think_time"] = "none" if instant else "human"
    config = default_player_config(game, **{**keys, **given, "seed": seed})
    try:
        return open_player(replace(config, adapt=True)) if options.adapt else make_player(config, policy)
    except LOAD_ERRORS as error:
        raise UserError(str(error)) from None


def _level_of(game: str, options: OpponentOptions) -> int | None:
    """The level that was asked for, else that of the rating's number: a rating alone plays as strongly as it
    says. None if the game has no such level, or if a model, a temperature or results say how to play."""
    given = (options.level, options.model, options.temperature)
    if options.adapt or any(each is not None for each in given):
        return options.level
    return level_of_rating(game, DEFAULT_RATING.get(game) if options.rating is None else options.rating)


def parse_level(text: str | None) -> int | None:
    """The number of a level; None if none is given. Raises UserError."""
    if text is None:
        return None
    try:
        return int(text)
    except ValueError:
        raise UserError(f"--level {text}: expected a number such as 1500, or adapt") from None


def _level_keys(game: str, level: int | None, table: Path | None) -> Mapping[str, Any]:
    """The keys of the player of a level, by a level table's file or the shipped one; none without a level.
    Raises UserError."""
    if level is None:
        return {}
    try:
        return (
            level_keys(game, level) if table is None else keys_of_level_file(game, level, expand_user(table))
        )
    except BadPlayerConfig as error:
        hint = "; a small search player is --strength 1 to 9" if level in STRENGTHS else ""
        raise UserError(f"{error}{hint}") from None


def keys_of_level_file(game: str, level: int, file: Path) -> Mapping[str, Any]:
    """The keys of the player of a level, by a level table's file; its policies may be files beside it.
    Raises UserError."""
    try:
        table = read_level_table(file)
    except BadConfig as error:
        raise UserError(str(error)) from None
    if table.game != game:
        raise UserError(f"{file} has levels of {table.game}, not of {game}")
    keys = table.keys(level)
    beside = file.parent / keys["model"]
    return keys | ({"model": str(beside)} if beside.is_file() else {})
