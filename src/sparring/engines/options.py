"""The options of the engines: one declaration for UCI, USI, GTP, the command line and the docs."""

from __future__ import annotations

import math
import re
from dataclasses import replace
from pathlib import Path
from typing import Any, get_args

from msgspec import Meta

from sparring.config.description import field_hints
from sparring.engines.option import EMPTY, BadOption, Option, OptionAccessor, OptionKind
from sparring.engines.settings import EngineSettings
from sparring.games import PROTOCOL_GAMES, describe
from sparring.players.levels import DIALS, at_level, level_range
from sparring.players.persons import UnknownPerson, find_person
from sparring.players.player_config import BadPlayerConfig, PlayerConfig
from sparring.players.player_file import load_player_config

PROTOCOLS: dict[str, str] = {str(protocol): game for protocol, game in PROTOCOL_GAMES.items()}
"""The game of each protocol."""

_LARGEST_SPIN = 2**31 - 1
"""Many GUIs read whole numbers into 32 bits."""
_CHESS = describe(PROTOCOLS["uci"])
_ELO = level_range(_CHESS.name) or (_CHESS.ratings.lowest, _CHESS.ratings.highest)
"""The levels of chess."""


def _everywhere(flag: str, name: str, usi: str | None = None) -> dict[str, str]:
    return {"uci": name, "usi": usi or name, "gtp": flag}


def _player_field(field: str) -> OptionAccessor:
    """Reads and changes a field of the player's configuration."""

    def change(settings: EngineSettings, value: Any) -> EngineSettings:
        return replace(settings, player_config=replace(settings.player_config, **{field: value}))

    return OptionAccessor(lambda settings: getattr(settings.player_config, field), change)


def _human_field(field: str, otherwise: str) -> OptionAccessor:
    """A check of a field of the player's configuration: `human`, or the other value."""

    def change(settings: EngineSettings, value: Any) -> EngineSettings:
        keys: dict[str, Any] = {field: "human" if value else otherwise}
        return replace(settings, player_config=replace(settings.player_config, **keys))

    return OptionAccessor(lambda settings: getattr(settings.player_config, field) == "human", change)


def _rating() -> OptionAccessor:
    """Reads and changes the player's rating; it is then no longer the default."""
    read, change = _player_field("rating")
    return OptionAccessor(
        read, lambda settings, value: replace(change(settings, value), is_default_rating=False)
    )


def _set_level(settings: EngineSettings, level: int | None) -> EngineSettings:
    """Sets the dials of a level; without one, those of the game's default player."""
    config = settings.player_config
    if level is None:
        default = EngineSettings.of(config.game).player_config
        dials = {key: getattr(default, key) for key in ("level", "model", *DIALS)}
        return replace(settings, player_config=replace(config, **dials), is_default_rating=True)
    try:
        return replace(settings, player_config=at_level(config, level), is_default_rating=False)
    except BadPlayerConfig as error:
        raise BadOption(str(error)) from None


def _range_of(field: str, kind: OptionKind, missing: float | None = None) -> dict[str, Any]:
    """The range of a field of PlayerConfig, as arguments of Option. `missing` belongs to it."""
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
    if missing is not None:
        return {"low": min(low, missing), "high": high, "missing": missing}
    return {"low": low, "high": high, "low_excluded": meta.ge is None}


def _number(
    flag: str,
    names: dict[str, str],
    kind: OptionKind,
    help_text: str,
    field: str,
    missing: float | None = None,
) -> Option:
    """An option of a field of PlayerConfig, with its range."""
    return Option(flag, names, kind, help_text, _player_field(field), **_range_of(field, kind, missing))


def _engine_field(field: str) -> OptionAccessor:
    """Reads and changes a field of the engine's settings."""
    return OptionAccessor(
        lambda settings: getattr(settings, field),
        lambda settings, value: replace(settings, **{field: value}),
    )


def _set_person(settings: EngineSettings, name: str) -> EngineSettings:
    """Loads the player of a person; an empty name changes nothing."""
    if not name:
        return settings
    try:
        return _set_player(settings, str(find_person(name, settings.player_config.game).path))
    except UnknownPerson as error:
        raise BadOption(str(error)) from None


def _set_player(settings: EngineSettings, path: str) -> EngineSettings:
    """Loads a player's file; an empty path changes nothing."""
    if not path:
        return settings
    try:
        player_config = load_player_config(Path(path))
    except BadPlayerConfig as error:
        raise BadOption(str(error)) from None
    game = settings.player_config.game
    if player_config.game != game:
        raise BadOption(f"{path} describes a player of {player_config.game}, not of {game}")
    if player_config.adapt:
        raise BadOption(f"{path}: adapt needs the results of games, which GUIs do not send: leave it out")
    return replace(settings, player_config=player_config, is_default_rating=False)


