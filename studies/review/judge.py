"""Stockfish's values of the positions of people's games: the measure that the review is held against.

All positions are judged with few nodes; those around moves that lose something by these values, or that a
review lists, once more with many.
"""

from __future__ import annotations

import subprocess
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np

from sparring.base.storage import Journal
from sparring.players.engine_player import start_engine
from sparring.players.engines import EngineConfig, PositionHistory
from sparring.records import open_records
from sparring.records.readers import RecordedGame
from sparring.records.record import Split
from sparring.search.limits import SearchLimits

WEAK = 1600
"""Mean rating of both players below which a game is of the weaker half."""
_SHORTEST = 20
_LONGEST = 200


@dataclass(frozen=True)
class Judged:
    """A position of a game, judged."""

    game: str
    ply: int
    """Moves played before."""
    centipawns: int
    """For the side to move; a mate in n is 32000 - n."""
    best: str | None


def sample_games(path: Path, split: Split, most: int) -> list[RecordedGame]:
    """Games of 20 to 200 plies of a split, weaker and stronger ones by turns, in the order of their ids."""
    halves: tuple[list[RecordedGame], list[RecordedGame]] = ([], [])
    for played in open_records(path):
        first, second = played.ratings
        if first is None or second is None or not _SHORTEST <= len(played) <= _LONGEST:
            continue
        if played.split() is split and played.record.start is None:
            halves[(first + second) / 2 >= WEAK].append(played)
    pairs = zip(*(sorted(half, key=lambda played: played.id) for half in halves), strict=False)
    return [played for pair in pairs for played in pair][:most]


def judge_positions(
    games: Iterable[tuple[RecordedGame, Sequence[int]]], command: Sequence[str], nodes: int, journal: Path
) -> Iterator[Judged]:
    """Judges the positions of games after these numbers of moves, and writes each as it is done. Yields those
    that are new.

    The engine has one thread and 16 MB of hash, which is cleared for each game.
    """
    written = Journal(journal, header={"nodes": nodes, "engine": Path(command[0]).name}, kind=Judged)
    done = {(entry["game"], entry["ply"]) for entry in written.entries}
    config = EngineConfig(
        "judge",
        "uci",
        tuple(command),
        limits=SearchLimits(nodes=nodes),
        options={"Threads": "1", "Hash": "16"},
    )
    engine = start_engine(config)
    try:
        for played, plies in games:
            left = [ply for ply in plies if (played.id, ply) not in done]
            if not left:
                continue
            states = played.states
            engine.new_game(states[0], None)
            for ply in left:
                if states[ply].outcome is not None:
                    score = -32_000 if states[ply].outcome.reason == "checkmate" else 0
                    entry = Judged(played.id, ply, score, None)
                else:
                    answer = engine.choose(PositionHistory.of(states[ply]), None)
                    assert answer.score is not None
                    entry = Judged(played.id, ply, answer.score, answer.move)
                written.add(asdict(entry))
                yield entry
    except subprocess.SubprocessError:
        engine.kill()
        raise
    engine.close()


def win_points(centipawns: float) -> float:
    """Lichess's win percentage of a side that is so many centipawns ahead; a mate counts as 1,000."""
    clipped = np.clip(centipawns, -1000, 1000)
    return float(50 + 50 * (2 / (1 + np.exp(-0.00368208 * clipped)) - 1))


def losses(entries: Iterable[Judged]) -> dict[tuple[str, int], float]:
    """The win points that moves lose, by game and ply, where the positions before and after are judged."""
    scores = {(entry.game, entry.ply): entry.centipawns for entry in entries}
    return {
        (game, ply): win_points(score) - win_points(-scores[game, ply + 1])
        for (game, ply), score in scores.items()
        if (game, ply + 1) in scores
    }
