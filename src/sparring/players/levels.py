"""Levels: how strong an opponent is. A level table says which player of ours has which measured strength."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal

import numpy as np
from msgspec import Meta

from sparring import data
from sparring._core import PuctConfig
from sparring.base.config import (
    Count,
    Fraction,
    NonNegative,
    PositiveInt,
    Source,
    bad_value,
    from_table,
    is_file,
    native_option,
    read_config,
    read_toml,
)
from sparring.base.errors import BadConfig
from sparring.games import GAMES, describe
from sparring.players.player_config import PlayerConfig, StrengthScale

LEVEL_KEYS = (
    "rating", "temperature", "nodes", "c_puct", "policy_temperature", "unvisited_share", "rule", "reuse_tree"
)  # fmt: skip
"""The keys of a player that its level sets, besides the model."""
_OWN_STRENGTH = frozenset({"model", "temperature", "nodes"})
"""Keys that set a player's strength: with one of them a rating is only the style."""


@dataclass(frozen=True)
class Level:
    """A row of a level table: what a level sets, and the strength that was measured there."""

    level: int
    """Strength on the table's scale."""
    rating: int | None = None
    """Rating that the policy is conditioned on; in Go 1 for 1d and -1 for 1k."""
    temperature: Annotated[float, Meta(ge=0, le=1000)] = 1.0
    """Temperature of the choice of a move."""
    nodes: Count = 0
    """Nodes of the search; 0 plays from the policy without search."""
    cpuct: NonNegative = PlayerConfig.c_puct
    """Exploration constant of PUCT."""
    policy_temperature: float = native_option(PuctConfig, "policy_temperature")
    unvisited_share: Fraction = PlayerConfig.unvisited_share
    """Probability of a move that the search did not visit, for `rule = "visits"`."""
    measured: float | None = None
    """Measured rating, by `sparring calibrate`."""
    interval: tuple[float, float] | None = None
    """95 % interval of `measured`."""
    games: PositiveInt | None = None
    """Games behind `measured`."""
    policy: str = ""
    """Policy of this level; without it, the table's. A level between two rows has that of the lower."""
    loss: float | None = None
    """Loss a move, as its settings were solved for: Go: points; chess: expected score."""
    people: float | None = None
    """Loss a move of people of its rank or rating."""
    people_interval: tuple[float, float] | None = None
    """95 % interval of `people`."""
    extrapolated: bool = False
    """Whether `loss` is that of people by the trend of other ranks."""


