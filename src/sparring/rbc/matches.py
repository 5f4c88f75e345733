"""Games of reconnaissance blind chess between players of this package."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from sparring.base.errors import BadConfig, BadFile, JournalMismatch, require
from sparring.base.storage import CompanionFile, Journal, lock_folder
from sparring.base.workers import LocalWorkerPool, Worker
from sparring.play.game import LiveGame
from sparring.play.match import play_out
from sparring.play.result import UNFINISHED, GameResult
from sparring.players import Player
from sparring.players.player import RandomSeed
from sparring.rbc.bots import load_bot_config, make_bot
from sparring.rbc.game import Rbc
from sparring.rbc.history import to_history
from sparring.records.record import Termination


def play_rbc_game(
    players: Sequence[Player],
    seeds: Sequence[RandomSeed],
    random_turns: int,
    rng: np.random.Generator,
    max_turns: int = 300,
) -> LiveGame:
    """Plays a game from the initial position and returns it.

    Args:
        players: White and Black.
        seeds: the seed of each player.
        random_turns: turns of each side that are random moves drawn from `rng`.
        max_turns: turns of each side after which the game is abandoned.
    """
    live = LiveGame(
        Rbc(),
        dict(enumerate(players)),
        seed_of=lambda side, ply: seeds[side],
        names=(players[0].name, players[1].name),
    )
    if random_turns:
        live.start_players()  # they observe the random turns; else `play_out` starts them
    while live.end is None and len(live.moves) < 4 * random_turns:
        moves = live.states[-1].legal_moves()
        live.make(moves[int(rng.integers(len(moves)))])

    def abandon(game: LiveGame) -> GameResult | None:
        return UNFINISHED if len(game.moves) >= 4 * max_turns else None

    play_out(live, abandon)
    return live


# Games between bots of reconnaissance blind chess, played in parallel, as histories in reconchess's format.
#
# Game n depends on the seed and n alone. A game counts once its line in `index.ndjson` is complete. The line
# holds the offset of the end of its history in `histories.jsonl.zst`; the next run truncates the rest. The
# first line of the index is the configuration.

INDEX = "index.ndjson"
HISTORIES = "histories.jsonl.zst"


@dataclass(frozen=True)
class GenerationConfig:
    """The games to play."""

    players: tuple[str, ...]
    """Names or TOML files of bots. Each plays every other with both colours, and itself."""
    games: int
    seed: int = 0
    random_turns: int = 4
    """Most random turns of each side at the start; the number is drawn for each game."""

    def __post_init__(self) -> None:
        if len(self.players) < 1:
            raise BadConfig("at least one player is expected")
        if self.random_turns < 0 or self.games < 1 or self.seed < 0:
            raise BadConfig("games is 1 or more, random turns and seed are 0 or more")
        for name in self.players:
            load_bot_config(name)


@dataclass(frozen=True)
class GeneratedGame:
    """A game and its result."""

    number: int
    first: str
    second: str
    result: float | None
    """1 if White won, 0 if Black won; None if the game was abandoned."""
    random_turns: int
    plies: int
    seconds: float
    end: int = 0
    """Offset of the end of its history in the packed file."""
    crc32: int = 0
    """Checksum of the packed file up to there."""


GeneratedOutput = tuple[GeneratedGame, bytes]


def game_setup(generation: GenerationConfig, number: int) -> tuple[str, str, int]:
    """The two bots of a game, and its number of random turns."""
    players = generation.players
    pairs = [(first, second) for first in players for second in players]
    round_number, place = divmod(number, len(pairs))
    order = np.random.default_rng([generation.seed, 1, round_number]).permutation(len(pairs))
    first, second = pairs[int(order[place])]
    turns = int(np.random.default_rng([generation.seed, 2, number]).integers(generation.random_turns + 1))
    return first, second, turns


class _Worker(Worker[int, GeneratedOutput]):
    """Bots are closed with their games, and Stockfish exits when its pipe closes."""

    def __init__(self, generation: GenerationConfig) -> None:
        self._generation = generation
        self._bots = {name: load_bot_config(name) for name in generation.players}

    def work(self, number: int) -> GeneratedOutput:
        first, second, turns = game_setup(self._generation, number)
        names, began = (first, second), time.perf_counter()
        seed = self._generation.seed
        bots = [make_bot(self._bots[name]) for name in names]
        with bots[0], bots[1]:
            live = play_rbc_game(
                bots,
                [[seed, 3, number, player] for player in (0, 1)],
                turns,
                np.random.default_rng([seed, 4, number]),
            )
        result = None if live.end is None else live.end.first_score
        record = live.record(players=(Path(first).stem, Path(second).stem), site=str(number)).row()
        record = record._replace(
            date=None, ending=Termination.UNKNOWN if result is None else Termination.NORMAL
        )
        seconds = round(time.perf_counter() - began, 3)
        generated = GeneratedGame(number, first, second, result, turns, len(live.moves), seconds)
        import zstandard

        return generated, zstandard.compress(to_history(record).encode() + b"\n", 9)


class _Store:
    """The index and the packed histories."""

    def __init__(self, folder: Path, generation: GenerationConfig) -> None:
        self._path = folder / HISTORIES
        try:
            self._index = Journal(
                folder / INDEX, header=asdict(generation), mutable_keys=("games",), kind=GeneratedGame
            )
            size = self._path.stat().st_size if self._path.exists() else 0
            self._index.keep(lambda game: bool(game["end"] <= size))
            self.games = msgspec.convert(self._index.entries, list[GeneratedGame])
            last = max(self.games, key=lambda game: game.end, default=None)
            end, checksum = (last.end, last.crc32) if last is not None else (0, 0)
            self._histories = CompanionFile(self._path, end, checksum)
        except JournalMismatch as error:
            raise BadConfig(f"{folder} holds other games: {error}") from None
        except BadFile as error:
            raise BadConfig(f"{folder} cannot be resumed: {error}") from None

    def add(self, generated: GeneratedGame, history: bytes) -> None:
        """Adds a game; it counts once this returns."""
        self._histories.append(history)
        placed = replace(generated, end=self._histories.size, crc32=self._histories.checksum)
        self._index.add(asdict(placed))
        self.games.append(placed)


def generate(
    generation: GenerationConfig,
    folder: Path,
    processes: int,
    on_progress: Callable[[Sequence[GeneratedGame]], None] = lambda _: None,
) -> list[GeneratedGame]:
    """Plays the missing games. `on_progress` is called with all games after each.

    Raises BadConfig, CannotWrite, MissingExtra or OSError.
    """
    require("zstandard", "records", "the histories of generated games need")
    with lock_folder(folder):
        store = _Store(folder, generation)
        done = {game.number for game in store.games}
        missing = (number for number in range(generation.games) if number not in done)
        spawn: Any = partial(_Worker, generation)
        with LocalWorkerPool[int, GeneratedOutput](spawn, processes, lambda n: f"game {n + 1}") as pool:
            for generated, history in pool.run(missing):
                store.add(generated, history)
                on_progress(store.games)
        return store.games