def _set_opponent(settings: EngineSettings, words: str) -> EngineSettings:
    """Takes the rating out of UCI_Opponent: title, rating, computer or human, name."""
    rating = re.match(r"\S+\s+(\d{1,4})\b", words)
    number = int(rating[1]) if rating and int(rating[1]) <= _CHESS.ratings.highest else None
    return replace(settings, player_config=replace(settings.player_config, opponent_rating=number))


_BOARDS = ("uci", "usi")

OPTIONS = (
    Option("player", _everywhere("player", "Player"), OptionKind.TEXT,
           "TOML file of a player; it sets most of the other options.",
           OptionAccessor(lambda settings: None, _set_player)),
    Option("person", {"uci": "Person", "gtp": "person"}, OptionKind.TEXT,
           "Name of a person of `sparring train person`, in place of a player's file.",
           OptionAccessor(lambda settings: None, _set_person)),
    Option("model", _everywhere("model", "Model"), OptionKind.TEXT,
           "The policy: a model name, a network file, or a policy's TOML file.",
           _player_field("model")),
    Option("evaluator", _everywhere("evaluator", "Evaluator"), OptionKind.TEXT,
           "Network that evaluates positions in the search; without it, the model.",
           _player_field("evaluator")),
    Option("rating", dict.fromkeys(_BOARDS, "Rating"), OptionKind.INTEGER,
           "Plays in the style of people of this rating (Level is the strength); 0 for none.",
           _rating(), _CHESS.ratings.lowest, _CHESS.ratings.highest, missing=0),
    Option("rank", {"gtp": "rank"}, OptionKind.RANK,
           "Plays in the style of people of this rank, if the policy has ranks.",
           _rating()),
    Option("level", _everywhere("level", "Level"), OptionKind.INTEGER,
           "Strength by the level table: sets Model, Rating, Temperature, Nodes and CPuct; 0 for none.",
           OptionAccessor(lambda settings: settings.player_config.level, _set_level), high=10_000, missing=0),
    Option("limit-strength", {"uci": "UCI_LimitStrength"}, OptionKind.CHECK,
           "Whether UCI_Elo is the level; a GUI's strength slider sets these two.",
           _engine_field("limit_strength")),
    Option("elo", {"uci": "UCI_Elo"}, OptionKind.INTEGER,
           "Level with UCI_LimitStrength.",
           _engine_field("elo"), *_ELO),
    Option("opponent-rating", dict.fromkeys(_BOARDS, "OpponentRating"), OptionKind.INTEGER,
           "Your rating: people play differently against stronger players; 0 for the engine's own.",
           _player_field("opponent_rating"), _CHESS.ratings.lowest, _CHESS.ratings.highest, missing=0),
    Option("opponent-rank", {"gtp": "opponent-rank"}, OptionKind.RANK,
           "Your rank: people play differently against stronger players; without it, the engine's own.",
           _player_field("opponent_rating")),
    Option("opponent", {"uci": "UCI_Opponent"}, OptionKind.TEXT,
           "The opponent as the GUI names it; its rating becomes OpponentRating.",
           OptionAccessor(lambda settings: None, _set_opponent)),
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
           _human_field("think_time", "none")),
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
           OptionAccessor(lambda settings: None, lambda settings, value: settings)),
)  # fmt: skip
"""All options, in the order in which GUIs show them."""

CLEAR_HASH = "clear-hash"
_RENAMED = {"judge": "Evaluator"}


def options_of(protocol: str) -> list[Option]:
    """The options of a protocol."""
    return [option for option in OPTIONS if protocol in option.names]


def find_option(protocol: str, name: str) -> Option:
    """The option of a name; spaces and case do not count. Raises BadOption."""
    if _plain(name) in _RENAMED:
        raise BadOption(f"option '{name}' is now '{_RENAMED[_plain(name)]}'")
    for option in options_of(protocol):
        if _plain(name) in (_plain(option.names[protocol]), _plain(option.flag)):
            return option
    known = ", ".join(option.names[protocol] for option in options_of(protocol))
    raise BadOption(f"there is no option '{name[:80]}'; there are {known}")


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


def engine_options_table() -> str:
    """All options as a Markdown table, for docs/engines.md."""
    head = "| option | on the command line | default | meaning |\n|---|---|---|---|\n"
    return head + "".join(f"{_row(option)}\n" for option in OPTIONS)


def _row(option: Option) -> str:
    names = dict.fromkeys(f"`{name}`" for name in option.names.values())
    where = "" if len(option.names) == len(PROTOCOLS) else f" ({', '.join(option.names)})"
    flag = "" if option.kind is OptionKind.BUTTON else f"`--{option.flag}` {option.range_text()}"
    usual = option.value(EngineSettings.of(PROTOCOLS[next(iter(option.names))]))
    return f"| {', '.join(names)}{where} | {flag} | {usual} | {option.help} |"


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()
