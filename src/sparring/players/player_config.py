"""A player's TOML file (policy, search, book, resignation), and the level tables that fill it in."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from msgspec import Meta

from sparring import data
from sparring._core import PuctConfig
from sparring.base.config import (
    Count,
    Fraction,
    NonNegative,
    PositiveInt,
    Seed,
    Source,
    Threads,
    bad_value,
    from_table,
    is_file,
    native_option,
    read_config,
    read_toml,
)
from sparring.base.errors import BadConfig
from sparring.games import GAMES, describe
from sparring.players.behaviour_models import has_model

DEFAULT_RATING: dict[str, int | str | None] = {
    name: game.people.rating
    for name, game in GAMES.items()
    if game.people is not None and f"human-{name}" in data.names("networks")
}
"""Rating of the default player of each game with a human-like network; None where it has no ratings. A build
may leave out a network (`data.lacking`)."""

StrengthScale: TypeAlias = Literal["people", "engine"]
"""people: a level errs as people of that rating do, where the game has such a table. engine: by games against
engines."""
Rating = Annotated[int, Meta(ge=-100, le=10_000)] | str
"""A rating, or in Go a rank such as 3d."""


@dataclass(frozen=True)
class PlayerConfig:
    """A player: the keys of its TOML file."""

    game: str
    """Name of the game."""
    name: str = "Sparring"
    """Name that opponents and records see. In a file the default is the name of the file."""
    model: str = "blend"
    """Policy: a model name, a network file, or a [policy file](policies.md). `blend` is the shipped blend of
    the `human` and `strong` networks of the game."""
    rating: Rating | None = None
    """Rating of the players whose moves the policy predicts; in Go a rank such as 3d. Refused if the policy
    is not conditioned on ratings. In chess a rating without `model`, `temperature`, `nodes` and `scale`
    stands for the level of that number."""
    level: int | None = None
    """Strength, by the game's [level table](levels.md): sets `model`, `rating`, `temperature`, `nodes`,
    `c_puct` and `policy_temperature` where the file does not."""
    scale: StrengthScale = "people"
    """Scale of `level`: `people` errs about as often and as badly as people of that rating (chess);
    `engine` is as strong as an engine of that rating. A game with one level table has it for both."""
    opponent_rating: Rating | None = None
    """Rating of the opponent; without it, the same as `rating`."""
    temperature: Annotated[float, Meta(ge=0, le=1000)] = 1.0
    """Temperature of the choice of a move. 0 plays the move with the highest probability, 1 samples from the
    policy, or in proportion to visits after a search."""
    nodes: Count = 0
    """Positions that the search evaluates for a move; 0 plays from the policy without search."""
    seconds: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    """Time limit of a search, in seconds."""
    evaluator: str = ""
    """Network that evaluates positions in the search; without it, the model."""
    rule: Literal["visits", "regularised", "kl"] = "visits"
    """Choice after a search: by visits; by the regularised policy that visits approach, lambda * prior /
    (alpha - value) (Grill et al. 2020); or by prior * exp(value / kl_weight) (Jacob et al. 2022)."""
    unvisited_share: Fraction = 0.0
    """Probability of a move that the search did not visit, for `rule = "visits"`: the policy draws it. Tuned
    levels have it (docs/tuning.md)."""
    kl_weight: NonNegative = 0.1
    """Weight of the KL divergence from the policy, for `rule = "kl"`."""
    c_puct: float = native_option(PuctConfig, "c_puct")
    policy_temperature: float = native_option(PuctConfig, "policy_temperature")
    fpu_reduction: float = native_option(PuctConfig, "fpu_reduction")
    draw_value: float = native_option(PuctConfig, "draw_value")
    solver: bool = native_option(PuctConfig, "solver")
    find_immediate_wins: bool = native_option(PuctConfig, "find_immediate_wins")
    play_forced_wins: bool = True
    """Plays a proven win and avoids a proven loss at any temperature (no effect in Go); in a won position, a
    search with a node for each move plays none that draws at once. With this, `solver` and
    `find_immediate_wins` off, a weak player may miss a mate."""
    reuse_tree: bool = True
    """Keeps the search tree from move to move. Without it, a search of `nodes` has the same strength at every
    move, as levels need it."""
    batch: int = native_option(PuctConfig, "batch")
    memory: int = native_option(PuctConfig, "memory")
    threads: Threads = 1
    """Threads of each network; at most one a core is used."""
    think_time: Literal["none", "human"] = "none"
    """With a clock: `human` takes the time that people of the rating take in such positions and clocks;
    `none` answers as soon as it can. The front end waits; the arena counts the time without waiting."""
    resignation: Literal["rule", "human"] = "rule"
    """`rule` resigns by `resign_below` and `resign_after`; `human` with the chance with which people of the
    rating resign in such positions (chess)."""
    draws: Literal["rule", "human"] = "rule"
    """`rule` offers and accepts draws by the three keys below; `human` as often as people agree to draws in
    such positions (chess)."""
    resign_below: Fraction = 0.0
    """Resigns when its expected score is below this; 0 never resigns."""
    resign_after: PositiveInt = 3
    """Number of consecutive moves for which that must hold."""
    draw_within: Fraction = 0.0
    """Offers a draw when its expected score is within this of 1/2, and accepts one when its expected score is
    not above 1/2 by more than this; 0 never does."""
    draw_after: Count = 60
    """First ply at which draws are offered and accepted."""
    draw_offers: bool = True
    """Offers draws; else it only accepts them."""
    adapt: bool = False
    """The level follows the opponent's results, which are kept in your data folder; `level` is that of the
    first game. Only for games with levels."""
    book: str = ""
    """Opening book or repertoire: a file of games (PGN, SGF, KIF, ...), a PGN with variations, or a Polyglot
    `.bin`. Moves are drawn in proportion to their frequency."""
    book_plies: Count = 16
    """Plies after which the book is not used."""
    opening_style: str = ""
    """Style of its opening, such as `ranging-rook` in shogi: opening moves are drawn as people of this style
    play them. A book takes precedence. Empty for any style."""
    seed: Seed | None = None
    """Seed of all random choices; the same seed and the same opponent's moves give the same game."""

    def __post_init__(self) -> None:
        if self.game not in GAMES:
            raise bad_value("game", self.game, f"one of {', '.join(GAMES)}")
        if not self.name.isprintable():
            raise bad_value("name", self.name, "printable text")
        self.rating_number("rating")
        self.rating_number("opponent_rating")

    def rating_number(self, which: Literal["rating", "opponent_rating"]) -> int | None:
        """A rating as policies take it: a rank is a number, 1 for 1d and -1 for 1k. Raises BadConfig."""
        value = getattr(self, which)
        if value is None or isinstance(value, int):
            return value
        system = describe(self.game).ratings
        number = system.parse(value) if system.word == "rank" else None
        if number is None:
            raise bad_value(which, value, "a rank such as 3d" if system.word == "rank" else "an integer")
        return number


