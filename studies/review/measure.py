"""The review of people's games against Stockfish's values: what it finds, and what it lists wrongly."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

from sparring.base.storage import Journal, read_journal
from sparring.measure.review import BLOCK, MOMENTS, MoveReview, Reviewer, assumed_ratings
from sparring.policies import load_policy
from sparring.records.readers import RecordedGame
from studies.review.judge import WEAK, Judged, win_points

BAD, MINOR = 15.0, 7.0
"""Win points: a move that loses so many must be listed; a listed move must lose so many."""
LISTED = 10.0
"""Win points from which on Stockfish with few nodes lists a move. Our review lists mistakes and blunders,
from the same loss on."""
CLOSE = (7.0, 25.0)
"""Win points that a move loses with few nodes, for it to be judged with many."""
_SWINGS = 4
_RESAMPLES = 2_000


@dataclass(frozen=True)
class ReviewedGame:
    """A game that our review has seen: a line of the journal."""

    game: str
    seconds: float
    """Processor time of all threads; of another program's too."""
    first: float
    """Processor time of the first block of moves."""
    losses: list[float]
    """Win points that each move lost."""
    marks: list[str]
    mates: list[int]
    """Moves to mate before each move, 0 if none is known."""
    kinds: list[str]


def review_games(
    games: Iterable[RecordedGame], journal: Path, program: Sequence[str] = ()
) -> Iterator[ReviewedGame]:
    """Reviews games that are not in the journal yet, in one thread, and yields them."""
    written = Journal(journal, header={"program": [Path(part).name for part in program]}, kind=ReviewedGame)
    done = {entry["game"] for entry in written.entries}
    human, strong = load_policy("human", "chess"), load_policy("strong", "chess")
    reviewer = Reviewer("chess", human, strong, program=program, threads=1)
    for played in games:
        if played.id in done:
            continue
        ratings = assumed_ratings(played, human, None)
        started = _processor_seconds()
        moves: list[MoveReview] = []
        first = 0.0
        for begin in range(0, len(played), BLOCK):
            moves += reviewer.block(played.states, begin, ratings)
            first = first or _processor_seconds() - started
        entry = ReviewedGame(
            played.id,
            round(_processor_seconds() - started, 2),
            round(first, 2),
            [round(100 * move.loss, 2) for move in moves],
            [move.mark for move in moves],
            [move.mate or 0 for move in moves],
            [move.kind for move in moves],
        )
        written.add(asdict(entry))
        yield entry
    reviewer.close()


def _processor_seconds() -> float:
    return time.process_time()


# The report.


@dataclass(frozen=True)
class Judge:
    """Stockfish's scores of positions, by game and ply."""

    scores: Mapping[tuple[str, int], int]

    @classmethod
    def read(cls, *journals: Path) -> Judge:
        """The scores of journals; those of later ones replace those of earlier ones."""
        scores: dict[tuple[str, int], int] = {}
        for path in journals:
            for row in read_journal(path)[1:]:
                entry = Judged(**row)
                scores[entry.game, entry.ply] = entry.centipawns
        return cls(scores)

    def loss(self, game: str, ply: int) -> float | None:
        """Win points that a move lost; None if it is not judged."""
        before, after = self.scores.get((game, ply)), self.scores.get((game, ply + 1))
        if before is None or after is None:
            return None
        return win_points(before) - win_points(-after)

    def mate(self, game: str, ply: int) -> int:
        """Moves to a mate of the side to move, 0 if there is none."""
        score = self.scores.get((game, ply), 0)
        return 32_000 - score if score > 31_000 else 0


def close_plies(game: RecordedGame, shallow: Judge) -> list[int]:
    """The positions of a game that are judged with many nodes: before and after moves that lose 7 to 25 win
    points with few. What loses less or more is taken as it is."""
    plies = [ply for ply in range(len(game)) if CLOSE[0] <= (shallow.loss(game.id, ply) or 0.0) < CLOSE[1]]
    return sorted({place for ply in plies for place in (ply, ply + 1)})


def table(games: Sequence[RecordedGame], judge: Judge, listed: Mapping[str, set[int]]) -> dict[str, Any]:
    """Recall of moves that lose at least 15 points, and the share of listed moves that lose at least 7, with
    95 % intervals by bootstrap over games; all games, and both halves by rating."""
    counts = []
    weak = []
    for game in games:
        losses = {ply: judge.loss(game.id, ply) or 0.0 for ply in range(len(game))}
        bad = {ply for ply, loss in losses.items() if loss >= BAD}
        moves = listed[game.id]
        right = {ply for ply in moves if losses[ply] >= MINOR}
        counts.append((len(bad), len(bad & moves), len(moves), len(right)))
        first, second = game.ratings
        weak.append(((first or 0) + (second or 0)) / 2 < WEAK)
    rows = np.array(counts)
    parts = {
        "all": np.ones(len(rows), bool),
        f"below {WEAK}": np.array(weak),
        f"from {WEAK}": ~np.array(weak),
    }
    return {name: _shares(rows[chosen]) for name, chosen in parts.items() if chosen.any()}


