"""Tournaments as TOML files. `docs/arena.md` shows one, with every entry."""

from __future__ import annotations

import dataclasses
import tomllib
import typing
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TypeVar

from sparring.arena.sprt import Sprt
from sparring.arena.tournament import (
    PROTOCOL_GAMES,
    Adjudication,
    BadTournament,
    DrawRule,
    EngineConfig,
    EngineLimits,
    LevelPlayerConfig,
    NamedPlayerConfig,
    OpeningSuite,
    ParticipantConfig,
    ResignRule,
    TimeControl,
    Tournament,
    TournamentFormat,
)
from sparring.entries import TypeMismatch, coerce, field_names, missing_fields
from sparring.games import GAMES
from sparring.players import LEVELS, BadPlayerConfig, load_player_config
from sparring.players.player_config import parse_player_config
from sparring.records.export import WRITERS

T = TypeVar("T")

_LIMITS = tuple(field.name for field in dataclasses.fields(EngineLimits))
_MOST_GAMES = 10_000_000
_MOST_SECONDS = 1_000_000
_LARGEST = 1 << 53


def read_tournament(path: Path, games: int | None = None) -> Tournament:
    """What a tournament's file says; `games` overrides its number. Raises BadTournament or OSError."""
    try:
        return parse_tournament(tomllib.loads(path.read_text(encoding="utf-8")), path.resolve(), games)
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise BadTournament(f"{path} is no TOML file: {error}") from None
    except ValueError as error:
        raise BadTournament(f"{path}: {error}") from None


def parse_tournament(entries: dict[str, Any], path: Path, games: int | None) -> Tournament:
    """The tournament that a table says; `path` is where it stands. Raises ValueError."""
    known = ("name", "game", "format", "games", "seed", "rules", "openings", "clock", "adjudication", "sprt")
    _check_keys(entries, (*known, "player"), "the tournament")
    game = entries.get("game")
    # Games must be open, and have a form in which they are written down.
    playable = [name for name in WRITERS if not GAMES[name]().spec.hidden]
    if game not in playable:
        raise ValueError(f"'game' is one of {', '.join(playable)}, not {game!r}")
    wanted = entries.get("games") if games is None else games
    if not isinstance(wanted, int) or not 1 <= wanted <= _MOST_GAMES:
        raise ValueError("'games' is how many games are to be played (or give --games)")
    clock = _table(TimeControl, entries, "clock")
    tournament = Tournament(
        name=_checked(str, entries.get("name", path.stem), "name"),
        game=game,
        entries=_players(entries.get("player"), path.parent, game, clock),
        games=wanted,
        format=_checked(TournamentFormat, entries.get("format", "round-robin"), "format"),
        seed=_checked(int, entries.get("seed", 0), "seed"),
        rules=_rules(game, entries.get("rules", {})),
        openings=_openings(entries.get("openings"), path.parent),
        clock=clock,
        adjudication=_adjudication(entries.get("adjudication", {})),
        sprt=_table(Sprt, entries, "sprt"),
    )
    _check(tournament)
    return tournament


def _check(tournament: Tournament) -> None:
    """What no single entry shows."""
    if tournament.seed < 0:
        raise ValueError(f"'seed' is 0 or more, not {tournament.seed}")
    if tournament.sprt is not None and len(tournament.entries) != 2:
        raise ValueError(f"[sprt] is between two players; there are {len(tournament.entries)}")
    clock = tournament.clock
    if clock is not None:
        seconds = (clock.base, clock.increment, clock.byoyomi, clock.margin)
        if min(seconds) < 0 or max(seconds) > _MOST_SECONDS or not clock.base + clock.byoyomi:
            raise ValueError(f"[clock] needs some 'base' (or 'byoyomi'), and all from 0 to {_MOST_SECONDS:,}")
        if clock.byoyomi and tournament.game not in ("shogi", "go"):
            raise ValueError(f"[clock]: {tournament.game} has no byoyomi; use 'increment'")


def _players(
    tables: object, folder: Path, game: str, clock: TimeControl | None
) -> tuple[ParticipantConfig, ...]:
    if not isinstance(tables, list) or len(tables) < 2 or not all(isinstance(each, dict) for each in tables):
        raise ValueError("at least two [[player]] are needed")
    players = tuple(_player(number, table, folder, game) for number, table in enumerate(tables, 1))
    names = [player.name for player in players]
    if doubled := next((name for name in names if names.count(name) > 1), None):
        raise ValueError(f"two players are named {doubled!r}")
    for player in players:
        if (
            isinstance(player, EngineConfig)
            and player.protocol != "gtp"
            and not clock
            and not player.limits.any
        ):
            raise ValueError(f"{player.name} needs {', '.join(_LIMITS)}, or the tournament a [clock]")
    return players


def _player(number: int, table: dict[str, Any], folder: Path, game: str) -> ParticipantConfig:
    where = f"[[player]] {number}"
    name = table.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise ValueError(f"{where} needs a 'name'")
    if "level" in table and "protocol" not in table:
        player = _made(LevelPlayerConfig, table, where)
        if player.level not in LEVELS:
            raise ValueError(f"{name}: 'level' is from {LEVELS[0]} to {LEVELS[-1]}, not {player.level}")
        return player
    if "protocol" not in table:
        return _mind(name, table, folder, game)
    limits = _made(EngineLimits, {key: table[key] for key in _LIMITS if key in table}, where)
    rest = {key: value for key, value in table.items() if key not in _LIMITS}
    rest["options"] = {key: _option_text(value) for key, value in _mapping(rest, "options", where).items()}
    rest["env"] = {key: str(value) for key, value in _mapping(rest, "env", where).items()}
    rest["folder"] = folder / str(rest["folder"]) if "folder" in rest else None
    engine = dataclasses.replace(_made(EngineConfig, rest, where, also=_LIMITS), limits=limits)
    return _checked_engine(engine, game)


