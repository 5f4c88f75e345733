"""The options of the engines, declared once: for UCI, USI, GTP, the command line and the docs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparring.engines.option import EMPTY, BadOption, Option, OptionAccessor, OptionKind
from sparring.engines.settings import EngineSettings
from sparring.games import PROTOCOL_GAMES
from sparring.players.player_config import BadPlayerConfig, load_player_config

PROTOCOLS: dict[str, str] = {str(protocol): game for protocol, game in PROTOCOL_GAMES.items()}
"""The protocols, and the game that each is for."""

_BILLION = 1_000_000_000
_HIGHEST_RATING = 4000


def _everywhere(flag: str, name: str, usi: str | None = None) -> dict[str, str]:
    return {"uci": name, "usi": usi or name, "gtp": flag}


def _told(field: str) -> OptionAccessor:
    """Reads and changes a field of the player's description."""

    def change(settings: EngineSettings, value: Any) -> EngineSettings:
        return replace(settings, player_config=replace(settings.player_config, **{field: value}))

    return OptionAccessor(lambda settings: getattr(settings.player_config, field), change)


def _rating() -> OptionAccessor:
    """Reads and changes the player's rating, which is then no longer the usual one."""
    read, change = _told("rating")
    return OptionAccessor(
        read, lambda settings, value: replace(change(settings, value), is_default_rating=False)
    )


def _own(field: str) -> OptionAccessor:
    """Reads and changes a field of the engine's settings."""
    return OptionAccessor(
        lambda settings: getattr(settings, field),
        lambda settings, value: replace(settings, **{field: value}),
    )


def _sit_down(settings: EngineSettings, path: str) -> EngineSettings:
    """Another player, from its file; none for the one who sits there."""
    if not path:
        return settings
    try:
        player_config = load_player_config(Path(path))
    except BadPlayerConfig as error:
        raise BadOption(str(error)) from None
    game = settings.player_config.game
    if player_config.game != game:
        raise BadOption(f"{path} describes a player of {player_config.game}, not of {game}")
    return replace(settings, player_config=player_config, is_default_rating=False)


def _meet(settings: EngineSettings, words: str) -> EngineSettings:
    """UCI_Opponent: a title, a rating, computer or human, and a name."""
    rating = re.match(r"\S+\s+(\d{1,4})\b", words)
    told = int(rating[1]) if rating and int(rating[1]) <= _HIGHEST_RATING else None
    return replace(settings, player_config=replace(settings.player_config, opponent_rating=told))


_BOARDS = ("uci", "usi")

