"""The results of a tournament on disk: one line of JSON per game, written before the next game begins.

A game counts once its line is complete. The game's text is written first, and the line holds the offset of
its end. After a kill, the next run truncates an incomplete line and the text after the last complete game.
"""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field, fields
from operator import add
from pathlib import Path
from types import TracebackType
from typing import Annotated, Any

import msgspec
import numpy as np

from sparring.arena.tournament import Tournament
from sparring.base.errors import BadConfig, BadFile
from sparring.base.storage import CompanionFile, Journal, atomic_write, lock_folder, read_journal
from sparring.measure.ratings import DEFAULT_PRIOR, RatedGame, Ratings, connected_components, rate
from sparring.play.match import NOT_STARTED
from sparring.players.engines import FailureReason
from sparring.records import GameRecord
from sparring.records.readers import writer_of
from sparring.records.record import record_formats

RESULTS = "results.jsonl"
_FACTS = "tournament.json"


@dataclass(frozen=True)
class ArenaGame:
    """A finished game of a tournament: a line of its results."""

    number: int
    first: str
    """Name of player 0."""
    second: str
    opening: int
    result: float | None
    """Score of player 0: 1, 0.5 or 0; None if neither player could start."""
    reason: str
    detail: str
    plies: int
    seconds: float

    @property
    def losers(self) -> tuple[str, ...]:
        """Names of the players without a point, of a game with a winner or that neither could play."""
        if self.result is None:
            return self.first, self.second
        return (self.second if self.result == 1 else self.first,)

    @property
    def counts(self) -> bool:
        """Whether the game counts for ratings. Games in which a player could not start do not."""
        return self.result is not None and self.reason != NOT_STARTED


@dataclass(frozen=True)
class _ResultLine(ArenaGame):
    """A line of the results file."""

    games_end: Annotated[int, msgspec.Meta(ge=0)] = 0
    """Size of the file of games after this game."""
    games_crc32: int = 0
    """Checksum of the file of games so far."""

    def __post_init__(self) -> None:
        if self.result not in (None, 0, 0.5, 1):
            raise ValueError(f"{self.result} is no result of a game")

    def result_of_game(self) -> ArenaGame:
        """The result without its place in the file of games."""
        return ArenaGame(**{field.name: getattr(self, field.name) for field in fields(ArenaGame)})


class ResultStore:
    """The folder of a tournament, locked for one run. Raises BadConfig, BadFile, CannotWrite or OSError."""

    def __init__(self, folder: Path, tournament: Tournament) -> None:
        self._lock = lock_folder(folder)
        self._write = writer_of(tournament.game)
        try:
            self._remember(folder / _FACTS, tournament)
            lines = _read(folder / RESULTS)
            self.results = [line.result_of_game() for line in lines]
            self._check(folder, tournament)
            end, checksum = (lines[-1].games_end, lines[-1].games_crc32) if lines else (0, 0)
            games = folder / f"games.{record_formats(tournament.game).suffix}"
            self._games = CompanionFile(games, end, checksum)
            self._journal = Journal(folder / RESULTS, sync=True)
        except BaseException:
            self._lock.release()
            raise

    def add(self, result: ArenaGame, record: GameRecord | None) -> None:
        """Appends a result and the record of the game. Both are synced to disk when this returns. Raises
        OSError."""
        if record is not None:
            text = self._write(record).rstrip("\n") + "\n\n"
            self._games.append(text.encode(errors="replace"), sync=True)
        place = {"games_end": self._games.size, "games_crc32": self._games.checksum}
        self._journal.add({**asdict(result), **place})
        self.results.append(result)

    def __enter__(self) -> ResultStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._lock.release()

    def _remember(self, path: Path, tournament: Tournament) -> None:
        facts = {"fingerprint": tournament.fingerprint(), "name": tournament.name, "game": tournament.game}
        facts_known = _read_facts(path)
        if facts_known is not None and facts_known.fingerprint != facts["fingerprint"]:
            raise BadConfig(
                f"{path.parent} holds games of another tournament, or of this one before it was changed; "
                "only 'games', 'name' and [sprt] may change. Use another --out"
            )
        atomic_write(path, json.dumps({**facts, "players": tournament.names}) + "\n")

    def _check(self, folder: Path, tournament: Tournament) -> None:
        numbers = Counter(result.number for result in self.results)
        if twice := [number for number, count in numbers.items() if count > 1]:
            raise BadConfig(f"{folder / RESULTS} has game {twice[0]} twice; remove one of its lines")
        if len(self.results) > tournament.games:
            raise BadConfig(f"{folder} has {len(self.results)} games already, more than {tournament.games}")


def read_results(folders: Iterable[Path]) -> list[ArenaGame]:
    """The games of some tournaments. Raises BadConfig or OSError."""
    results: list[ArenaGame] = []
    for folder in folders:
        path = folder / RESULTS if folder.is_dir() else folder
        if not path.exists():
            raise BadConfig(f"there are no results in {folder} (no {RESULTS})")
        results += [line.result_of_game() for line in _read(path)]
    return results


