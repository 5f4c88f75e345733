"""Whether the true board is always among the possible ones, and whether those are the right ones.

Every game is replayed from both sides. In the first of them a slow tracker in plain Python follows too, one
side a game, as long as there are few enough boards.
"""

from __future__ import annotations

import json
import statistics
from collections.abc import Callable, Iterable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess

from sparring._core import RbcState
from sparring.belief import Contradiction, Tracker, TrackerOptions, replay
from sparring.games.rbc import DESCRIPTION, board_fen
from sparring.records.reconchess_history import read_histories, read_history
from sparring.records.record import ParsedGame
from sparring.records.streams import open_chunks
from sparring.reports.machine import describe_machine, today
from sparring.storage import Journal, atomic_write

JOURNAL = "tracking.jsonl"
REPORT = "tracking.json"


@dataclass(frozen=True)
class TrackingConfig:
    """What is measured, and how far."""

    limit: int
    """Boards that the tracker follows; of more it follows a sample."""
    compared_games: int
    """So many games are followed by the plain tracker too."""
    compared_boards: int
    """As long as there are at most so many boards."""
    sampled_games: int
    """In so many games a side is followed on once its set is no longer complete."""
    threads: int = 0


@dataclass(frozen=True)
class TrackedSide:
    """One side of a game."""

    game: int
    player: int
    observations: int
    exact: int
    """Observations after which the set was known to be complete."""
    misses: int
    """Of those, how often the true board was not in it."""
    sampled_hits: int
    """Of the others, how often the true board was in the sample."""
    most: int
    """The largest complete set."""
    lost: str
    """Message of the contradiction that ended the tracking, if there was one."""
    stopped: bool
    """Whether it was followed only until its set was no longer complete."""
    compared: int = 0
    """Observations after which the plain tracker's set was compared."""
    different: int = 0
    """Of those, how often it was another one."""
    contradicted: bool = False
    """True if the set that was contradicted was complete."""


def read_games(paths: Iterable[Path]) -> Iterator[ParsedGame]:
    """The games of files with a history each (.json) or a history a line, plain or compressed."""
    for path in paths:
        reader = read_history if ".json" in path.suffixes else read_histories
        yield from reader(open_chunks(path))


def run(
    paths: list[Path],
    config: TrackingConfig,
    out: Path,
    command: str,
    max_games: int | None = None,
    on_progress: Callable[[int, TrackedSide], None] = lambda games, followed: None,
) -> dict[str, Any]:
    """Follows the games, going on where an earlier run was stopped, and writes the report."""
    journal = Journal(out / JOURNAL, header=asdict(config) | {"threads": None}, overwrite=True)
    done = {(each["game"], each["player"]): TrackedSide(**each) for each in journal.entries}
    broken, games = 0, 0
    for found in read_games(paths):
        if games == max_games:
            break
        if found.record is None:
            broken += 1
            continue
        games += 1
        game = RbcState.initial().unpack_moves(found.record.moves, DESCRIPTION.packed_move_bytes)
        for player in (0, 1):
            if (games, player) not in done:
                done[games, player] = track(game, games, player, config)
                journal.add(asdict(done[games, player]))
            on_progress(games, done[games, player])
    report = {
        "command": command,
        "date": today(),
        "machine": describe_machine(),
        "setting": asdict(config),
        "games": games,
        "broken": broken,
        **summary([side for (game, _), side in done.items() if game <= games]),
    }
    atomic_write(out / REPORT, json.dumps(report, indent=2) + "\n")
    return report


def track(game: RbcState, number: int, player: int, config: TrackingConfig) -> TrackedSide:
    """One side of a game, from its first observation to its last."""
    tracker = Tracker(player, TrackerOptions(limit=config.limit, threads=config.threads))
    compare = number <= config.compared_games and player == number % 2
    plain = _ReferenceComparison(player, config.compared_boards) if compare else None
    observations = exact = misses = hits = 0
    most, lost, stopped, contradicted = 1, "", False, False
    try:
        for step in replay(game, tracker):
            # Before a sense the set may be a sample for a moment and complete again after it.
            if number > config.sampled_games and not step.change.exact and step.change.event != "opponent":
                stopped = True
                break
            observations += 1
            there = step.truth in tracker.boards
            if step.change.exact:
                exact += 1
                misses += not there
                most = max(most, step.change.after)
            else:
                hits += there
            if plain is not None:
                plain.track(step.observation, step.truth, tracker)
    except Contradiction as error:
        lost, contradicted = str(error), not error.sampled
    compared, different = (plain.compared, plain.different) if plain else (0, 0)
    return TrackedSide(
        number,
        player,
        observations,
        exact,
        misses,
        hits,
        most,
        lost,
        stopped,
        compared,
        different,
        contradicted,
    )


class _ReferenceComparison:
    """The plain tracker beside ours, until there are too many boards for it."""

    def __init__(self, player: int, most: int) -> None:
        from tests.reference.tracker import ReferenceTracker  # needs reconchess

        self.compared = self.different = 0
        self._tracker = ReferenceTracker(player, chess.Board(board_fen(RbcState.initial())))
        self._most = most

    def track(self, observation: Any, truth: RbcState, tracker: Tracker) -> None:
        """Takes in what our tracker was just told, and compares the sets."""
        if len(tracker.boards) > self._most:
            self._most = 0
        if not self._most:
            return
        self._tracker.observe(observation, truth)
        ours = {fen.rsplit(" ", 2)[0] for fen in tracker.boards.fens()}
        self.compared += 1
        self.different += ours != self._tracker.fens()


def summary(sides: list[TrackedSide]) -> dict[str, Any]:
    """The sums, and how large sets became."""
    most = sorted(each.most for each in sides)
    sampled = [each for each in sides if not each.stopped and each.exact < each.observations]
    return {
        "sides": len(sides),
        "sides_stopped": sum(each.stopped for each in sides),
        "observations": sum(each.observations for each in sides),
        "complete": {
            "observations": sum(each.exact for each in sides),
            "misses": sum(each.misses for each in sides),
        },
        "sampled": {
            "sides": len(sampled),
            "observations": sum(each.observations - each.exact for each in sampled),
            "with_the_truth": sum(each.sampled_hits for each in sampled),
            "sides_lost": sum(bool(each.lost) for each in sides),
        },
        "contradictions_of_complete_sets": sum(each.contradicted for each in sides),
        "largest_complete_set": {
            "median": statistics.median(most),
            "deciles": statistics.quantiles(most, n=10) if len(most) > 1 else [],
        },
        "reference_tracker": {
            "sides": sum(each.compared > 0 for each in sides),
            "observations": sum(each.compared for each in sides),
            "different": sum(each.different for each in sides),
        },
    }
