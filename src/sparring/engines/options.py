"""The options of the engines, declared once: for UCI, USI, GTP, the command line and the docs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

from sparring.engines.option import EMPTY, BadOption, Effect, Kind, Option
from sparring.engines.settings import Settings
from sparring.players.description import BadDescription, load_description

PROTOCOLS = {"uci": "chess", "usi": "shogi", "gtp": "go"}
"""The protocols, and the game that each is for."""

_BILLION = 1_000_000_000
_HIGHEST_RATING = 4000


def _everywhere(flag: str, name: str, usi: str | None = None) -> dict[str, str]:
    return {"uci": name, "usi": usi or name, "gtp": flag}


def _told(field: str) -> Effect:
    """Reads and changes a field of the player's description."""

    def change(settings: Settings, value: Any) -> Settings:
        return replace(settings, description=replace(settings.description, **{field: value}))

    return Effect(lambda settings: getattr(settings.description, field), change)


def _rating() -> Effect:
    """Reads and changes the player's rating, which is then no longer the usual one."""
    read, change = _told("rating")
    return Effect(read, lambda settings, value: replace(change(settings, value), usual_rating=False))


def _own(field: str) -> Effect:
    """Reads and changes a field of the engine's settings."""
    return Effect(
        lambda settings: getattr(settings, field),
        lambda settings, value: replace(settings, **{field: value}),
    )


def _sit_down(settings: Settings, path: str) -> Settings:
    """Another player, from its file; none for the one who sits there."""
    if not path:
        return settings
    try:
        description = load_description(Path(path))
    except (OSError, BadDescription) as error:
        raise BadOption(str(error)) from None
    game = settings.description.game
    if description.game != game:
        raise BadOption(f"{path} describes a player of {description.game}, not of {game}")
    return replace(settings, description=description, usual_rating=False)


def _meet(settings: Settings, words: str) -> Settings:
    """UCI_Opponent: a title, a rating, computer or human, and a name."""
    rating = re.match(r"\S+\s+(\d{1,4})\b", words)
    told = int(rating[1]) if rating and int(rating[1]) <= _HIGHEST_RATING else None
    return replace(settings, description=replace(settings.description, opponent_rating=told))


_BOARDS = ("uci", "usi")

