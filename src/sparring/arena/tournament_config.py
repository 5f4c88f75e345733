"""Reads tournaments from TOML files. docs/arena.md shows one with every key."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

from sparring.arena.sprt import Sprt
from sparring.arena.tournament import (
    Adjudication,
    BadTournament,
    EngineConfig,
    EngineProtocol,
    NamedPlayerConfig,
    OpeningSuite,
    ParticipantConfig,
    StrengthPlayerConfig,
    Tournament,
    TournamentFormat,
)
from sparring.config import BadValue, PositiveInt, Seed, Source, from_table, is_file, read_toml
from sparring.games import GAMES, PROTOCOL_GAMES, describe
from sparring.players import BadPlayerConfig, PlayerConfig, SearchLimits, TimeControl, load_player_config
from sparring.players.levels import DIALS
from sparring.players.player_file import parse_player_config
from sparring.players.time_management import Seconds

GameCount: TypeAlias = Annotated[int, Meta(ge=1, le=10_000_000)]
OptionValue: TypeAlias = str | int | float | bool


@dataclass(frozen=True)
class TournamentFile:
    """A tournament: the keys of its TOML file."""

    game: str
    """Name of the game; it must have a record format and no hidden information."""
    player: tuple[Mapping[str, Any], ...]
    """At least two `[[player]]`."""
    name: str = ""
    """Name of the tournament; without it, that of the file."""
    games: GameCount | None = None
    """Number of games; `--games` overrides it."""
    format: TournamentFormat = "round-robin"
    """In a gauntlet the first player plays each of the others."""
    seed: Seed = 0
    """Seed of openings and of our own players."""
    rules: Mapping[str, Any] = field(default_factory=dict)
    """`[rules]`: options of the game, such as size and komi in Go (`sparring games`)."""
    openings: OpeningSuite | None = None
    """`[openings]`; without it games begin in the initial position."""
    clock: TimeControl | None = None
    """`[clock]`; without it engines need limits of their own."""
    adjudication: Adjudication = field(default_factory=Adjudication)
    """`[adjudication]`."""
    sprt: Sprt | None = None
    """`[sprt]`: stops a match of two players when the test is decided."""

    def __post_init__(self) -> None:
        playable = [name for name, rules in GAMES.items() if not rules().spec.hidden]
        if self.game not in playable:
            raise BadValue("game", self.game, f"one of {', '.join(playable)}")
        if len(self.player) < 2:
            raise ValueError("at least two [[player]] are needed")
        if self.sprt is not None and len(self.player) != 2:
            raise ValueError(f"[sprt] is for two players, not {len(self.player)}")
        if self.clock is not None:
            if not self.clock.base + self.clock.byoyomi:
                raise ValueError("[clock] needs a positive 'base' or 'byoyomi'")
            engine = describe(self.game).engine
            if self.clock.byoyomi and not (engine is not None and engine.byoyomi):
                raise ValueError(f"[clock]: {self.game} has no byoyomi; use 'increment'")


@dataclass(frozen=True)
class EngineEntry:
    """A `[[player]]` with a protocol: an external engine."""

    name: str
    """Name in the results."""
    protocol: EngineProtocol
    """UCI for chess, USI for shogi, GTP for Go."""
    command: tuple[str, ...]
    """The program and its arguments."""
    options: Mapping[str, OptionValue] = field(default_factory=dict)
    """UCI and USI options, such as `{ Hash = 64 }`; the engine must declare every one of them."""
    commands: tuple[str, ...] = ()
    """GTP commands that are sent at the start."""
    env: Mapping[str, OptionValue] = field(default_factory=dict)
    """Environment variables."""
    folder: Path | None = None
    """Working directory, relative to the tournament's file."""
    nodes: PositiveInt | None = None
    """Nodes a move, instead of the clock's times in `go`."""
    depth: PositiveInt | None = None
    """Depth in plies, instead of the clock's times in `go`."""
    movetime: Annotated[float, Meta(gt=0, le=1_000_000)] | None = None
    """Seconds a move, instead of the clock's times in `go`."""
    start_seconds: Seconds = 20.0
    """Time limit of the handshake, and of getting ready for a game."""
    move_seconds: Seconds = 120.0
    """Time limit of a move without clock and movetime."""
    stop_seconds: Seconds = 2.0
    """Time limit of `stop` and `quit`; then the engine is killed."""

    def __post_init__(self) -> None:
        if not self.command or not self.command[0]:
            raise BadValue(
                "command", list(self.command), "a program and its arguments, such as ['stockfish']"
            )
        if self.protocol == "gtp" and (self.options or self.nodes or self.depth):
            raise ValueError("GTP has no options, nodes or depth; use 'commands' or the engine's own file")
        if self.protocol != "gtp" and self.commands:
            raise ValueError("'commands' are for GTP; use 'options'")

    def engine_config(self) -> EngineConfig:
        """The engine with option values as text."""
        own = {key: value for key, value in vars(self).items() if key not in ("nodes", "depth", "movetime")}
        own["options"] = {key: _text(value) for key, value in self.options.items()}
        own["env"] = {key: str(value) for key, value in self.env.items()}
        return EngineConfig(**own, limits=SearchLimits(self.nodes, self.depth, self.movetime))