def read_names(folders: Iterable[Path]) -> list[str]:
    """The players' names, in the order of the tournaments, from the folders that have them. A file of results
    has none."""
    names: dict[str, None] = {}
    for folder in folders:
        facts = _read_facts(folder / _FACTS)
        names.update(dict.fromkeys([] if facts is None else facts.players))
    return list(names)


class _Facts(msgspec.Struct):
    """What `tournament.json` says about the folder."""

    fingerprint: str = ""
    players: list[str] = []


def _read_facts(path: Path) -> _Facts | None:
    try:
        return msgspec.json.decode(path.read_bytes(), type=_Facts)
    except (FileNotFoundError, NotADirectoryError):  # the results may be a file on its own
        return None
    except (OSError, ValueError, RecursionError) as error:
        raise BadConfig(f"{path} cannot be read: {error}") from None


def _read(path: Path) -> list[_ResultLine]:
    """The results of a file. Raises BadConfig or OSError."""
    try:
        return msgspec.convert(read_journal(path, kind=_ResultLine), list[_ResultLine])
    except BadFile as error:
        raise BadConfig(f"{error}; remove the line if the rest is right") from None


# Standings: scores, ratings, likelihood of superiority, and goodness of fit.


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
        interval = {} if self.ratings is None else _interval(self.ratings, index)
        counts = {"games": row.games, "wins": row.wins, "draws": row.draws, "losses": row.losses}
        return {"name": row.name, **interval, **counts, "score": row.score, "failures": dict(row.failures)}

    def _sorted(self, matrix: Any) -> list[list[float]]:
        ordered: list[list[float]] = matrix[np.ix_(self.order, self.order)].tolist()
        return ordered


def compute_standings(
    results: Sequence[ArenaGame],
    names: Sequence[str] = (),
    *,
    anchor: str | None = None,
    at: float = 0.0,
    prior: float = DEFAULT_PRIOR,
) -> Standings:
    """Computes the standings. `names` lists players that may not have played yet; the anchor's rating is
    `at`.

    Raises BadConfig or UserError.
    """
    players = list(dict.fromkeys([*names, *(name for game in results for name in (game.first, game.second))]))
    place = {name: index for index, name in enumerate(players)}
    if anchor is not None and anchor not in place:
        raise BadConfig(f"the anchor {anchor!r} is no player; there are {', '.join(players)}")
    rows = [StandingsRow(name) for name in players]
    for result in results:
        _count(result, rows[place[result.first]], rows[place[result.second]])
    games = [
        RatedGame(place[game.first], place[game.second], game.result)
        for game in results
        if game.counts and game.result is not None
    ]
    index = None if anchor is None else place[anchor]
    ratings = rate(games, len(players), anchor=index, at=at, prior=prior) if games else None
    head_to_head = [] if ratings is None else _meetings(games, players, ratings)
    return Standings(rows, ratings, head_to_head, _warnings(results, games, rows), anchor, at)


def _interval(ratings: Ratings, index: int) -> dict[str, float]:
    elo, half = float(ratings.elo[index]), float(ratings.half_widths[index])
    return {"elo": elo, "low": elo - half, "high": elo + half}


def _count(result: ArenaGame, first: StandingsRow, second: StandingsRow) -> None:
    for row, won in ((first, 1), (second, 0)):
        if result.counts:
            row.wins += result.result == won
            row.losses += result.result == 1 - won
            row.draws += result.result == 0.5
        if row.name in result.losers and result.reason in set(FailureReason):
            row.failures[result.reason] += 1


def _meetings(games: Sequence[RatedGame], names: Sequence[str], ratings: Ratings) -> list[HeadToHead]:
    sums: dict[tuple[int, int], tuple[float, ...]] = {}
    for game in games:
        low, high = sorted((game.first, game.second))
        expected, variance = ratings.expected(game.first, game.second)
        scores = game.result, expected
        won, hoped = (1 - score for score in scores) if game.first != low else scores
        total = sums.get((low, high), (0.0, 0.0, 0.0, 0.0))
        sums[low, high] = tuple(map(add, total, (1, won, hoped, variance)))
    return [
        HeadToHead(
            names[low], names[high], int(n), won / n, expected / n, (won - expected) / math.sqrt(variance)
        )
        for (low, high), (n, won, expected, variance) in sorted(sums.items())
    ]


def _warnings(
    results: Sequence[ArenaGame], games: Sequence[RatedGame], rows: Sequence[StandingsRow]
) -> list[str]:
    warnings = []
    absent = sum(not game.counts for game in results)
    if absent:
        warnings.append(f"{absent} games do not count: a player could not be started")
    met = [
        group
        for group in connected_components(games, len(rows))
        if any(rows[player].games for player in group)
    ]
    if len(met) > 1:
        listed = "; ".join(", ".join(rows[player].name for player in group) for group in met)
        warnings.append(f"these groups never met, and only the prior compares them: {listed}")
    for row in rows:
        if row.games and row.score in (0.0, 1.0):
            what = "won" if row.score else "lost"
            warnings.append(f"{row.name} {what} every game: the prior alone keeps the rating finite")
    return warnings