def _shares(rows: np.ndarray[Any, np.dtype[np.int64]]) -> dict[str, Any]:
    rng = np.random.default_rng(1)
    sums = rows[rng.integers(0, len(rows), (_RESAMPLES, len(rows)))].sum(axis=1)
    total = rows.sum(axis=0)

    def share(part: int, whole: int) -> dict[str, float]:
        ratios = sums[:, part] / np.maximum(sums[:, whole], 1)
        low, high = np.quantile(ratios, [0.025, 0.975])
        return {
            "value": round(float(total[part] / max(total[whole], 1)), 4),
            "low": round(float(low), 4),
            "high": round(float(high), 4),
        }

    return {
        "games": len(rows),
        "bad_moves": int(total[0]),
        "listed": int(total[2]),
        "recall": share(1, 0),
        "precision": share(3, 2),
    }


def mates(reviews: Iterable[ReviewedGame], judge: Judge) -> dict[str, dict[str, int]]:
    """How many of the positions in which Stockfish sees a mate in up to 3, and in 4 or 5, our review sees
    one."""
    found = {"up to 3": [0, 0], "4 or 5": [0, 0]}
    for reviewed in reviews:
        for ply, mate in enumerate(reviewed.mates):
            true = judge.mate(reviewed.game, ply)
            if 0 < true <= 5:
                row = found["up to 3" if true <= 3 else "4 or 5"]
                row[0] += 1
                row[1] += mate > 0
    return {name: {"positions": whole, "found": part} for name, (whole, part) in found.items()}


def moment_share(reviews: Iterable[ReviewedGame], judge: Judge) -> dict[str, Any]:
    """How many of the three moments are among Stockfish's four largest swings: changes of the chances by a
    move."""
    hits, total = 0, 0
    for reviewed in reviews:
        plies = range(len(reviewed.losses))
        swings = sorted(plies, key=lambda ply: -(judge.loss(reviewed.game, ply) or 0.0))[:_SWINGS]
        marked = [ply for ply in plies if reviewed.marks[ply]]
        named = sorted(marked, key=lambda ply: -reviewed.losses[ply])[:MOMENTS]
        hits += len(set(named) & set(swings))
        total += len(named)
    return {"moments": total, "among_the_four": hits, "share": round(hits / max(total, 1), 4)}


def report(
    games: Sequence[RecordedGame],
    few: Path,
    many: Path,
    own: Sequence[ReviewedGame],
    program: Sequence[ReviewedGame],
) -> dict[str, Any]:
    """What the reviews find, beside Stockfish with few nodes under the same rule. Only games that are
    reviewed,
    and whose close positions are all judged with many nodes, count."""
    judge, shallow, deep = Judge.read(few, many), Judge.read(few), Judge.read(many)
    result: dict[str, Any] = {"rejudged": len(read_journal(many)[1:])}
    for name, reviews in (("own", own), ("program", program)):
        by_game = {reviewed.game: reviewed for reviewed in reviews}
        seen = [
            game
            for game in games
            if game.id in by_game
            and (game.id, len(game)) in shallow.scores
            and all((game.id, ply) in deep.scores for ply in close_plies(game, shallow))
        ]
        if not seen:
            continue
        rows = [by_game[game.id] for game in seen]
        marked = {
            row.game: {ply for ply, mark in enumerate(row.marks) if mark in ("mistake", "blunder")}
            for row in rows
        }
        seconds = np.array([row.seconds for row in rows])
        plies = np.array([len(row.losses) for row in rows])
        result[name] = table(seen, judge, marked) | {
            "moves": int(plies.sum()),
            "core_seconds": {
                "mean": round(float(seconds.mean()), 2),
                "most": round(float(seconds.max()), 2),
                "of_80_plies": round(float(80 * seconds.sum() / plies.sum()), 2),
                "first_moves": round(float(np.mean([row.first for row in rows])), 2),
            },
            "mates": mates(rows, judge),
            "moments": moment_share(rows, judge),
            "stockfish_with_few_nodes": table(
                seen,
                judge,
                {
                    game.id: {ply for ply in range(len(game)) if (shallow.loss(game.id, ply) or 0) >= LISTED}
                    for game in seen
                },
            ),
        }
    return result
