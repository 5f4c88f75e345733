"""Games of the levels of a table against themselves, many in lockstep."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from functools import cache, partial
from pathlib import Path

import numpy as np

from sparring.base.storage import append_or_rollback
from sparring.games import load_game
from sparring.measure.calibration import PolicyMover
from sparring.play.match import LockstepGame, play_together
from sparring.players import LevelTable
from sparring.policies import load_policy
from sparring.records import GameRecord
from sparring.records.readers import reader_for, writer_of
from sparring.records.sources import open_chunks

MOST_PLIES = 300


def play_levels(
    table: LevelTable,
    levels: Sequence[int],
    games: int,
    out: Path,
    *,
    together: int = 24,
    seed: int = 0,
    on_progress: Callable[[int, int], None] = lambda done, total: None,
) -> None:
    """Plays `games` games of each level against itself, and appends them to a file of games.

    Both ratings of a record are the level. Players resign as people of their level do. Games that the file
    has already are not played again.
    """
    there = played_games(out, table.game)
    policy = cache(partial(load_policy, game=table.game, threads=1))
    done = sum(min(there[level], games) for level in levels)
    write = writer_of(table.game)
    for level, numbers in _parts(levels, games, together, there):
        config = table.at(level, resignation="human")
        mover = PolicyMover(config, policy(config.model))
        started = [_start(table.game, mover, level, number, seed) for number in numbers]
        ended = sorted(play_together(started, max_plies=MOST_PLIES), key=lambda game: game.number)
        # All at once: the games of a part that end first are short, and short games lose more a move.
        append_or_rollback(
            out, "".join(write(_record(game, level, out.stem)) + "\n" for game in ended).encode()
        )
        done += len(ended)
        on_progress(done, games * len(levels))


def played_games(path: Path, game: str) -> Counter[int]:
    """The number of games of each level in a file; none if there is no file."""
    if not path.exists():
        return Counter()
    parsed = (entry.record for entry in reader_for(path, game)(open_chunks(path), 0))
    return Counter(record.first_rating or 0 for record in parsed if record is not None)


def _parts(
    levels: Sequence[int], games: int, together: int, there: Counter[int]
) -> Iterator[tuple[int, range]]:
    """Levels with numbers of games that are missing, the levels in turn, so that all grow alike."""
    for begin in range(0, games, together):
        for level in levels:
            numbers = range(max(begin, there[level]), min(begin + together, games))
            if numbers:
                yield level, numbers


def _start(game: str, mover: PolicyMover, level: int, number: int, seed: int) -> LockstepGame:
    rng = np.random.default_rng([seed, level, number])
    return LockstepGame(number, (mover, mover), rng, load_game(game).initial())


def _record(game: LockstepGame, level: int, name: str) -> GameRecord:
    return (
        game.live.record()
        .row()
        ._replace(
            first=f"level {level}",
            second=f"level {level}",
            first_rating=level,
            second_rating=level,
            result=game.result.score(0),
            site=f"{name}/{level}/{game.number}",
        )
    )
