"""The options of the engines: one declaration for UCI, USI, GTP, the command line and the docs."""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from pathlib import Path
from typing import Any, Literal, NamedTuple, TypeAlias, get_args

from msgspec import Meta

from sparring.base.config import field_hints
from sparring.base.errors import BadConfig
from sparring.games import protocol_games
from sparring.games.ratings import ELO, parse_rank
from sparring.players.persons import find_person
from sparring.players.player_config import (
    LEVEL_KEYS,
    PlayerConfig,
    at_level,
    default_player_config,
    level_of_rating_alone,
    level_range,
    load_player_config,
)


@dataclass(frozen=True)
class EngineSettings:
    """The player of an engine, its reports and its time management."""

    player_config: PlayerConfig
    rating_from: Literal["default", "option", "player"] = field(default="default", compare=False)
    """Where the rating comes from: the game's default, the option of that name, or a level or a file."""
    limit_strength: bool = False
    """Whether `elo` is the player's level (UCI_LimitStrength)."""
    elo: int = 1500
    own_book: bool = True
    """Whether the player's opening book is used."""
    multipv: int = 1
    """Number of lines in reports."""
    show_wdl: bool = False
    verbose_move_stats: bool = False
    """Whether every legal move is listed with its statistics."""
    ponder: bool = False
    """Whether `bestmove` names the expected reply, on which the GUI may let the engine ponder."""
    overhead: int = 100
    """Milliseconds of each move that are lost between the engine and the clock."""

    @classmethod
    def of(cls, game: str) -> EngineSettings:
        """The settings of a game's default player."""
        return cls(default_player_config(game, scale="engine"))

    def effective_config(self) -> PlayerConfig:
        """The player's configuration with all options applied."""
        config = self.player_config
        if self.limit_strength:
            config = _at_level(config, self.elo)
        elif (level := self._level_of_rating()) is not None:
            config = at_level(replace(config, scale="people"), level)
        return config if self.own_book else replace(config, book="")

    def _level_of_rating(self) -> int | None:
        """The level that the option of a rating stands for; None if other options set the strength."""
        if self.rating_from != "option":
            return None
        own, default = self.player_config, EngineSettings.of(self.player_config.game).player_config
        changed = [key for key in ("model", *LEVEL_KEYS) if getattr(own, key) != getattr(default, key)]
        return level_of_rating_alone(own.game, own.rating, changed)

    @property
    def chooses_strength(self) -> bool:
        """Whether the GUI is to choose the strength: this is the game's default player."""
        own, default = self.player_config, EngineSettings.of(self.player_config.game).player_config
        return all(getattr(own, key) == getattr(default, key) for key in ("level", "model", *LEVEL_KEYS))

    @property
    def engine_name(self) -> str:
        """The engine's name in a GUI's list: with the level or the player that it was started with."""
        name, level = " ".join(self.player_config.name.split()), self.player_config.level
        if name != PlayerConfig.name:
            return f"{name} (Sparring)"
        return name if level is None else f"{name} {level}"

    @property
    def rating_requested(self) -> bool:
        """Whether a rating was requested."""
        return self.limit_strength or (
            self.rating_from != "default" and self.player_config.rating is not None
        )


# An option of an engine: names, type and range of its value, and the setting that it changes.


OptionValue: TypeAlias = int | float | bool | str | None
EMPTY = "<empty>"
"""The empty text in UCI and USI."""


class OptionKind(StrEnum):
    """The type of an option's value."""

    INTEGER = "whole number"
    NUMBER = "number"
    CHECK = "true or false"
    TEXT = "text"
    RANK = "rank"
    BUTTON = "button"

    @property
    def metavar(self) -> str:
        """The placeholder of the value in the command line's help."""
        return {"true or false": "true|false", "whole number": "N"}.get(self, self.upper())


class OptionAccessor(NamedTuple):
    """How an option reads and changes the settings."""

    read: Callable[[EngineSettings], OptionValue]
    change: Callable[[EngineSettings, Any], EngineSettings]
    """Returns the settings with a new value. Raises BadConfig."""


