"""Statistics of recorded RBC games, and figure 1 of the DSMCP paper: win rate by number of possible boards.

Games are replayed from both sides. A turn counts after its sense and before its move. A side is followed
until its set is no longer complete. Draws count as half a win.
"""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring._core import RbcState
from sparring.base.plot_style import BAR_COLOR, INK_COLOR, open_pyplot, save_svg
from sparring.base.provenance import provenance
from sparring.base.storage import Journal
from sparring.measure.metrics import Resamples
from sparring.measure.reports import write_json
from sparring.rbc.plugin import DESCRIPTION
from sparring.rbc.tracker import Contradiction, Tracker, TrackerOptions, replay
from sparring.records import GameRecord
from studies.rbc.histories import read_games

JOURNAL = "games.jsonl"
REPORT = "games.json"
FIGURE = "win-rate-by-boards"
BOUNDS = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000, 10_000, 20_000, 50_000, 100_000)
"""Inclusive upper bounds of the buckets of set sizes."""


@dataclass(frozen=True)
class ReplayConfig:
    """The sizes of a replay study."""

    limit: int = 100_000
    """The maximum size of a complete set."""
    replayed: int = 2_000
    """Games that are replayed; all games are counted."""
    excluded: tuple[str, ...] = ("random",)
    """Players whose games are not replayed, because they do not play to win."""


@dataclass(frozen=True)
class ReplayedSide:
    """One side of a replayed game."""

    game: int
    player: int
    score: float
    sizes: list[int]
    """The size of the complete set at each move."""
    misses: int
    """Complete sets without the true board."""
    complete: bool
    """Whether the set stayed complete to the end."""


def replay_side(game: RbcState, number: int, player: int, score: float, limit: int) -> ReplayedSide:
    """Replays one side of game `number`; `score` is its points, `limit` the maximum set size."""
    tracker = Tracker(player, TrackerOptions(limit=limit, past_limit=1, threads=1))
    sizes: list[int] = []
    misses, complete = 0, True
    try:
        for step in replay(game, tracker):
            if step.change.event == "sense":
                if not step.change.exact:
                    complete = False
                    break
                sizes.append(step.change.after)
                misses += step.truth not in tracker.boards
    except Contradiction:
        misses, complete = misses + 1, False
    return ReplayedSide(number, player, score, sizes, misses, complete)


def run(
    paths: list[Path],
    config: ReplayConfig,
    out: Path,
    command: str,
    on_progress: Callable[[int], None] = lambda games: None,
) -> dict[str, Any]:
    """Counts and replays the games; writes `games.json` and the figure; returns the report.

    Sides are journalled in `games.jsonl`, so that a stopped run resumes. `on_progress` is called with the
    number of replayed games. Raises MissingExtra or OSError.
    """
    journal = Journal(out / JOURNAL, header=asdict(config) | {"replayed": None}, overwrite=True)
    sides = [ReplayedSide(**entry) for entry in journal.entries]
    done = {(side.game, side.player) for side in sides}
    counts, broken, replayed = _Counts(), 0, 0
    for number, found in enumerate(read_games(paths)):
        record = found.record
        if record is None:
            broken += 1
            continue
        game = RbcState.initial().unpack_moves(record.moves, DESCRIPTION.packed_move_bytes)
        counts.add(record, game)
        excluded = record.first in config.excluded or record.second in config.excluded
        if excluded or record.result is None or replayed >= config.replayed:
            continue
        replayed += 1
        for player in (0, 1):
            if (number, player) not in done:
                score = record.result if player == 0 else 1 - record.result
                sides.append(replay_side(game, number, player, score, config.limit))
                journal.add(asdict(sides[-1]))
        on_progress(replayed)
    report = {
        **provenance(command),
        "setting": asdict(config),
        "broken": broken,
        **counts.report(),
        "replayed": _replayed(sides),
        "win_rate_by_boards": win_rates(sides),
    }
    write_json(report, out / REPORT)
    draw(report["win_rate_by_boards"], out)
    return report


