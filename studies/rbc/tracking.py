"""Correctness of the belief tracker on recorded games.

Every game is replayed from both sides; the true board must be in each complete set. In the first games a
reference tracker follows one side too, while the sets are small, and the sets must be equal.
"""

from __future__ import annotations

import statistics
from collections.abc import Callable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import chess

from sparring._core import RbcState
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.measure.reports import write_json
from sparring.rbc.game import board_fen
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.tracker import Contradiction, Tracker, TrackerOptions, replay
from studies.rbc.histories import read_games

JOURNAL = "tracking.jsonl"
REPORT = "tracking.json"


@dataclass(frozen=True)
class TrackingConfig:
    """The sizes of a tracking study."""

    limit: int
    """The maximum size of a complete set; beyond it the tracker keeps a sample."""
    compared_games: int
    """Games that the reference tracker follows too."""
    compared_boards: int
    """The largest set that the reference tracker follows."""
    sampled_games: int
    """Games that are followed on with a sample once a set is no longer complete."""
    threads: int = 0
    """Threads of the tracker; 0 for all cores."""


@dataclass(frozen=True)
class TrackedSide:
    """The counts of one side of a game."""

    game: int
    player: int
    observations: int
    exact: int
    """Observations after which the set was complete."""
    misses: int
    """Complete sets without the true board."""
    sampled_hits: int
    """Samples with the true board."""
    most: int
    """The size of the largest complete set."""
    lost: str
    """Message of the contradiction that ended the tracking, if there was one."""
    stopped: bool
    """Whether tracking stopped when the set was no longer complete."""
    compared: int = 0
    """Sets compared with the reference tracker's."""
    different: int = 0
    """Compared sets that differed."""
    contradicted: bool = False
    """True if the set that was contradicted was complete."""


def run(
    paths: list[Path],
    config: TrackingConfig,
    out: Path,
    command: str,
    max_games: int | None = None,
    on_progress: Callable[[int, TrackedSide], None] = lambda games, followed: None,
) -> dict[str, Any]:
    """Tracks both sides of the games and writes `tracking.json`; returns the report.

    Sides are journalled in `tracking.jsonl`, so that a stopped run resumes; another configuration starts
    anew. `max_games` limits the games. `on_progress(game number, side)` is called after each side.
    """
    journal = Journal(out / JOURNAL, header=asdict(config) | {"threads": None}, overwrite=True)
    done = {(entry["game"], entry["player"]): TrackedSide(**entry) for entry in journal.entries}
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
        **provenance(command),
        "setting": asdict(config),
        "games": games,
        "broken": broken,
        **summary([side for (game, _), side in done.items() if game <= games]),
    }
    write_json(report, out / REPORT)
    return report


def track(game: RbcState, number: int, player: int, config: TrackingConfig) -> TrackedSide:
    """Tracks one side (`player` 0 or 1) of game `number`, counted from 1, through all its observations."""
    tracker = Tracker(player, TrackerOptions(limit=config.limit, threads=config.threads))
    compare = number <= config.compared_games and player == number % 2
    reference = _ReferenceComparison(player, config.compared_boards) if compare else None
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
            if reference is not None:
                reference.track(step.observation, step.truth, tracker)
    except Contradiction as error:
        lost, contradicted = str(error), not error.sampled
    compared, different = (reference.compared, reference.different) if reference else (0, 0)
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
    """Compares complete sets of the tracker with the reference tracker's until one is larger than
    `max_boards`."""

    def __init__(self, player: int, max_boards: int) -> None:
        from tests.reference.tracker import ReferenceTracker  # needs reconchess

        self.compared = self.different = 0
        self._tracker = ReferenceTracker(player, chess.Board(board_fen(RbcState.initial())))
        self._max_boards = max_boards

    def track(self, observation: Any, truth: RbcState, tracker: Tracker) -> None:
        """Updates the reference tracker with the observation and compares its set with the tracker's."""
        if len(tracker.boards) > self._max_boards:
            self._max_boards = 0  # from here on the reference tracker misses observations
        if not self._max_boards:
            return
        self._tracker.observe(observation, truth)
        if not tracker.exact:  # a sample differs from the complete set, which may be far larger
            if len(self._tracker.fens()) > self._max_boards:
                self._max_boards = 0
            return
        ours = {fen.rsplit(" ", 2)[0] for fen in tracker.boards.fens()}
        self.compared += 1
        self.different += ours != self._tracker.fens()


def summary(sides: list[TrackedSide]) -> dict[str, Any]:
    """The totals of all sides, and the distribution of the largest set sizes."""
    most = sorted(side.most for side in sides)
    sampled = [side for side in sides if not side.stopped and side.exact < side.observations]
    return {
        "sides": len(sides),
        "sides_stopped": sum(side.stopped for side in sides),
        "observations": sum(side.observations for side in sides),
        "complete": {
            "observations": sum(side.exact for side in sides),
            "misses": sum(side.misses for side in sides),
        },
        "sampled": {
            "sides": len(sampled),
            "observations": sum(each.observations - each.exact for each in sampled),
            "with_the_truth": sum(each.sampled_hits for each in sampled),
            "sides_lost": sum(bool(side.lost) for side in sides),
        },
        "contradictions_of_complete_sets": sum(side.contradicted for side in sides),
        "largest_complete_set": {
            "median": statistics.median(most),
            "deciles": statistics.quantiles(most, n=10) if len(most) > 1 else [],
        },
        "reference_tracker": {
            "sides": sum(side.compared > 0 for side in sides),
            "observations": sum(side.compared for side in sides),
            "different": sum(side.different for side in sides),
        },
    }