@dataclass(frozen=True)
class Option:
    """An option, declared once for all protocols, the command line and the docs."""

    flag: str
    """Name in GTP and, with two hyphens, on the command line."""
    names: Mapping[str, str]
    """Name by protocol, for the protocols that have the option."""
    kind: OptionKind
    help: str
    """One sentence."""
    effect: OptionAccessor
    low: float = 0
    high: float = math.inf
    low_excluded: bool = False
    """Whether `low` itself is out of range."""
    missing: OptionValue = None
    """The value that means None, such as 0 for no rating."""

    def apply(self, settings: EngineSettings, text: str) -> EngineSettings:
        """Returns the settings with the value of a text. Raises BadConfig."""
        return self.effect.change(settings, self.parse(text))

    def value(self, settings: EngineSettings) -> str:
        """The current value as text; `parse` reads it back."""
        value = self.effect.read(settings)
        if value is None:
            value = self.missing
        if isinstance(value, bool):
            return str(value).lower()
        return "" if value is None else f"{value:g}" if isinstance(value, float) else str(value)

    def parse(self, text: str) -> OptionValue:
        """Parses a value. Raises BadConfig."""
        words = "" if text.strip() == EMPTY else text.strip()
        match self.kind:
            case OptionKind.BUTTON:
                return None
            case OptionKind.TEXT:
                return words
            case OptionKind.CHECK if words.lower() in ("true", "false", "1", "0"):  # uci2wb sends numbers
                return words.lower() in ("true", "1")
            case OptionKind.RANK if not words:
                return None
            case OptionKind.RANK if (rank := parse_rank(words)) is not None:
                return rank
            case OptionKind.INTEGER | OptionKind.NUMBER:
                return self._number(words)
        raise self._bad(words)

    def range_text(self) -> str:
        """Type and range of the value, in words."""
        match self.kind:
            case OptionKind.INTEGER | OptionKind.NUMBER:
                low = f"above {self.low:g}" if self.low_excluded else f"{self.low:g}"
                if self.high == math.inf:
                    return f"{self.kind}, {low}{'' if self.low_excluded else ' or more'}"
                return f"{self.kind}, {low}{' and up' if self.low_excluded else ''} to {self.high:.12g}"
            case OptionKind.RANK:
                return "rank, such as 5k or 3d"
        return str(self.kind)

    def _number(self, words: str) -> OptionValue:
        try:
            number = int(words) if self.kind is OptionKind.INTEGER else float(words)
        except ValueError:
            raise self._bad(words) from None
        if not self.low <= number <= self.high or (self.low_excluded and number == self.low):
            raise self._bad(words)
        return None if number == self.missing else number

    def _bad(self, words: str) -> BadConfig:
        return BadConfig(f"{self.flag} is a {self.range_text()}, not '{words[:80]}'")


PROTOCOLS: dict[str, str] = {str(protocol): game for protocol, game in protocol_games().items()}
"""The game of each protocol."""

_LARGEST_SPIN = 2**31 - 1
"""Many GUIs read whole numbers into 32 bits."""
_ELO = level_range(PROTOCOLS.get("uci", ""), "engine") or (ELO.lowest, ELO.highest)
"""The levels of UCI's game."""


def _everywhere(flag: str, name: str, usi: str | None = None) -> dict[str, str]:
    return {"uci": name, "usi": usi or name, "gtp": flag}


def _player_field(field: str) -> OptionAccessor:
    """Reads and changes a field of the player's configuration."""

    def change(settings: EngineSettings, value: Any) -> EngineSettings:
        return replace(settings, player_config=replace(settings.player_config, **{field: value}))

    return OptionAccessor(lambda settings: getattr(settings.player_config, field), change)


_RATING = OptionAccessor(
    _player_field("rating").read,
    lambda settings, value: replace(_player_field("rating").change(settings, value), rating_from="option"),
)
_THINK_TIME = OptionAccessor(
    lambda settings: settings.player_config.think_time == "human",
    lambda settings, value: _player_field("think_time").change(settings, "human" if value else "none"),
)


def _action(change: Callable[[EngineSettings, str], EngineSettings]) -> OptionAccessor:
    """An option without a value of its own."""
    return OptionAccessor(lambda settings: None, change)


def _at_level(config: PlayerConfig, level: int) -> PlayerConfig:
    """The player at a level on the scale of engines, which GUIs mean by a number."""
    return at_level(replace(config, scale="engine"), level)


