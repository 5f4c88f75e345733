"""Games of Go between our players of ranks, many in lockstep in each process.

The moves are drawn as our players draw them, with the passing rules of `sparring.go.counting`. Nobody
resigns. A game is counted when both have passed: dead stones are taken off first.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.config import usable_threads
from sparring.base.storage import atomic_write
from sparring.base.workers import LocalWorkerPool
from sparring.games.ratings import rank_order
from sparring.go.counting import dead_stones
from sparring.go.game import Go
from sparring.go.sgf import read_sgf, to_sgf
from sparring.measure.calibration import PolicyMover
from sparring.measure.ratings import wilson_interval
from sparring.play.match import LockstepGame, play_together
from sparring.players import PlayerConfig
from sparring.policies import load_policy
from sparring.records import Termination
from sparring.records.sources import open_chunks

MOST_PLIES = 800
"""Length limit of a game that is played to its end."""


@dataclass(frozen=True)
class Match:
    """Two players and the numbers of their games; in odd games the second has Black."""

    players: tuple[PlayerConfig, PlayerConfig]
    games: range
    """Numbers of games, each with its own seed."""

    @property
    def label(self) -> str:
        """The name of its file: the games of a player against itself share one over all ranks."""
        first, second = (config.name for config in self.players)
        return first if first == second else f"{first}-{second}"


@dataclass(frozen=True)
class Setting:
    """What all games have in common."""

    size: int = 19
    komi: float = 7.5
    seed: int = 0
    backend: str = "onnxruntime"
    batch: int = 64
    plies: int = MOST_PLIES
    """Length limit. Games that are only judged end where people's usually do: by resignation."""


def tasks(matches: Sequence[Match], together: int) -> Iterator[Match]:
    """The matches in parts of at most so many games, the parts of all matches in turn."""
    most = max((len(match.games) for match in matches), default=0)
    for begin in range(0, most, together):
        for match in matches:
            if numbers := match.games[begin : begin + together]:
                yield Match(match.players, numbers)


class GamesWorker:
    """Plays matches in one process."""

    def __init__(self, setting: Setting) -> None:
        self._setting = setting
        load = partial(load_policy, game="go", backend=setting.backend, batch=setting.batch)
        self._policy = cache(partial(load, threads=usable_threads(1)))
        self._rules = Go.by_rules("chinese", setting.size, setting.komi)

    def work(self, match: Match) -> tuple[str, list[str]]:
        """The label of a match and its games as SGF."""
        movers = [PolicyMover(config, self._policy(config.model)) for config in match.players]
        text = "|".join(f"{config.name} {config.rating}" for config in match.players)
        games = []
        for number in match.games:
            seed = [self._setting.seed, zlib.crc32(text.encode()), number]
            sides = (movers[0], movers[1]) if number % 2 == 0 else (movers[1], movers[0])
            rng = np.random.default_rng(seed)
            games.append(LockstepGame(number, sides, rng, self._rules.initial()))
        played = play_together(games, max_plies=self._setting.plies)
        return match.label, [_sgf(game, match.players) for game in played]

    def close(self) -> None:
        """Has nothing to end."""

    def terminate(self) -> None:
        """Has nothing to end."""


def play_matches(
    matches: Sequence[Match],
    setting: Setting,
    together: int,
    processes: int,
    out: Path,
) -> None:
    """Plays matches, with progress, and writes the games of each label to `out`/LABEL.sgf.

    A label's file is written when its last game has ended, and holds the games in the order of their text.
    """
    texts: dict[str, list[str]] = {}
    played, total = 0, sum(len(match.games) for match in matches)
    left = Counter(match.label for match in tasks(matches, together))
    with LocalWorkerPool(partial(GamesWorker, setting), processes) as pool:
        for label, games in pool.run(tasks(matches, together)):
            texts.setdefault(label, []).extend(games)
            left[label] -= 1
            if not left[label]:
                atomic_write(out / f"{label}.sgf", "".join(sorted(texts.pop(label))))
            played += len(games)
            print(f"{played:,} of {total:,} games", flush=True)


def _sgf(game: LockstepGame, players: tuple[PlayerConfig, PlayerConfig]) -> str:
    """The record with the players' names and ranks, counted without dead stones."""
    black, white = players if game.number % 2 == 0 else players[::-1]
    states = game.live.states
    record = game.live.record().row()
    points = states[-1].score(dead_stones(states[-1]))
    margin = points[0] - points[1]
    return to_sgf(
        record._replace(
            result=0.5 if margin == 0 else float(margin > 0),
            ending=Termination.NORMAL,
            margin=abs(margin),
            first=black.name,
            second=white.name,
            first_rank=str(black.rating),
            second_rank=str(white.rating),
            site=f"{game.number}",
        )
    )


def match_scores(path: Path) -> dict[str, Any]:
    """The score of the stronger player of a file of games between two ranks, with its 95 % interval."""
    records = [parsed.record for parsed in read_sgf(open_chunks(path)) if parsed.record is not None]
    names = sorted({record.first or "" for record in records}, key=rank_order)
    scores, lengths, black = [], [], []
    for record in records:
        assert record.result is not None
        scores.append(record.result if record.first == names[-1] else 1 - record.result)
        black.append(record.result)
        lengths.append(record.plies("go"))
    return {
        "weaker": names[0],
        "stronger": names[-1],
        "games": len(records),
        "score": float(np.mean(scores)),
        "interval": list(wilson_interval(float(np.mean(scores)), len(scores))),
        "black": float(np.mean(black)),
        "plies": float(np.mean(lengths)),
    }