OPTIONS = (
    Option("player", _everywhere("player", "Player"), OptionKind.TEXT,
           "The file (TOML) that describes who plays; it sets most of the other options.",
           OptionAccessor(lambda settings: None, _sit_down)),
    Option("model", _everywhere("model", "Model"), OptionKind.TEXT,
           "The policy: a model's name, a network's file, or a policy's TOML.",
           _told("model")),
    Option("evaluator", _everywhere("evaluator", "Judge"), OptionKind.TEXT,
           "A network that searches in place of the model; none is the model itself.",
           _told("evaluator")),
    Option("rating", dict.fromkeys(_BOARDS, "Rating"), OptionKind.INTEGER,
           "Plays like people of this rating, where the policy knows ratings; 0 is not told.",
           _rating(), high=_HIGHEST_RATING, missing=0),
    Option("rank", {"gtp": "rank"}, OptionKind.RANK,
           "Plays like people of this rank, where the policy knows ranks.",
           _rating()),
    Option("limit-strength", {"uci": "UCI_LimitStrength"}, OptionKind.CHECK,
           "Whether UCI_Elo says how strong it plays, rather than Rating.",
           _own("limit_strength")),
    Option("elo", {"uci": "UCI_Elo"}, OptionKind.INTEGER,
           "The rating that it plays like with UCI_LimitStrength.",
           _own("elo"), low=100, high=_HIGHEST_RATING),
    Option("opponent-rating", dict.fromkeys(_BOARDS, "OpponentRating"), OptionKind.INTEGER,
           "Your rating: people play differently against others; 0 is as strong as the engine.",
           _told("opponent_rating"), high=_HIGHEST_RATING, missing=0),
    Option("opponent-rank", {"gtp": "opponent-rank"}, OptionKind.RANK,
           "Your rank: people play differently against others; none is as strong as the engine.",
           _told("opponent_rating")),
    Option("opponent", {"uci": "UCI_Opponent"}, OptionKind.TEXT,
           "Who the GUI says sits opposite; the rating in it becomes OpponentRating.",
           OptionAccessor(lambda settings: None, _meet)),
    Option("nodes", _everywhere("nodes", "Nodes"), OptionKind.INTEGER,
           "Positions that a move's search looks at; 0 or 1 plays by the policy alone.",
           _told("nodes"), high=_BILLION),
    Option("seconds", _everywhere("seconds", "Seconds"), OptionKind.NUMBER,
           "The most seconds that a move's search takes; 0 is no bound.",
           _told("seconds"), high=86_400, missing=0),
    Option("temperature", _everywhere("temperature", "Temperature"), OptionKind.NUMBER,
           "How freely moves are drawn: 0 always takes the first choice, 1 plays each as often as people do.",
           _told("temperature"), high=100),
    Option("c-puct", _everywhere("c-puct", "CPuct"), OptionKind.NUMBER,
           "How much the search follows the policy rather than what it finds.",
           _told("c_puct"), high=1000),
    Option("policy-temperature", _everywhere("policy-temperature", "PolicyTemperature"), OptionKind.NUMBER,
           "Above 1 the search takes the policy's moves for more alike, below 1 for less.",
           _told("policy_temperature"), low=0.01, high=100),
    Option("hash", _everywhere("hash", "Hash", "USI_Hash"), OptionKind.INTEGER,
           "Megabytes that the search's tree may take.",
           _told("memory"), low=1, high=1 << 20),
    Option("threads", _everywhere("threads", "Threads"), OptionKind.INTEGER,
           "Threads that run the network.",
           _told("threads"), low=1, high=1024),
    Option("multipv", dict.fromkeys(_BOARDS, "MultiPV"), OptionKind.INTEGER,
           "How many lines are reported.",
           _own("multipv"), low=1, high=500),
    Option("show-wdl", {"uci": "UCI_ShowWDL"}, OptionKind.CHECK,
           "Whether wins, draws and losses in a thousand are reported.",
           _own("show_wdl")),
    Option("ponder", {"uci": "Ponder", "usi": "USI_Ponder"}, OptionKind.CHECK,
           "Whether it thinks while you do; where moves are counted in nodes this makes it stronger.",
           _own("ponder")),
    Option("book", _everywhere("book", "Book"), OptionKind.TEXT,
           "An opening book: a file of games, or Polyglot's in chess.",
           _told("book")),
    Option("own-book", {"uci": "OwnBook", "usi": "USI_OwnBook"}, OptionKind.CHECK,
           "Whether the player opens from its book.",
           _own("own_book")),
    Option("resign-below", {"usi": "ResignBelow", "gtp": "resign-below"}, OptionKind.NUMBER,
           "Resigns where it keeps expecting less than this share of the points; 0 never does.",
           _told("resign_below"), high=1),
    Option("seed", _everywhere("seed", "Seed"), OptionKind.INTEGER,
           "The same seed and moves give the same game; -1 is another game each time.",
           _told("seed"), low=-1, high=2**31 - 1, missing=-1),
    Option("overhead", _everywhere("overhead", "Move Overhead"), OptionKind.INTEGER,
           "Milliseconds of each move that are lost between engine and clock.",
           _own("overhead"), high=10_000),
    Option("clear-hash", {"uci": "Clear Hash"}, OptionKind.BUTTON,
           "Forgets what was searched.",
           OptionAccessor(lambda settings: None, lambda settings, value: settings)),
)  # fmt: skip
"""In the order in which GUIs show them."""

CLEAR_HASH = "clear-hash"


def options_of(protocol: str) -> list[Option]:
    """The options that a protocol has."""
    return [option for option in OPTIONS if protocol in option.names]


def find_option(protocol: str, name: str) -> Option:
    """By its name, spaces and case ignored. Raises BadOption."""
    for option in options_of(protocol):
        if _plain(name) in (_plain(option.names[protocol]), _plain(option.flag)):
            return option
    known = ", ".join(option.names[protocol] for option in options_of(protocol))
    raise BadOption(f"there is no option '{name[:80]}'; there are {known}")


def declaration(option: Option, protocol: str, settings: EngineSettings) -> str:
    """The line by which UCI and USI tell a GUI of an option."""
    value = option.value(settings)
    name = f"option name {option.names[protocol]}"
    match option.kind:
        case OptionKind.BUTTON:
            return f"{name} type button"
        case OptionKind.CHECK:
            return f"{name} type check default {value}"
        case OptionKind.INTEGER:
            return f"{name} type spin default {value} min {option.low:.0f} max {option.high:.0f}"
    # The protocols have no fractions: they go as texts.
    return f"{name} type string default {value or EMPTY}"


def options_table() -> str:
    """All options as a table in Markdown: what docs/engines.md shows."""
    head = "| option | on the command line | usual | |\n|---|---|---|---|\n"
    return head + "".join(f"{_row(option)}\n" for option in OPTIONS)


def _row(option: Option) -> str:
    names = dict.fromkeys(f"`{name}`" for name in option.names.values())
    where = "" if len(option.names) == len(PROTOCOLS) else f" ({', '.join(option.names)})"
    flag = "" if option.kind is OptionKind.BUTTON else f"`--{option.flag}` {option.range_text()}"
    usual = option.value(EngineSettings.of(PROTOCOLS[next(iter(option.names))]))
    return f"| {', '.join(names)}{where} | {flag} | {usual} | {option.help} |"


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()