def _set_level(settings: EngineSettings, level: int | None) -> EngineSettings:
    """Sets the keys of a level; without one, those of the game's default player."""
    config = settings.player_config
    if level is None:
        default = EngineSettings.of(config.game).player_config
        values = {key: getattr(default, key) for key in ("level", "model", *LEVEL_KEYS)}
        return replace(settings, player_config=replace(config, **values), rating_from="default")
    return replace(settings, player_config=_at_level(config, level), rating_from="player")


HIGHEST_SKILL = 20
"""Stockfish's highest Skill Level."""


def level_of_skill(game: str, skill: int, highest: int = HIGHEST_SKILL) -> int:
    """The level at a step of a scale: 0 is the lowest level of the game's table, `highest` its highest one,
    and the steps between are equal."""
    low, high = level_range(game, "engine") or (0, 0)
    return low + round((high - low) * skill / highest)


def _set_skill(settings: EngineSettings, skill: int | None) -> EngineSettings:
    """Sets the level of a Skill Level; none changes nothing."""
    return (
        settings
        if skill is None
        else _set_level(settings, level_of_skill(settings.player_config.game, skill))
    )


def _number(
    flag: str,
    names: dict[str, str],
    kind: OptionKind,
    help_text: str,
    field: str,
    missing: float | None = None,
) -> Option:
    """An option of a field of PlayerConfig, with its range; `missing` belongs to it."""
    hint = field_hints(PlayerConfig)[field]
    (meta,) = (
        extra
        for part in (hint, *get_args(hint))
        for extra in getattr(part, "__metadata__", ())
        if isinstance(extra, Meta)
    )
    low = meta.gt if meta.ge is None else meta.ge
    high = math.inf if meta.le is None else meta.le
    if kind is OptionKind.INTEGER:
        high = min(high, _LARGEST_SPIN)
    assert low is not None, f"{field} has no lower bound"
    is_open = meta.ge is None and missing is None
    low = low if missing is None else min(low, missing)
    return Option(flag, names, kind, help_text, _player_field(field), low, high, is_open, missing)


def _engine_field(field: str) -> OptionAccessor:
    """Reads and changes a field of the engine's settings."""
    return OptionAccessor(
        lambda settings: getattr(settings, field),
        lambda settings, value: replace(settings, **{field: value}),
    )


def _set_person(settings: EngineSettings, name: str) -> EngineSettings:
    """Loads the player of a person; an empty name changes nothing."""
    path = str(find_person(name, settings.player_config.game).path) if name else ""
    return _set_player(settings, path)


def _set_player(settings: EngineSettings, path: str) -> EngineSettings:
    """Loads a player's file; an empty path changes nothing."""
    if not path:
        return settings
    player_config = load_player_config(Path(path))
    game = settings.player_config.game
    if player_config.game != game:
        raise BadConfig(f"{path} describes a player of {player_config.game}, not of {game}")
    if player_config.adapt:
        raise BadConfig(f"{path}: adapt needs the results of games, which GUIs do not send: leave it out")
    return replace(settings, player_config=player_config, rating_from="player")


def _set_opponent(settings: EngineSettings, words: str) -> EngineSettings:
    """Takes the rating out of UCI_Opponent: title, rating, computer or human, name."""
    rating = re.match(r"\S+\s+(\d{1,4})\b", words)
    number = int(rating[1]) if rating and int(rating[1]) <= ELO.highest else None
    return replace(settings, player_config=replace(settings.player_config, opponent_rating=number))


_BOARDS = ("uci", "usi")