def default_player_config(game: str, **keys: Any) -> PlayerConfig:
    """The configuration of a game's default opponent, with `keys` in place of its own.

    It resigns and agrees to draws as people of its rating do, where the package has models of that. Else it
    resigns when its expected score is below 5% for three moves in a row, accepts a draw after ply 60 unless
    it expects more than 55%, and offers none.
    """
    people = {name: "human" for name in ("resignation", "draws") if has_model(game, name)}
    ending = {"resign_below": 0.05, "resign_after": 3, "draw_within": 0.05, "draw_offers": False}
    usual: dict[str, Any] = {"rating": DEFAULT_RATING.get(game), **ending, **people}
    return PlayerConfig(game, **{**usual, **keys})


# Levels: how strong an opponent is. A level table says which player of ours has which measured strength.


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
    name: str = ""
    """Name of the level in words: the day on which people err like it, such as `a bad day`."""
    policy: str = ""
    """Policy of this level; without it, the table's. A level between two rows has that of the lower."""
    loss: float | None = None
    """Loss a move, as its settings were solved for: Go: points; chess and shogi: expected score."""
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
        if len({row.name == "" for row in self.levels}) > 1:
            raise ValueError("either all [[levels]] have a name or none")

    @property
    def default_level(self) -> int:
        """The level of the default opponent."""
        return self.levels[len(self.levels) // 2].level if self.default is None else self.default

    @property
    def range(self) -> tuple[int, int]:
        """The lowest and the highest level."""
        return self.levels[0].level, self.levels[-1].level

    @property
    def has_ranks(self) -> bool:
        """Whether its levels are the ranks of the game, such as 3k."""
        system = describe(self.game).ratings
        return system.word == "rank" and system.lowest <= self.range[0] and self.range[1] <= system.highest

    @property
    def has_names(self) -> bool:
        """Whether its levels have names in words; their numbers are then no ratings."""
        return self.levels[0].name != ""

    def text(self, level: int) -> str:
        """A level as people write it: a number, a rank, or the name of the nearest row."""
        if self.has_names:
            return min(self.levels, key=lambda row: abs(row.level - level)).name
        return describe(self.game).ratings.format(level) if self.has_ranks else str(level)

    def row(self, level: int) -> Level:
        """The row of a level; `measured` only if the table has this row. Raises BadConfig."""
        low, high = self.range
        if not low <= level <= high:
            raise BadConfig(f"level = {level}: the levels of {self.game} are {self._range_text()}")
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

    def _range_text(self) -> str:
        low, high = self.range
        text = f"the ranks {self.text(low)} to {self.text(high)}" if self.has_ranks else f"{low} to {high}"
        other = level_range(self.game, "engine") if self.has_ranks or self.has_names else None
        return (
            text
            if other in (None, self.range)
            else f"{text}; on the scale of engines {other[0]} to {other[1]}"
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


def results_scale(game: str, scale: StrengthScale = "people") -> StrengthScale:
    """The scale of levels that follow results: that of engines where people's scale has ranks or names, which
    say nothing about results; else the one that is given."""
    table = shipped_levels(game, scale)
    return "engine" if table is not None and (table.has_ranks or table.has_names) else scale


def level_of_rating(game: str, rating: int | str | None) -> int | None:
    """The level of the same number as a rating or rank; None if the game's levels are on another scale, or if
    it has no such level."""
    table = shipped_levels(game)
    number = rating if isinstance(rating, int) else describe(game).ratings.number(rating)
    if table is None or number is None or table.scale != "people" or table.levels[0].rating is None:
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