def read_tournament(path: Path, games: int | None = None) -> Tournament:
    """Reads a tournament's TOML file; `games` overrides its number of games. Raises BadTournament."""
    return parse_tournament(read_toml(path, BadTournament), path, games)


def parse_tournament(table: Mapping[str, Any], path: Path, games: int | None) -> Tournament:
    """Makes a tournament from the table of the file at `path`. Raises BadTournament."""
    source = Source(path, BadTournament)
    wanted = {} if games is None else {"games": games}
    file = from_table(TournamentFile, {**table, **wanted}, source)
    if file.games is None:
        raise source.fault("missing key 'games': expected the number of games (or give --games)")
    return Tournament(
        name=file.name or path.stem,
        game=file.game,
        entries=_players(file, source),
        games=file.games,
        format=file.format,
        seed=file.seed,
        rules=_rules(file, source),
        openings=file.openings,
        clock=file.clock,
        adjudication=file.adjudication,
        sprt=file.sprt,
    )


def _players(file: TournamentFile, source: Source) -> tuple[ParticipantConfig, ...]:
    players = tuple(
        parse_participant(
            table, file.game, source.inside(f"player[{number}]"), has_clock=file.clock is not None
        )
        for number, table in enumerate(file.player, 1)
    )
    names = [player.name for player in players]
    for number, name in enumerate(names, 1):
        if name in names[: number - 1]:
            raise source.bad_value(f"player[{number}].name", name, "another name: two players are named so")
    return players


def parse_participant(
    table: Mapping[str, Any], game: str, source: Source, *, has_clock: bool = False
) -> ParticipantConfig:
    """Makes a participant from a `[[player]]`. Without a clock an engine needs limits. Raises the exception
    of the source."""
    name = table.get("name")
    if not isinstance(name, str) or not name.strip() or not name.isprintable():
        raise source.bad_value("name", name, "the name of the player, printable text")
    if "protocol" in table:
        return _engine(from_table(EngineEntry, table, source), game, source, has_clock)
    if "strength" in table:
        return from_table(StrengthPlayerConfig, table, source)
    return NamedPlayerConfig(name, _player_config(table, game, source))


def _player_config(table: Mapping[str, Any], game: str, source: Source) -> PlayerConfig:
    """The player of a TOML file (`file`), of the keys here, or of both; the keys here count."""
    keys = {key: value for key, value in table.items() if key != "file"}
    here = parse_player_config({"game": game, **keys}, source)
    if "file" not in table:
        return here
    path = source.folder / table["file"] if isinstance(table["file"], str) else source.folder
    if not is_file(path):
        raise source.bad_value("file", table["file"], "the TOML file of a player")
    try:
        there = load_player_config(path)
    except BadPlayerConfig as error:
        raise source.fault(f"{source.key_path('file')}: {error}") from None
    if there.game != game:
        raise source.bad_value("file", table["file"], f"a player of {game}, not of {there.game}")
    changed = {*keys, "model", *DIALS} if "level" in keys else set(keys)
    return dataclasses.replace(there, **{key: getattr(here, key) for key in changed})


def _engine(entry: EngineEntry, game: str, source: Source, has_clock: bool) -> EngineConfig:
    if (other := PROTOCOL_GAMES[entry.protocol]) != game:
        raise source.bad_value("protocol", entry.protocol, f"a protocol for {game}; this one is for {other}")
    engine = entry.engine_config()
    if entry.protocol != "gtp" and not has_clock and not engine.limits.bounded:
        raise source.fault(f"{source.path} needs nodes, depth or movetime, or the tournament a [clock]")
    return engine


def _rules(file: TournamentFile, source: Source) -> dict[str, Any]:
    """The options of the game. In chess, claimable draws are claimed unless the file says otherwise."""
    made = from_table(GAMES[file.game], file.rules, source.inside("rules"))
    rules = {option.name: getattr(made, option.name) for option in dataclasses.fields(made)}
    return {**rules, "claim_draws": file.rules.get("claim_draws", True)} if "claim_draws" in rules else rules


def _text(value: OptionValue) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