OPTIONS = (
    Option("player", _everywhere("player", "Player"), OptionKind.TEXT,
           "TOML file of a player; it sets most of the other options.",
           _action(_set_player)),
    Option("person", {"uci": "Person", "gtp": "person"}, OptionKind.TEXT,
           "Name of a person of `sparring train person`, in place of a player's file.",
           _action(_set_person)),
    Option("model", _everywhere("model", "Model"), OptionKind.TEXT,
           "The policy: a model name, a network file, or a policy's TOML file.",
           _player_field("model")),
    Option("evaluator", _everywhere("evaluator", "Evaluator"), OptionKind.TEXT,
           "Network that evaluates positions in the search; without it, the model.",
           _player_field("evaluator")),
    Option("rating", dict.fromkeys(_BOARDS, "Rating"), OptionKind.INTEGER,
           "Plays in the style of people of this rating (Level is the strength); 0 for none.",
           _RATING, ELO.lowest, ELO.highest, missing=0),
    Option("rank", {"gtp": "rank"}, OptionKind.RANK,
           "Plays in the style of people of this rank, if the policy has ranks.",
           _RATING),
    Option("level", _everywhere("level", "Level"), OptionKind.INTEGER,
           "Strength by the level table: sets Model, Rating, Temperature, Nodes and CPuct; 0 for none.",
           OptionAccessor(lambda settings: settings.player_config.level, _set_level), high=10_000, missing=0),
    Option("skill-level", {"uci": "Skill Level", "usi": "SkillLevel"}, OptionKind.INTEGER,
           "Level in equal steps from the lowest (0) to the highest (20); -1 for none.",
           OptionAccessor(lambda settings: None, _set_skill), -1, HIGHEST_SKILL, missing=-1),
    Option("limit-strength", {"uci": "UCI_LimitStrength"}, OptionKind.CHECK,
           "Whether UCI_Elo is the level; a GUI's strength slider sets these two.",
           _engine_field("limit_strength")),
    Option("elo", {"uci": "UCI_Elo"}, OptionKind.INTEGER,
           "Level with UCI_LimitStrength.",
           _engine_field("elo"), *_ELO),
    Option("opponent-rating", dict.fromkeys(_BOARDS, "OpponentRating"), OptionKind.INTEGER,
           "Your rating: people play differently against stronger players; 0 for the engine's own.",
           _player_field("opponent_rating"), ELO.lowest, ELO.highest, missing=0),
    Option("opponent-rank", {"gtp": "opponent-rank"}, OptionKind.RANK,
           "Your rank: people play differently against stronger players; without it, the engine's own.",
           _player_field("opponent_rating")),
    Option("opponent", {"uci": "UCI_Opponent"}, OptionKind.TEXT,
           "The opponent as the GUI names it; its rating becomes OpponentRating.",
           _action(_set_opponent)),
    _number("nodes", _everywhere("nodes", "Nodes"), OptionKind.INTEGER,
           "Positions that the search evaluates for a move; 0 or 1 plays from the policy without search.",
           "nodes"),
    _number("seconds", _everywhere("seconds", "Seconds"), OptionKind.NUMBER,
           "Time limit of a search in seconds; 0 for none.",
           "seconds", 0),
    _number("temperature", _everywhere("temperature", "Temperature"), OptionKind.NUMBER,
           "Temperature of the choice of a move: 0 plays the likeliest move, 1 samples from the policy.",
           "temperature"),
    _number("c-puct", _everywhere("c-puct", "CPuct"), OptionKind.NUMBER,
           "Exploration constant of PUCT: larger values follow the policy more.",
           "c_puct"),
    _number("policy-temperature", _everywhere("policy-temperature", "PolicyTemperature"), OptionKind.NUMBER,
           "Temperature of the priors in the search.",
           "policy_temperature"),
    _number("hash", _everywhere("hash", "Hash", "USI_Hash"), OptionKind.INTEGER,
           "Memory limit of the search tree in megabytes.",
           "memory"),
    _number("threads", _everywhere("threads", "Threads"), OptionKind.INTEGER,
           "Threads of each network; at most one a core is used.",
           "threads"),
    Option("multipv", dict.fromkeys(_BOARDS, "MultiPV"), OptionKind.INTEGER,
           "Number of lines in the analysis; without search, the likeliest moves with their own scores.",
           _engine_field("multipv"), low=1, high=500),
    Option("verbose-move-stats", dict.fromkeys(_BOARDS, "VerboseMoveStats"), OptionKind.CHECK,
           "Whether each legal move is listed with its visits N, its probability P and its value Q.",
           _engine_field("verbose_move_stats")),
    Option("show-wdl", {"uci": "UCI_ShowWDL"}, OptionKind.CHECK,
           "Whether win, draw and loss probabilities are reported, in permille.",
           _engine_field("show_wdl")),
    Option("ponder", {"uci": "Ponder", "usi": "USI_Ponder"}, OptionKind.CHECK,
           "Whether it searches on your time; with a node limit this makes it stronger.",
           _engine_field("ponder")),
    Option("think-time", _everywhere("think-time", "ThinkTime"), OptionKind.CHECK,
           "With a clock: takes the time that people of its rating take for such moves.",
           _THINK_TIME),
    Option("book", _everywhere("book", "Book"), OptionKind.TEXT,
           "Opening book: a file of games, or in chess a Polyglot book.",
           _player_field("book")),
    Option("own-book", {"uci": "OwnBook", "usi": "USI_OwnBook"}, OptionKind.CHECK,
           "Whether the opening book is used.",
           _engine_field("own_book")),
    _number("resign-below", {"usi": "ResignBelow", "gtp": "resign-below"}, OptionKind.NUMBER,
           "Resigns when its expected score stays below this; 0 never resigns.",
           "resign_below"),
    _number("seed", _everywhere("seed", "Seed"), OptionKind.INTEGER,
           "Seed of all random choices: the same seed and moves give the same game; -1 for none.",
           "seed", -1),
    Option("overhead", _everywhere("overhead", "Move Overhead"), OptionKind.INTEGER,
           "Milliseconds lost between the engine and the clock, for each move.",
           _engine_field("overhead"), high=10_000),
    Option("clear-hash", {"uci": "Clear Hash"}, OptionKind.BUTTON,
           "Clears the search tree.",
           _action(lambda settings, value: settings)),
)  # fmt: skip
"""All options, in the order in which GUIs show them."""

