"""Many games between bots of reconnaissance blind chess, side by side, as histories that reconchess reads.

Game n follows from the seed and n alone. A game counts once its line in `index.ndjson` is whole; it says
where its history ends in `histories.jsonl.zst`, and what lies behind is cut away by the next run. The index's
first line says what is played.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import zstandard

from sparring.arena.hidden_match import play_hidden_game
from sparring.disk import BadJournal, Journal, OtherJournal, append_whole
from sparring.players.rbc import BotSetting, choose_bot, make_bot
from sparring.records import GameRecord
from sparring.records.histories import to_history
from sparring.records.record import MOVE_BYTES, Ending
from sparring.workers import LocalCrew

INDEX = "index.ndjson"
HISTORIES = "histories.jsonl.zst"


class BadGeneration(ValueError):
    """Games that cannot be generated as asked."""


@dataclass(frozen=True)
class Generation:
    """What is to be played."""

    players: tuple[str, ...]
    """Names of bots, or TOML files; every two of them play each other with both colours, and themselves."""
    games: int
    seed: int = 0
    random_turns: int = 4
    """Of each side, at most, before the bots take over: how many is drawn anew for every game."""

    def __post_init__(self) -> None:
        if len(self.players) < 1:
            raise BadGeneration("at least one player is expected")
        if self.random_turns < 0 or self.games < 1 or self.seed < 0:
            raise BadGeneration("games is 1 or more, random turns and seed are 0 or more")
        for name in self.players:
            choose_bot(name)


@dataclass(frozen=True)
class Generated:
    """A game and how it went."""

    number: int
    first: str
    second: str
    result: float | None
    """1 where White won, 0 where Black did; None where the game was broken off."""
    random_turns: int
    plies: int
    seconds: float
    end: int = 0
    """Where its history ends in the packed file."""


Played = tuple[Generated, bytes]


def task(generation: Generation, number: int) -> tuple[str, str, int]:
    """The players of game `number`, and how many turns of each are played by chance."""
    players = generation.players
    pairs = [(first, second) for first in players for second in players]
    round_number, place = divmod(number, len(pairs))
    order = np.random.default_rng([generation.seed, 1, round_number]).permutation(len(pairs))
    first, second = pairs[int(order[place])]
    turns = int(np.random.default_rng([generation.seed, 2, number]).integers(generation.random_turns + 1))
    return first, second, turns


class _Worker:
    def __init__(self, generation: Generation) -> None:
        self._generation = generation
        self._settings: dict[str, BotSetting] = {name: choose_bot(name) for name in generation.players}

    def work(self, number: int) -> Played:
        first, second, turns = task(self._generation, number)
        names, began = (first, second), time.perf_counter()
        bots = [
            make_bot(
                self._settings[name],
                player,
                np.random.default_rng([self._generation.seed, 3, number, player]),
            )
            for player, name in enumerate(names)
        ]
        with closing(bots[0]), closing(bots[1]):
            state = play_hidden_game(bots, turns, np.random.default_rng([self._generation.seed, 4, number]))
        outcome = state.outcome
        result = None if outcome is None else 0.5 if outcome.winner is None else 1.0 - outcome.winner
        record = GameRecord(
            moves=state.pack_line(MOVE_BYTES["rbc"]),
            result=result,
            ending=Ending.UNKNOWN if result is None else Ending.NORMAL,
            first=Path(first).stem,
            second=Path(second).stem,
            site=str(number),
        )
        generated = Generated(
            number,
            first,
            second,
            result,
            turns,
            state.ply,
            round(time.perf_counter() - began, 3),
        )
        return generated, zstandard.compress(to_history(record).encode() + b"\n", 9)

    def close(self) -> None:
        """Bots are closed with their games."""

    def abandon(self) -> None:
        """Stockfish notices that nobody listens any more."""


class _Store:
    """The index and the packed histories."""

    def __init__(self, folder: Path, generation: Generation) -> None:
        self._histories = folder / HISTORIES
        try:
            self._index = Journal(folder / INDEX, about=asdict(generation), free=("games",))
            with self._histories.open("ab") as histories:
                size = histories.tell()
                self._index.keep(lambda game: bool(game["end"] <= size))
                self.games = [Generated(**game) for game in self._index.entries]
                histories.truncate(max((game.end for game in self.games), default=0))
        except OtherJournal as error:
            raise BadGeneration(f"{folder} holds other games: {error}") from None
        except (BadJournal, KeyError, TypeError) as error:
            raise BadGeneration(f"{folder / INDEX} is no index of generated games: {error}") from None

    def add(self, generated: Generated, history: bytes) -> None:
        """A game; it counts once this returns."""
        placed = replace(generated, end=append_whole(self._histories, history))
        self._index.add(asdict(placed))
        self.games.append(placed)


def generate(
    generation: Generation,
    folder: Path,
    processes: int,
    watch: Callable[[Sequence[Generated]], None] = lambda _: None,
) -> list[Generated]:
    """Plays what is still missing; `watch` hears all games after each. Raises BadGeneration."""
    store = _Store(folder, generation)
    done = {each.number for each in store.games}
    missing: Iterator[int] = (n for n in range(generation.games) if n not in done)
    hire: Any = partial(_Worker, generation)
    with LocalCrew[int, Played](hire, processes, lambda number: f"game {number + 1}") as crew:
        for generated, history in crew.run(missing):
            store.add(generated, history)
            watch(store.games)
    return store.games
