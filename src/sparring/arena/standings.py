"""Standings: scores, ratings, likelihood of superiority, and goodness of fit."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from sparring.arena.engine_process import FailureReason
from sparring.arena.ratings import DEFAULT_PRIOR, RatedGame, Ratings, connected_components, rate
from sparring.arena.results import GameResult
from sparring.arena.tournament import BadTournament


@dataclass
class StandingsRow:
    """One player's score."""

    name: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    """Games lost by failures rather than by play, by reason."""

    @property
    def games(self) -> int:
        """The number of games that count."""
        return self.wins + self.draws + self.losses

    @property
    def score(self) -> float:
        """Points per game."""
        return (self.wins + self.draws / 2) / self.games if self.games else 0.0


@dataclass(frozen=True)
class HeadToHead:
    """The games of two players, from the first one's point of view."""

    first: str
    second: str
    games: int
    observed: float
    """Points per game."""
    expected: float
    z: float
    """(observed - expected) in standard deviations."""


@dataclass(frozen=True)
class Standings:
    """The standings of a tournament."""

    rows: list[StandingsRow]
    """In the order of `ratings`."""
    ratings: Ratings | None
    """None before the first game that counts."""
    head_to_head: list[HeadToHead]
    warnings: list[str]
    anchor: str | None
    at: float

    @property
    def order(self) -> list[int]:
        """Indices of the rows, strongest first."""
        if self.ratings is None:
            return list(range(len(self.rows)))
        return [int(row) for row in np.argsort(-self.ratings.elo, kind="stable")]

    def as_json(self) -> dict[str, Any]:
        """The standings as JSON-compatible data."""
        ratings = self.ratings
        return {
            "anchor": {"player": self.anchor or "mean", "elo": self.at},
            "first_advantage": None if ratings is None else ratings.first_advantage,
            "draw_weight": None if ratings is None else ratings.draw_weight,
            "players": [self._row_json(row) for row in self.order],
            "superiority": None if ratings is None else self._sorted(ratings.superiority),
            "covariance": None if ratings is None else self._sorted(ratings.covariance),
            "head_to_head": [vars(meeting) for meeting in self.head_to_head],
            "warnings": self.warnings,
        }

    def _row_json(self, index: int) -> dict[str, Any]:
        row = self.rows[index]
        known = {} if self.ratings is None else _interval(self.ratings, index)
        counts = {"games": row.games, "wins": row.wins, "draws": row.draws, "losses": row.losses}
        return {"name": row.name, **known, **counts, "score": row.score, "failures": dict(row.failures)}

    def _sorted(self, matrix: Any) -> list[list[float]]:
        found: list[list[float]] = matrix[np.ix_(self.order, self.order)].tolist()
        return found


def compute_standings(
    results: Sequence[GameResult],
    names: Sequence[str] = (),
    *,
    anchor: str | None = None,
    at: float = 0.0,
    prior: float = DEFAULT_PRIOR,
) -> Standings:
    """Computes the standings. `names` lists players that may not have played yet; the anchor's rating is
    `at`.

    Raises BadTournament or RatingError.
    """
    known = list(dict.fromkeys([*names, *(name for each in results for name in (each.first, each.second))]))
    place = {name: index for index, name in enumerate(known)}
    if anchor is not None and anchor not in place:
        raise BadTournament(f"the anchor {anchor!r} is no player; there are {', '.join(known)}")
    rows = [StandingsRow(name) for name in known]
    for result in results:
        _count(result, rows[place[result.first]], rows[place[result.second]])
    games = [
        RatedGame(place[each.first], place[each.second], each.result)
        for each in results
        if each.counts and each.result is not None
    ]
    index = None if anchor is None else place[anchor]
    ratings = rate(games, len(known), anchor=index, at=at, prior=prior) if games else None
    head_to_head = [] if ratings is None else _meetings(games, known, ratings)
    return Standings(rows, ratings, head_to_head, _warnings(results, games, rows), anchor, at)


def _interval(ratings: Ratings, index: int) -> dict[str, float]:
    elo, half = float(ratings.elo[index]), float(ratings.half_widths[index])
    return {"elo": elo, "low": elo - half, "high": elo + half}


def _count(result: GameResult, first: StandingsRow, second: StandingsRow) -> None:
    if result.counts:
        first.wins += result.result == 1
        second.wins += result.result == 0
        first.losses += result.result == 0
        second.losses += result.result == 1
        for row in (first, second):
            row.draws += result.result == 0.5
    if result.reason in {*FailureReason, "time forfeit"}:
        losers = (first, second) if result.result is None else (second if result.result == 1 else first,)
        for loser in losers:
            loser.failures[result.reason] += 1


def _meetings(games: Sequence[RatedGame], names: Sequence[str], ratings: Ratings) -> list[HeadToHead]:
    sums: dict[tuple[int, int], list[float]] = {}
    for game in games:
        low, high = sorted((game.first, game.second))
        expected, variance = ratings.expected(game.first, game.second)
        turned = game.first != low
        total = sums.setdefault((low, high), [0.0, 0.0, 0.0, 0.0])
        for index, value in enumerate(
            (1, 1 - game.result if turned else game.result, 1 - expected if turned else expected, variance)
        ):
            total[index] += value
    return [
        HeadToHead(
            names[low], names[high], int(n), won / n, expected / n, (won - expected) / math.sqrt(variance)
        )
        for (low, high), (n, won, expected, variance) in sorted(sums.items())
    ]


def _warnings(
    results: Sequence[GameResult], games: Sequence[RatedGame], rows: Sequence[StandingsRow]
) -> list[str]:
    warnings = []
    absent = sum(not each.counts for each in results)
    if absent:
        warnings.append(f"{absent} games do not count: a player could not be started")
    met = [
        group for group in connected_components(games, len(rows)) if any(rows[each].games for each in group)
    ]
    if len(met) > 1:
        listed = "; ".join(", ".join(rows[each].name for each in group) for group in met)
        warnings.append(f"these groups never met, and only the prior compares them: {listed}")
    for row in rows:
        if row.games and row.score in (0.0, 1.0):
            what = "won" if row.score else "lost"
            warnings.append(f"{row.name} {what} every game: the prior alone keeps the rating finite")
    return warnings