CLEAR_HASH = "clear-hash"
SKILL_LEVEL = "skill-level"


def options_of(protocol: str) -> list[Option]:
    """The options of a protocol."""
    return [option for option in OPTIONS if protocol in option.names]


def declared_options(protocol: str, settings: EngineSettings) -> list[Option]:
    """The options that an engine declares to the GUI.

    Skill Level is among them only if the engine was started without a level, rating or player: some GUIs send
    its highest value with every game, and the level would be lost.
    """
    return [
        option for option in options_of(protocol) if option.flag != SKILL_LEVEL or settings.chooses_strength
    ]


def find_option(protocol: str, name: str) -> Option:
    """The option of a name; spaces, case and USI's prefix do not count. Raises BadConfig."""
    asked = {_plain(name), _plain(name).removeprefix("usi")}
    for option in options_of(protocol):
        if not asked.isdisjoint((_plain(option.names[protocol]), _plain(option.flag))):
            return option
    names = ", ".join(option.names[protocol] for option in options_of(protocol))
    raise BadConfig(f"there is no option '{name[:80]}'; there are {names}")


def declaration(option: Option, protocol: str, settings: EngineSettings) -> str:
    """The `option` line of UCI and USI."""
    value = option.value(settings)
    name = f"option name {option.names[protocol]}"
    match option.kind:
        case OptionKind.BUTTON:
            return f"{name} type button"
        case OptionKind.CHECK:
            return f"{name} type check default {value}"
        case OptionKind.INTEGER:
            return f"{name} type spin default {value} min {option.low:.0f} max {option.high:.0f}"
    # UCI and USI have no type for fractions: they are sent as strings.
    return f"{name} type string default {value or EMPTY}"


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()


# The options that a GUI has set, independent of their order.


class EngineOptions:
    """The options of one engine.

    The option `player` sets most other options, and some GUIs send every option with its default. Therefore
    the player's file applies first and the other options on top of it. A default value has no effect unless
    the option was changed before.
    """

    def __init__(self, protocol: str, declared: EngineSettings) -> None:
        self.settings = self.declared = declared
        self._protocol = protocol
        self._texts: dict[str, str] = {}

    def set(self, name: str, text: str) -> Option:
        """Sets an option by its name in the protocol. Raises BadConfig and then changes nothing."""
        changed = find_option(self._protocol, name)
        value = changed.parse(text)
        if changed.flag in self._texts or value != changed.parse(changed.value(self.declared)):
            texts, settings = {**self._texts, changed.flag: text}, self.declared
            for option in options_of(self._protocol):  # the player comes first
                if option.flag in texts:
                    settings = option.apply(settings, texts[option.flag])
            self.settings, self._texts = settings, texts
        return changed
