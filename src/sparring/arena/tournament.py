"""A tournament: who plays whom, by which rules and limits. `tournament_files.py` reads it from TOML."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sparring.arena.sprt import Sprt
from sparring.games import Game, load
from sparring.players import PlayerConfig

EngineProtocol: TypeAlias = Literal["uci", "usi", "gtp"]
TournamentFormat: TypeAlias = Literal["round-robin", "gauntlet"]

PROTOCOL_GAMES: dict[EngineProtocol, str] = {"uci": "chess", "usi": "shogi", "gtp": "go"}
"""The game that each protocol is for."""


class BadTournament(Exception):
    """A tournament that cannot be played; the message says what is wrong and what is expected."""


@dataclass(frozen=True)
class TimeControl:
    """A chess clock, in seconds."""

    base: float
    increment: float = 0.0
    byoyomi: float = 0.0
    """Seconds for each move once the base is used up; in shogi and Go."""
    margin: float = 0.05
    """How far a clock may be overstepped before it counts: operating systems lag too."""

    def __str__(self) -> str:
        return f"{self.base:g}+{self.increment:g}" + (f" {self.byoyomi:g} byo-yomi" if self.byoyomi else "")


@dataclass(frozen=True)
class EngineLimits:
    """How long an engine may think, beyond the clock."""

    nodes: int | None = None
    depth: int | None = None
    movetime: float | None = None
    """Seconds a move."""

    @property
    def any(self) -> bool:
        """Whether there is one."""
        return (self.nodes, self.depth, self.movetime) != (None, None, None)


@dataclass(frozen=True)
class EngineConfig:
    """A program that speaks a protocol."""

    name: str
    protocol: EngineProtocol
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    """For `setoption`; every one must be among those that the engine declares."""
    commands: tuple[str, ...] = ()
    """GTP commands to be sent at the start."""
    env: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    limits: EngineLimits = EngineLimits()
    start_seconds: float = 20.0
    """How long the handshake may take, and how long getting ready for a game."""
    move_seconds: float = 120.0
    """How long a move may take where no clock says so."""
    stop_seconds: float = 2.0
    """How long an engine may take to obey `stop` and `quit` before it is killed."""


@dataclass(frozen=True)
class LevelPlayerConfig:
    """One of our own players."""

    name: str
    level: int
    """Of the small players: see `players.LEVELS`."""


@dataclass(frozen=True)
class NamedPlayerConfig:
    """One of our own players, as its TOML file or its entries here describe it."""

    name: str
    player_config: PlayerConfig


ParticipantConfig: TypeAlias = EngineConfig | LevelPlayerConfig | NamedPlayerConfig


@dataclass(frozen=True)
class OpeningSuite:
    """Where games begin."""

    file: Path
    plies: int = 16
    """How many moves of a recorded game are played before the players take over."""
    every: int = 0
    """Takes an opening from a recorded game after each so many moves, up to `plies`; 0 for only the last."""


@dataclass(frozen=True)
class ResignRule:
    """Won, once both engines say so: the loser's scores at or below -score, the winner's at or above it."""

    score: int
    moves: int
    """For so many moves of each in a row."""


@dataclass(frozen=True)
class DrawRule:
    """Drawn, once both engines' scores stay within `score` of 0."""

    score: int
    moves: int
    after: int
    """Not before this ply."""


@dataclass(frozen=True)
class Adjudication:
    """How games end that their rules would let go on."""

    resign: ResignRule | None = None
    draw: DrawRule | None = None
    plies: int = 1000
    """A game that comes so far is drawn."""


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
        return load(self.game, **self.rules)

    @property
    def names(self) -> list[str]:
        """The players' names, in their order."""
        return [entry.name for entry in self.entries]

    def fingerprint(self) -> str:
        """A hash of all that games depend on: the same tournament may only be asked for more games."""
        facts = dataclasses.asdict(self)
        for free in ("name", "games", "sprt"):
            del facts[free]
        if self.openings is not None:
            facts["openings"]["file"] = hashlib.blake2b(self.openings.file.read_bytes()).hexdigest()
        text = json.dumps(facts, sort_keys=True, default=str)
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