def _mind(name: str, table: dict[str, Any], folder: Path, game: str) -> NamedPlayerConfig:
    """A player's TOML file (`file`), or its entries here; what is said here counts."""
    entries = {key: value for key, value in table.items() if key != "file"}
    try:
        if "file" not in table:
            return NamedPlayerConfig(name, parse_player_config({"game": game, **entries}, folder))
        player_config = load_player_config(folder / str(table["file"]))
        if player_config.game != game:
            raise ValueError(f"{name}: {table['file']} is a player of {player_config.game}, not of {game}")
        given = parse_player_config({"game": game, **entries}, folder)
        return NamedPlayerConfig(
            name, dataclasses.replace(player_config, **{key: getattr(given, key) for key in entries})
        )
    except (BadPlayerConfig, OSError) as error:
        raise ValueError(f"{name}: {error}") from None


def _checked_engine(engine: EngineConfig, game: str) -> EngineConfig:
    if PROTOCOL_GAMES[engine.protocol] != game:
        raise ValueError(
            f"{engine.name} speaks {engine.protocol}, which is for {PROTOCOL_GAMES[engine.protocol]}"
        )
    if not engine.command:
        raise ValueError(f"{engine.name}: 'command' is the program and its arguments, such as ['stockfish']")
    if engine.protocol == "gtp" and (engine.options or engine.limits.nodes or engine.limits.depth):
        raise ValueError(f"{engine.name}: GTP has no options, nodes or depth; use 'commands' or its own file")
    if engine.protocol != "gtp" and engine.commands:
        raise ValueError(f"{engine.name}: 'commands' are for GTP; use 'options'")
    numbers = (engine.limits.nodes, engine.limits.depth, engine.limits.movetime)
    if any(number is not None and number <= 0 for number in numbers):
        raise ValueError(f"{engine.name}: {', '.join(_LIMITS)} are more than 0")
    return engine


def _rules(game: str, table: object) -> dict[str, Any]:
    """The options of a game; in chess a draw that may be claimed is, unless the file says otherwise."""
    if not isinstance(table, dict):
        raise ValueError("[rules] is a table of the game's options")
    made = _made(GAMES[game], table, f"[rules] of {game}")
    rules = {field.name: getattr(made, field.name) for field in dataclasses.fields(made)}
    return {**rules, "claim_draws": table.get("claim_draws", True)} if "claim_draws" in rules else rules


def _openings(table: object, folder: Path) -> OpeningSuite | None:
    if table is None:
        return None
    if not isinstance(table, dict) or not isinstance(table.get("file"), str):
        raise ValueError("[openings] needs a 'file'")
    openings = _made(OpeningSuite, {**table, "file": folder / table["file"]}, "[openings]")
    for entry in ("plies", "every"):
        if (value := getattr(openings, entry)) < 0:
            raise ValueError(f"[openings]: '{entry}' is 0 or more, not {value}")
    return openings


def _adjudication(table: object) -> Adjudication:
    if not isinstance(table, dict):
        raise ValueError("[adjudication] is a table")
    parts = dict(table)
    for name, kind in (("resign", ResignRule), ("draw", DrawRule)):
        if name in parts:
            parts[name] = _table(kind, parts, name)
    rules = _made(Adjudication, parts, "[adjudication]")
    if rules.plies < 1 or any(
        part and (part.score < 0 or part.moves < 1) for part in (rules.resign, rules.draw)
    ):
        raise ValueError("[adjudication]: 'plies' and 'moves' are 1 or more, 'score' 0 or more")
    return rules


def _table(kind: type[T], entries: Mapping[str, Any], name: str) -> T | None:
    if name not in entries:
        return None
    if not isinstance(entries[name], dict):
        raise ValueError(f"[{name}] is a table")
    return _made(kind, entries[name], f"[{name}]")


def _made(kind: type[T], table: Mapping[str, Any], where: str, also: tuple[str, ...] = ()) -> T:
    """A dataclass from a table whose entries are its fields, each of the type that the class says."""
    hints = typing.get_type_hints(kind)
    _check_keys(table, field_names(kind), where, also)
    values = {key: _checked(hints[key], value, f"{key} of {where}") for key, value in table.items()}
    for name in missing_fields(kind, values):
        raise ValueError(f"{where} needs '{name}'")
    return kind(**values)


def _checked(hint: Any, value: Any, what: str) -> Any:
    """A value of the type that the hint says, no number of it absurdly large."""
    try:
        fitted = coerce(hint, value)
    except TypeMismatch as error:
        raise ValueError(f"'{what}' {error}") from None
    if type(value) in (int, float) and not abs(value) <= _LARGEST:
        raise ValueError(f"'{what}' is a number of common size, not {value}")
    return fitted


def _mapping(table: dict[str, Any], name: str, where: str) -> dict[str, Any]:
    value = table.get(name, {})
    if not isinstance(value, dict):
        raise ValueError(f"'{name}' of {where} is a table, not {value!r}")
    return value


def _option_text(value: object) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _check_keys(
    table: Mapping[str, Any], known: tuple[str, ...], what: str, also: tuple[str, ...] = ()
) -> None:
    for key in table:
        if key not in known:
            shown = ", ".join(dict.fromkeys((*(name for name in known if name != "limits"), *also)))
            raise ValueError(f"{what} has no entry '{key}'; there are {shown}")