@dataclass(frozen=True)
class LevelTable:
    """The keys of a level table. Between its rows keys are linear in the level; nodes are geometric."""

    game: str
    """Name of the game."""
    levels: tuple[Level, ...]
    """`[[levels]]`, in ascending order."""
    policy: str = PlayerConfig.model
    """Policy of all levels that do not name another."""
    rule: Literal["visits", "regularised", "kl"] = PlayerConfig.rule
    """Choice of a move after a search, as in a player's file."""
    family: str = ""
    """Family of the anchors on whose scale the levels are; for people's scale, their site and speed."""
    scale: StrengthScale = "engine"
    """`people` if a level errs as people of that rating do, `engine` if it was measured against engines."""
    default: int | None = None
    """Level of the default opponent; without it, that of the middle row."""

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES)}")
        if not self.levels:
            raise ValueError("at least one [[levels]] is needed")
        numbers = [row.level for row in self.levels]
        if any(low >= high for low, high in itertools.pairwise(numbers)):
            raise ValueError("[[levels]] must be in ascending order")
        if len({row.rating is None for row in self.levels}) > 1:
            raise ValueError("either all [[levels]] have a rating or none")

    @property
    def default_level(self) -> int:
        """The level of the default opponent."""
        return self.levels[len(self.levels) // 2].level if self.default is None else self.default

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest level."""
        return self.levels[0].level, self.levels[-1].level

    def row(self, level: int) -> Level:
        """The row of a level; `measured` only if the table has this row. Raises BadConfig."""
        low, high = self.range
        if not low <= level <= high:
            raise BadConfig(f"level = {level}: the levels of {self.game} are {low} to {high}")
        for row in self.levels:
            if row.level == level:
                return row
        numbers = [row.level for row in self.levels]

        def between(value: Callable[[Level], float]) -> float:
            return float(np.interp(level, numbers, [value(row) for row in self.levels]))

        rating = None
        if self.levels[0].rating is not None:
            rating = round(between(lambda row: row.rating or 0))
            if rating == 0 and describe(self.game).ratings.word == "rank":
                rating = 1  # there is no rank 0 between 1k and 1d
        nodes = math.exp(between(lambda row: math.log(max(row.nodes, 1))))
        return Level(
            level,
            rating,
            round(between(lambda row: row.temperature), 3),
            round(nodes) if nodes >= 1.5 else 0,  # a search of one node plays from the policy too
            round(between(lambda row: row.cpuct), 3),
            round(between(lambda row: row.policy_temperature), 3),
            round(between(lambda row: row.unvisited_share), 4),
            policy=[row.policy for row in self.levels if row.level < level][-1],
        )

    def estimate(self, level: int) -> tuple[float, tuple[float, float]] | None:
        """The rating of a level and its 95 % interval, between the measured rows on both sides; None outside
        of them."""
        known = [
            (row.level, row.measured, *row.interval)
            for row in self.levels
            if row.measured is not None and row.interval is not None
        ]
        if (values := _between(level, known)) is None:
            return None
        rating, low, high = (round(value, 1) for value in values)
        return rating, (low, high)

    def people_loss(self, level: int) -> tuple[float, float, tuple[float, float]] | None:
        """Loss a move of a level, that of people of its rating, and its 95 % interval, between the measured
        rows on both sides; None outside of them."""
        known = [
            (row.level, row.loss, row.people, *row.people_interval)
            for row in self.levels
            if row.loss is not None and row.people is not None and row.people_interval is not None
        ]
        if (values := _between(level, known)) is None:
            return None
        loss, people, low, high = (round(value, 4) for value in values)
        return loss, people, (low, high)

    def at(self, level: int, **keys: Any) -> PlayerConfig:
        """The player of a level, with `keys` in place of its own. Raises BadConfig."""
        return PlayerConfig(self.game, **{**self.keys(level), **keys})

    def keys(self, level: int) -> dict[str, Any]:
        """The keys that a level stands for in a player's file. Raises BadConfig."""
        row = self.row(level)
        return {
            "level": level,
            "model": row.policy or self.policy,
            "rating": row.rating,
            "temperature": row.temperature,
            "nodes": row.nodes,
            "c_puct": row.cpuct,
            "policy_temperature": row.policy_temperature,
            "unvisited_share": row.unvisited_share,
            "rule": self.rule,
            "reuse_tree": False,  # nor did the player that was measured
        }


def _between(level: int, rows: Sequence[tuple[float, ...]]) -> list[float] | None:
    """The values at a level, between rows of a level and its values; None outside of the rows."""
    if not rows or not rows[0][0] <= level <= rows[-1][0]:
        return None
    numbers, *columns = zip(*rows, strict=True)
    return [float(np.interp(level, numbers, column)) for column in columns]


def read_level_table(path: Path) -> LevelTable:
    """Reads a level table from a TOML file. Raises BadConfig."""
    return read_config(LevelTable, path)


def shipped_table_name(game: str, scale: StrengthScale = "people") -> str:
    """The name of the shipped level table of a game and a scale, as a file of the kind "levels"."""
    name = f"{game}-{scale}"
    return name if name in data.names("levels") else game


@cache
def shipped_levels(game: str, scale: StrengthScale = "people") -> LevelTable | None:
    """The level table of a game that is part of the package; None if there is none. A game with one table has
    it for both scales."""
    name = shipped_table_name(game, scale)
    return read_level_table(data.path("levels", name)) if name in data.names("levels") else None


def level_range(game: str, scale: StrengthScale = "people") -> tuple[int, int] | None:
    """The lowest and the highest level of a game; None if it has no level table."""
    table = shipped_levels(game, scale)
    return None if table is None else table.range


def level_of_rating(game: str, rating: int | str | None) -> int | None:
    """The level of the same number as a rating or rank; None if the game's levels are on another scale, or if
    it has no such level."""
    table = shipped_levels(game)
    number = rating if isinstance(rating, int) else describe(game).ratings.number(rating)
    if table is None or number is None or any(row.rating != row.level for row in table.levels):
        return None
    return number if table.range[0] <= number <= table.range[1] else None


def level_of_rating_alone(game: str, rating: int | str | None, keys: Collection[str]) -> int | None:
    """The level that a rating stands for if `keys`, those that are given, set no strength of their own: a
    rating alone is as strong as it says. The same for Python, players' files and engines."""
    return None if _OWN_STRENGTH & set(keys) else level_of_rating(game, rating)


def at_level(config: PlayerConfig, level: int) -> PlayerConfig:
    """A player with the model and the parameters of a level, on the scale that it names; its other keys stay.

    Raises BadConfig.
    """
    return replace(config, **level_keys(config.game, level, config.scale))


def level_keys(game: str, level: int, scale: StrengthScale = "people") -> Mapping[str, Any]:
    """The keys that a level stands for in a player's file. Raises BadConfig."""
    table = shipped_levels(game, scale)
    if table is None:
        raise BadConfig(f"level = {level}: {game} has no levels; it has strengths 1 to 9")
    return table.keys(level)


# Reads players' TOML files.


def load_player_config(path: Path) -> PlayerConfig:
    """Reads a player's TOML file; the name is that of the file unless given. Raises BadConfig."""
    table = {"name": path.stem, **read_toml(path)}
    return parse_player_config(table, Source(path))


def parse_player_config(table: Mapping[str, Any], source: Source | None = None) -> PlayerConfig:
    """Makes a configuration from a TOML table. A level, or a rating alone where the levels are people's
    ratings, sets the keys that the table does not have. Files are looked for in the source's folder first.

    Raises the exception of the source, by default BadConfig.
    """
    source = source or Source()
    config = from_table(PlayerConfig, table, source)
    files: dict[str, Any] = {}
    for key in ("model", "evaluator", "book"):
        name = getattr(config, key)
        if name and is_file(source.folder / name):
            files[key] = str(source.folder / name)
    config = replace(config, **files)
    level, scale = config.level, config.scale
    if level is None and "scale" not in table:
        level, scale = level_of_rating_alone(config.game, config.rating, table.keys()), "people"
    if level is None:
        return config
    try:
        keys = level_keys(config.game, level, scale)
    except BadConfig as error:
        raise source.fault(source.key_path(str(error))) from None
    return replace(config, **{key: value for key, value in keys.items() if key not in table})
