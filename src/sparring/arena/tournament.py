"""A tournament: players, rules, openings, clock. `tournament_config.py` reads it from TOML."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, TypeAlias

from sparring.arena.sprt import Sprt
from sparring.config import BadConfig, BadValue, Count, PositiveInt
from sparring.games import EngineProtocol as EngineProtocol
from sparring.games import Game, load_game
from sparring.players import STRENGTHS, PlayerConfig, SearchLimits, TimeControl

TournamentFormat: TypeAlias = Literal["round-robin", "gauntlet"]


class BadTournament(BadConfig):
    """A tournament that cannot be played."""


@dataclass(frozen=True)
class EngineConfig:
    """An external program that speaks a protocol."""

    name: str
    protocol: EngineProtocol
    command: tuple[str, ...]
    options: Mapping[str, str] = field(default_factory=dict)
    """Values for `setoption`; the engine must declare every one of them."""
    commands: tuple[str, ...] = ()
    """GTP commands that are sent at the start."""
    env: Mapping[str, str] = field(default_factory=dict)
    folder: Path | None = None
    limits: SearchLimits = field(default_factory=SearchLimits)
    """Nodes, depth and seconds of a move, besides the clock."""
    start_seconds: float = 20.0
    """Time limit of the handshake, and of getting ready for a game."""
    move_seconds: float = 120.0
    """Time limit of a move without a clock."""
    stop_seconds: float = 2.0
    """Time limit of `stop` and `quit`; then the engine is killed."""


@dataclass(frozen=True)
class StrengthPlayerConfig:
    """A small search player."""

    name: str
    """Name in the results."""
    strength: int
    """Strength from `players.STRENGTHS`."""

    def __post_init__(self) -> None:
        if self.strength not in STRENGTHS:
            raise BadValue("strength", self.strength, f"an integer from {STRENGTHS[0]} to {STRENGTHS[-1]}")


@dataclass(frozen=True)
class NamedPlayerConfig:
    """A player from a TOML file or from the keys of a `[[player]]`."""

    name: str
    player_config: PlayerConfig


ParticipantConfig: TypeAlias = EngineConfig | StrengthPlayerConfig | NamedPlayerConfig


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
        for entry in facts["entries"]:
            if limits := entry.get("limits"):  # as earlier versions wrote them
                entry["limits"] = {
                    "nodes": limits["nodes"],
                    "depth": limits["depth"],
                    "movetime": limits["seconds"],
                }
        text = json.dumps(facts, sort_keys=True, default=str)
        return hashlib.blake2b(text.encode(), digest_size=12).hexdigest()
