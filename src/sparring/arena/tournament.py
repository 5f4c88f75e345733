"""A tournament: players, rules, openings, clock. It is read from a TOML file."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias

import numpy as np
from msgspec import Meta

from sparring.base.clock import Seconds
from sparring.base.config import Count, PositiveInt, Seed, Source, bad_value, from_table, is_file, read_toml
from sparring.base.errors import BadConfig
from sparring.games import GAMES, Game, describe, load_game, protocol_games
from sparring.games import EngineProtocol as EngineProtocol
from sparring.measure.ratings import Sprt
from sparring.players import STRENGTHS, PlayerConfig, SearchLimits, TimeControl, load_player_config
from sparring.players.engines import EngineConfig, option_text
from sparring.players.player_config import LEVEL_KEYS, parse_player_config

TournamentFormat: TypeAlias = Literal["round-robin", "gauntlet"]


@dataclass(frozen=True)
class StrengthPlayerConfig:
    """A small search player."""

    name: str
    """Name in the results."""
    strength: int
    """Strength from `players.STRENGTHS`."""

    def __post_init__(self) -> None:
        if self.strength not in STRENGTHS:
            raise bad_value("strength", self.strength, f"an integer from {STRENGTHS[0]} to {STRENGTHS[-1]}")


ParticipantConfig: TypeAlias = EngineConfig | StrengthPlayerConfig | PlayerConfig


@dataclass(frozen=True)
class OpeningSuite:
    """`[openings]`: the positions in which games begin."""

    file: Path
    """PGN, EPD, FEN, SFEN, SGF, KIF or CSA; also compressed (.gz, .zst, .zip)."""
    plies: Count = 16
    """Moves of a recorded game that are played before the players take over."""
    every: Count = 0
    """If positive, an opening is taken from a recorded game after each so many moves, up to `plies`."""


@dataclass(frozen=True)
class ResignRule:
    """A game is won once both engines agree: scores of the loser <= -score, of the winner >= score."""

    score: Count
    """Centipawns."""
    moves: PositiveInt
    """Consecutive moves of each side."""


@dataclass(frozen=True)
class DrawRule:
    """A game is drawn once the scores of both engines stay within `score` of 0."""

    score: Count
    """Centipawns."""
    moves: PositiveInt
    """Consecutive moves of each side."""
    after: Count
    """First ply of a draw by this rule."""


@dataclass(frozen=True)
class Adjudication:
    """`[adjudication]`: ends of games before the rules end them."""

    resign: ResignRule | None = None
    """Wins by score, such as `{ score = 600, moves = 4 }`."""
    draw: DrawRule | None = None
    """Draws by score, such as `{ score = 10, moves = 8, after = 80 }`."""
    plies: PositiveInt = 1000
    """Length at which a game is drawn."""


@dataclass(frozen=True)
class Tournament:
    """Everything that decides which games are played."""

    name: str
    game: str
    entries: tuple[ParticipantConfig, ...]
    games: int
    format: TournamentFormat = "round-robin"
    seed: int = 0
    rules: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game, such as komi."""
    openings: OpeningSuite | None = None
    clock: TimeControl | None = None
    adjudication: Adjudication = Adjudication()
    sprt: Sprt | None = None

    def load_game(self) -> Game[Any]:
        """The game with its options."""
        return load_game(self.game, **self.rules)

    @property
    def names(self) -> list[str]:
        """The players' names, in their order."""
        return [entry.name for entry in self.entries]

    def fingerprint(self) -> str:
        """A hash of all options that the games depend on. A resumed tournament must have the same one; only
        the number of games may change."""
        facts = dataclasses.asdict(self)
        for free in ("name", "games", "sprt"):
            del facts[free]
        if self.openings is not None:
            facts["openings"]["file"] = hashlib.blake2b(self.openings.file.read_bytes()).hexdigest()
        if self.clock is not None:
            facts["clock"] = self.clock.used_keys()
        facts["entries"] = [
            {"name": entry["name"], "player_config": entry} if isinstance(config, PlayerConfig) else entry
            for config, entry in zip(self.entries, facts["entries"], strict=True)
        ]
        for entry in facts["entries"]:
            if limits := entry.get("limits"):  # as earlier versions wrote them
                entry["limits"] = {
                    "nodes": limits["nodes"],
                    "depth": limits["depth"],
                    "movetime": limits["seconds"],
                }
        text = json.dumps(facts, sort_keys=True, default=str)
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()