OPTIONS = (
    Option("player", _everywhere("player", "Player"), Kind.TEXT,
           "The file (TOML) that describes who plays; it sets most of the other options.",
           Effect(lambda settings: None, _sit_down)),
    Option("model", _everywhere("model", "Model"), Kind.TEXT,
           "The policy: a model's name, a network's file, or a policy's TOML.",
           _told("model")),
    Option("judge", _everywhere("judge", "Judge"), Kind.TEXT,
           "A network that searches in place of the model; none is the model itself.",
           _told("judge")),
    Option("rating", dict.fromkeys(_BOARDS, "Rating"), Kind.WHOLE,
           "Plays like people of this rating, where the policy knows ratings; 0 is not told.",
           _rating(), high=_HIGHEST_RATING, missing=0),
    Option("rank", {"gtp": "rank"}, Kind.RANK,
           "Plays like people of this rank, where the policy knows ranks.",
           _rating()),
    Option("limit-strength", {"uci": "UCI_LimitStrength"}, Kind.CHECK,
           "Whether UCI_Elo says how strong it plays, rather than Rating.",
           _own("limit_strength")),
    Option("elo", {"uci": "UCI_Elo"}, Kind.WHOLE,
           "The rating that it plays like with UCI_LimitStrength.",
           _own("elo"), low=100, high=_HIGHEST_RATING),
    Option("opponent-rating", dict.fromkeys(_BOARDS, "OpponentRating"), Kind.WHOLE,
           "Your rating: people play differently against others; 0 is as strong as the engine.",
           _told("opponent_rating"), high=_HIGHEST_RATING, missing=0),
    Option("opponent-rank", {"gtp": "opponent-rank"}, Kind.RANK,
           "Your rank: people play differently against others; none is as strong as the engine.",
           _told("opponent_rating")),
    Option("opponent", {"uci": "UCI_Opponent"}, Kind.TEXT,
           "Who the GUI says sits opposite; the rating in it becomes OpponentRating.",
           Effect(lambda settings: None, _meet)),
    Option("nodes", _everywhere("nodes", "Nodes"), Kind.WHOLE,
           "Positions that a move's search looks at; 0 or 1 plays by the policy alone.",
           _told("nodes"), high=_BILLION),
    Option("seconds", _everywhere("seconds", "Seconds"), Kind.NUMBER,
           "The most seconds that a move's search takes; 0 is no bound.",
           _told("seconds"), high=86_400, missing=0),
    Option("temperature", _everywhere("temperature", "Temperature"), Kind.NUMBER,
           "How freely moves are drawn: 0 always takes the first choice, 1 plays each as often as people do.",
           _told("temperature"), high=100),
    Option("c-puct", _everywhere("c-puct", "CPuct"), Kind.NUMBER,
           "How much the search follows the policy rather than what it finds.",
           _told("c_puct"), high=1000),
    Option("policy-temperature", _everywhere("policy-temperature", "PolicyTemperature"), Kind.NUMBER,
           "Above 1 the search takes the policy's moves for more alike, below 1 for less.",
           _told("prior_temperature"), low=0.01, high=100),
    Option("hash", _everywhere("hash", "Hash", "USI_Hash"), Kind.WHOLE,
           "Megabytes that the search's tree may take.",
           _told("memory"), low=1, high=1 << 20),
    Option("threads", _everywhere("threads", "Threads"), Kind.WHOLE,
           "Threads that run the network.",
           _told("threads"), low=1, high=1024),
    Option("multipv", dict.fromkeys(_BOARDS, "MultiPV"), Kind.WHOLE,
           "How many lines are reported.",
           _own("multipv"), low=1, high=500),
    Option("show-wdl", {"uci": "UCI_ShowWDL"}, Kind.CHECK,
           "Whether wins, draws and losses in a thousand are reported.",
           _own("show_wdl")),
    Option("ponder", {"uci": "Ponder", "usi": "USI_Ponder"}, Kind.CHECK,
           "Whether it thinks while you do; where moves are counted in nodes this makes it stronger.",
           _own("ponder")),
    Option("book", _everywhere("book", "Book"), Kind.TEXT,
           "An opening book: a file of games, or Polyglot's in chess.",
           _told("book")),
    Option("own-book", {"uci": "OwnBook", "usi": "USI_OwnBook"}, Kind.CHECK,
           "Whether the player opens from its book.",
           _own("own_book")),
    Option("resign-below", {"usi": "ResignBelow", "gtp": "resign-below"}, Kind.NUMBER,
           "Resigns where it keeps expecting less than this share of the points; 0 never does.",
           _told("resign_below"), high=1),
    Option("seed", _everywhere("seed", "Seed"), Kind.WHOLE,
           "The same seed and moves give the same game; -1 is another game each time.",
           _told("seed"), low=-1, high=2**31 - 1, missing=-1),
    Option("overhead", _everywhere("overhead", "Move Overhead"), Kind.WHOLE,
           "Milliseconds of each move that are lost between engine and clock.",
           _own("overhead"), high=10_000),
    Option("clear-hash", {"uci": "Clear Hash"}, Kind.BUTTON,
           "Forgets what was searched.",
           Effect(lambda settings: None, lambda settings, value: settings)),
)  # fmt: skip
"""In the order in which GUIs show them."""

FORGETS = "clear-hash"


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


def declaration(option: Option, protocol: str, settings: Settings) -> str:
    """The line by which UCI and USI tell a GUI of an option."""
    value = option.value(settings)
    name = f"option name {option.names[protocol]}"
    match option.kind:
        case Kind.BUTTON:
            return f"{name} type button"
        case Kind.CHECK:
            return f"{name} type check default {value}"
        case Kind.WHOLE:
            return f"{name} type spin default {value} min {option.low:.0f} max {option.high:.0f}"
    # The protocols have no fractions: they go as texts.
    return f"{name} type string default {value or EMPTY}"


def table() -> str:
    """All options as a table in Markdown: what docs/engines.md shows."""
    head = "| option | on the command line | usual | |\n|---|---|---|---|\n"
    return head + "".join(f"{_row(option)}\n" for option in OPTIONS)


def _row(option: Option) -> str:
    names = dict.fromkeys(f"`{name}`" for name in option.names.values())
    where = "" if len(option.names) == len(PROTOCOLS) else f" ({', '.join(option.names)})"
    flag = "" if option.kind is Kind.BUTTON else f"`--{option.flag}` {option.range_text()}"
    usual = option.value(Settings.of(PROTOCOLS[next(iter(option.names))]))
    return f"| {', '.join(names)}{where} | {flag} | {usual} | {option.help} |"


def _plain(name: str) -> str:
    return re.sub(r"[\s_-]", "", name).lower()