class _Counts:
    """Totals over all games."""

    def __init__(self) -> None:
        self.results: Counter[str] = Counter()
        self.endings: Counter[str] = Counter()
        self.turns: list[int] = []
        self.points: Counter[tuple[str, str]] = Counter()
        self.games: Counter[tuple[str, str]] = Counter()

    def add(self, record: GameRecord, game: RbcState) -> None:
        names = {1.0: "White wins", 0.5: "draw", 0.0: "Black wins", None: "broken off"}
        self.results[names[record.result]] += 1
        self.endings[game.outcome.reason if game.outcome is not None else "turn limit"] += 1
        self.turns.append((game.ply + 3) // 4)
        if record.result is None:
            return
        first, second = record.first or "?", record.second or "?"
        for pair, points in (((first, second), record.result), ((second, first), 1 - record.result)):
            self.games[pair] += 1
            self.points[pair] += points  # type: ignore[assignment]  # a Counter adds halves too

    def report(self) -> dict[str, Any]:
        names = sorted({name for pair in self.games for name in pair})
        return {
            "games": len(self.turns),
            "results": dict(self.results),
            "endings": dict(self.endings),
            "turns": {
                "mean": round(statistics.mean(self.turns), 1) if self.turns else None,
                "median": statistics.median(self.turns) if self.turns else None,
                "most": max(self.turns, default=None),
            },
            "scores": {
                name: {
                    other: {
                        "games": self.games[name, other],
                        "share": round(self.points[name, other] / self.games[name, other], 4),
                    }
                    for other in names
                    if self.games[name, other] and other != name
                }
                for name in names
            },
        }


def _replayed(sides: list[ReplayedSide]) -> dict[str, Any]:
    largest = [max(side.sizes) for side in sides if side.sizes]
    return {
        "sides": len(sides),
        "followed_to_the_end": sum(side.complete for side in sides),
        "sets": sum(len(side.sizes) for side in sides),
        "misses": sum(side.misses for side in sides),
        "median_of_largest": statistics.median(largest) if largest else None,
    }


def win_rates(sides: Iterable[ReplayedSide]) -> list[dict[str, Any]]:
    """The mean score of turns by bucket of set size, with 95 % bootstrap intervals over games."""
    turns = [(side.game, size, side.score) for side in sides for size in side.sizes]
    if not turns:
        return []
    numbers, sizes, scores = (np.array(column) for column in zip(*turns, strict=True))
    _, games = np.unique(numbers, return_inverse=True)
    kinds = np.searchsorted(np.array(BOUNDS), sizes)
    kinds[kinds == len(BOUNDS)] = -1
    resamples = Resamples.draw(np.zeros(int(games.max()) + 1, np.int64))
    bucket_sums = resamples.bucket_sums(scores[:, None].astype(np.float64), games, kinds, len(BOUNDS))
    found = []
    for bound, group_sums in zip(BOUNDS, bucket_sums, strict=True):
        means = group_sums.pooled()
        if means.positions:
            share = means.estimates()[0]
            interval = [round(share.low, 4), round(share.high, 4)]
            found.append(
                {
                    "boards_up_to": bound,
                    "turns": means.positions,
                    "share": round(share.value, 4),
                    "interval_95": interval,
                }
            )
    return found


def draw(rates: list[dict[str, Any]], folder: Path) -> None:
    """Draws figure 1 from the rows of `win_rates`. Raises MissingExtra."""
    pyplot = open_pyplot()
    figure, axis = pyplot.subplots(figsize=(8, 3.6))
    places = range(len(rates))
    shares = [rate["share"] for rate in rates]
    low, high = ([abs(rate["interval_95"][i] - rate["share"]) for rate in rates] for i in (0, 1))
    axis.bar(places, shares, color=BAR_COLOR, yerr=[low, high], ecolor=INK_COLOR, capsize=2)
    axis.axhline(0.5, linewidth=0.8, linestyle=":", color=INK_COLOR)
    axis.set_xticks(list(places), [f"{rate['boards_up_to']:,}" for rate in rates], rotation=45)
    axis.set_xlabel("possible boards, up to")
    axis.set_ylabel("share of points")
    axis.set_title("Score by number of possible boards")
    save_svg(figure, folder, FIGURE)