# Reads tournaments from TOML files. docs/arena.md shows one with every key.


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
        playable = [name for name in GAMES if not load_game(name).spec.hidden]
        if self.game not in playable:
            raise bad_value("game", self.game, f"one of {', '.join(playable)}")
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
            raise bad_value(
                "command", list(self.command), "a program and its arguments, such as ['stockfish']"
            )
        if self.protocol == "gtp" and (self.options or self.nodes or self.depth):
            raise ValueError("GTP has no options, nodes or depth; use 'commands' or the engine's own file")
        if self.protocol != "gtp" and self.commands:
            raise ValueError("'commands' are for GTP; use 'options'")

    def engine_config(self) -> EngineConfig:
        """The engine with option values as text."""
        own = {key: value for key, value in vars(self).items() if key not in ("nodes", "depth", "movetime")}
        own["options"] = {key: option_text(value) for key, value in self.options.items()}
        own["env"] = {key: str(value) for key, value in self.env.items()}
        return EngineConfig(**own, limits=SearchLimits(self.nodes, self.depth, self.movetime))


def read_tournament(path: Path, games: int | None = None) -> Tournament:
    """Reads a tournament's TOML file; `games` overrides its number of games. Raises BadConfig."""
    return parse_tournament(read_toml(path), path, games)


def parse_tournament(table: Mapping[str, Any], path: Path, games: int | None) -> Tournament:
    """Makes a tournament from the table of the file at `path`. Raises BadConfig."""
    source = Source(path)
    wanted = {} if games is None else {"games": games}
    file = from_table(TournamentFile, {**table, **wanted}, source)
    if file.games is None:
        raise source.fault("missing key 'games': expected the number of games (or give --games)")
    same = ("game", "format", "seed", "openings", "clock", "adjudication", "sprt")
    return Tournament(
        name=file.name or path.stem,
        entries=_players(file, source),
        games=file.games,
        rules=_rules(file, source),
        **{key: getattr(file, key) for key in same},
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
    return _player_config(table, game, source)


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
    except BadConfig as error:
        raise source.fault(f"{source.key_path('file')}: {error}") from None
    if there.game != game:
        raise source.bad_value("file", table["file"], f"a player of {game}, not of {there.game}")
    changed = {*keys, "model", *LEVEL_KEYS} if "level" in keys else set(keys)
    return dataclasses.replace(there, **{key: getattr(here, key) for key in changed})


def _engine(entry: EngineEntry, game: str, source: Source, has_clock: bool) -> EngineConfig:
    if (other := protocol_games()[entry.protocol]) != game:
        raise source.bad_value("protocol", entry.protocol, f"a protocol for {game}; this one is for {other}")
    engine = entry.engine_config()
    if entry.protocol != "gtp" and not has_clock and not engine.limits.bounded:
        raise source.fault(f"{source.path} needs nodes, depth or movetime, or the tournament a [clock]")
    return engine


def _rules(file: TournamentFile, source: Source) -> dict[str, Any]:
    """The options of the game. In chess, claimable draws are claimed unless the file says otherwise."""
    made = from_table(describe(file.game).rules, file.rules, source.inside("rules"))
    rules = {option.name: getattr(made, option.name) for option in dataclasses.fields(made)}
    return {**rules, "claim_draws": file.rules.get("claim_draws", True)} if "claim_draws" in rules else rules


# The schedule: a sequence of games that depends on the tournament and its seed only.


@dataclass(frozen=True)
class Pairing:
    """One game of the schedule."""

    number: int
    """From 0. Games 2k and 2k + 1 are the same two players from the same opening with colours swapped."""
    first: int
    """Player 0, as an index into the tournament's entries."""
    second: int
    opening: int


def pairing_of(tournament: Tournament, number: int, openings: int) -> Pairing:
    """Game `number` of the schedule, with `openings` openings.

    All openings are used before one is repeated, in an order drawn from the seed.
    """
    first, second, round_ = meeting_of(len(tournament.entries), tournament.format, number)
    lap, place = divmod(round_, openings)
    order = np.random.default_rng([tournament.seed, lap]).permutation(openings)
    return Pairing(number, first, second, int(order[place]))


def meeting_of(players: int, form: TournamentFormat, number: int) -> tuple[int, int, int]:
    """Player 0, player 1 and the round of game `number` among so many players.

    In each round all pairs of players (in a gauntlet: the first player with each other player) meet twice
    from one opening, with colours swapped.
    """
    pairs = list(combinations(range(players), 2))
    if form == "gauntlet":
        pairs = pairs[: players - 1]  # those of the first player
    meeting, swapped = divmod(number, 2)
    round_, pair = divmod(meeting, len(pairs))
    first, second = pairs[pair][::-1] if swapped else pairs[pair]
    return first, second, round_


def seeds_of(tournament: Tournament, number: int) -> tuple[int, int]:
    """Seeds of player 0 and player 1 in a game."""
    first, second = np.random.SeedSequence([tournament.seed, number]).generate_state(2, np.uint64)
    return int(first), int(second)
