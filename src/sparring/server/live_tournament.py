"""A tournament that is being played: its games at once, its standings and its boards."""

from __future__ import annotations

import asyncio
import json
import logging
import sqlite3
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from threading import Event
from typing import Any, Literal

import numpy as np
from pydantic import Field, ValidationError

from sparring.arena.results import ArenaGame, compute_standings
from sparring.arena.tournament import meeting_of
from sparring.base.errors import CannotWrite, first_line
from sparring.base.sentences import Sentence, from_stored, to_stored
from sparring.games import Game, describe, load_game
from sparring.play.game import LiveGame, StoredMove
from sparring.play.result import LENGTH_LIMIT, GameResult
from sparring.players import Player
from sparring.server.game_host import GameHost
from sparring.server.messages import (
    ApiMessage,
    BoardView,
    GameName,
    MoveView,
    OpponentChoice,
    Text,
    board_view,
    text_of,
)
from sparring.server.new_game import opening_moves, people_moves
from sparring.server.page_game import GameSettings, move_view
from sparring.server.refusal import Refused
from sparring.server.store import OWN, Database

_log = logging.getLogger(__name__)

# Messages of tournaments.


class NewTournament(ApiMessage):
    """A request for a tournament."""

    game: GameName
    options: dict[str, bool | int | float | str] = Field(default_factory=dict, max_length=16)
    players: list[OpponentChoice] = Field(min_length=2, max_length=8)
    games: int = Field(default=20, ge=1, le=500, description="Number of all games.")
    format: Literal["round-robin", "gauntlet"] = Field(
        default="round-robin", description="gauntlet: the first player meets each other player."
    )
    concurrency: int = Field(default=4, ge=1, le=6, description="Games that are played at once.")
    pace: float = Field(default=0.3, ge=0, le=60, description="Seconds between two moves, at least.")
    seed: int | None = Field(
        default=None, ge=0, le=2**53 - 1, description="The same seed gives the same games."
    )


class TournamentSettings(ApiMessage):
    """All that decides which games are played. It is stored."""

    game: str
    options: dict[str, bool | int | float | str]
    players: list[OpponentChoice]
    names: list[str]
    about: list[str]
    games: int
    format: Literal["round-robin", "gauntlet"]
    concurrency: int
    pace: float
    seed: int
    created: float


class Participant(ApiMessage):
    """A player of a tournament."""

    name: str
    about: Text


class StandingView(ApiMessage):
    """A line of the standings."""

    player: int = Field(description="Index of the player.")
    games: int
    wins: int
    draws: int
    losses: int
    score: float = Field(description="Points.")
    elo: float | None = Field(description="Rating; the mean of all players is 0. Null before the first game.")
    interval: tuple[float, float] | None = Field(description="95 % interval of the rating.")


class BoardOfGame(ApiMessage):
    """A game that is being played."""

    number: int
    first: int
    second: int
    ply: int
    position: str
    board: BoardView
    last: str | None = Field(description="Text of the last move; null if there is none.")


class FinishedGame(ApiMessage):
    """A game that was played."""

    number: int
    first: int
    second: int
    score: float = Field(description="Of the first player.")
    text: Text = Field(description="How it ended.")
    plies: int


class TournamentView(ApiMessage):
    """A tournament so far."""

    id: str
    version: int = Field(description="Grows with every change, also over restarts.")
    game: str
    title: str
    sides: tuple[str, str]
    players: list[Participant]
    games: int
    done_games: int
    over: bool = Field(description="Whether no game is being played or will be, unless it is resumed.")
    stopped: bool = Field(description="Whether it was stopped before its last game.")
    error: Text | None
    standings: list[StandingView] = Field(description="The best player first.")
    running: list[BoardOfGame]
    finished: list[FinishedGame] = Field(description="At most 50, the latest last.")


class TournamentSummary(ApiMessage):
    """A line in the list of tournaments."""

    id: str
    game: str
    title: str
    players: list[str]
    games: int
    done_games: int
    over: bool
    updated: float = Field(description="Unix time of the last change.")


class TournamentGame(ApiMessage):
    """A finished game with its moves."""

    number: int
    first: int
    second: int
    score: float
    text: Text
    moves: list[MoveView]
    positions: list[str] = Field(description="Before the first move, and after each one.")
    boards: list[BoardView] = Field(description="The same as boards.")


# Tournaments in the server's database: a game counts once its row is written.


@dataclass(frozen=True)
class TournamentResult:
    """A finished game of a tournament."""

    number: int
    score: float
    """Of the first player."""
    text: str
    """How it ended."""
    moves: list[str]
    seconds: float


@dataclass(frozen=True)
class StoredTournament:
    """A tournament as the file has it."""

    id: str
    visitor: str
    settings: TournamentSettings
    stopped: bool
    updated: float
    done_games: int


_COLUMNS = (
    "SELECT id, visitor, settings, stopped, updated,"
    " (SELECT count(*) FROM tournament_games WHERE tournament = id) FROM tournaments"
)


class TournamentStore:
    """The tournaments of a database. Safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def create(self, tournament_id: str, visitor: str, settings: TournamentSettings) -> None:
        """Stores a new tournament."""
        row = (tournament_id, visitor, settings.model_dump_json(), settings.created, settings.created)
        self._database.write(
            lambda file: file.execute("INSERT INTO tournaments VALUES (?, ?, ?, 0, ?, ?)", row)
        )

    def add_result(self, tournament_id: str, result: TournamentResult) -> None:
        """Stores a finished game, in place of an earlier one; nothing if the tournament was deleted."""
        row = (
            tournament_id,
            result.number,
            result.score,
            to_stored(result.text),
            json.dumps(result.moves),
            result.seconds,
        )

        def work(file: sqlite3.Connection) -> None:
            tournament_row = file.execute(
                "SELECT 1 FROM tournaments WHERE id = ?", (tournament_id,)
            ).fetchone()
            if tournament_row is not None:
                file.execute("INSERT OR REPLACE INTO tournament_games VALUES (?, ?, ?, ?, ?, ?)", row)
                _touch(file, tournament_id)

        self._database.write(work)

    def set_stopped(self, tournament_id: str, stopped: bool) -> None:
        """Stores whether a tournament was stopped."""

        def work(file: sqlite3.Connection) -> None:
            file.execute("UPDATE tournaments SET stopped = ? WHERE id = ?", (stopped, tournament_id))
            _touch(file, tournament_id)

        self._database.write(work)

    def delete(self, tournament_id: str) -> None:
        """Deletes a tournament."""
        self._database.write(
            lambda file: file.execute("DELETE FROM tournaments WHERE id = ?", (tournament_id,))
        )

    def load(self, tournament_id: str) -> StoredTournament | None:
        """A tournament by its id; None if there is none."""
        return next(iter(self._find("WHERE id = :id", id=tournament_id)), None)

    def of_visitor(self, visitor: str) -> list[StoredTournament]:
        """A visitor's tournaments, the latest first."""
        return self._find(f"WHERE {OWN} ORDER BY updated DESC", visitor=visitor)

    def unfinished(self) -> list[StoredTournament]:
        """All tournaments that were not stopped and have games left, the latest first."""
        return [
            tournament
            for tournament in self._find("WHERE NOT stopped ORDER BY updated DESC")
            if tournament.done_games < tournament.settings.games
        ]

    def results(self, tournament_id: str) -> list[TournamentResult]:
        """The finished games, in the order of their numbers."""
        rows = self._database.read(
            "SELECT number, score, reason, moves, seconds FROM tournament_games WHERE tournament = ?"
            " ORDER BY number",
            (tournament_id,),
        )
        return [
            TournamentResult(number, score, from_stored(text), json.loads(moves), seconds)
            for number, score, text, moves, seconds in rows
        ]

    def _find(self, where: str, **values: str) -> list[StoredTournament]:
        rows = self._database.read(f"{_COLUMNS} {where}", values)
        tournaments = []
        for tournament_id, visitor, settings, stopped, updated, done in rows:
            try:
                parsed = TournamentSettings.model_validate_json(settings)
            except ValidationError:  # of another version of Sparring
                continue
            tournaments.append(StoredTournament(tournament_id, visitor, parsed, bool(stopped), updated, done))
        return tournaments


def _touch(file: sqlite3.Connection, tournament_id: str) -> None:
    file.execute("UPDATE tournaments SET updated = ? WHERE id = ?", (time.time(), tournament_id))


_SHOWN = 50
"""Finished games of a view."""
_OPENING_PLIES = 6
"""Plies of an opening, which the two games of a meeting share."""
_RETRY_SECONDS = 2.0
"""Time between tries to store a game."""
_LONGEST = 1_000
"""Plies after which a game is a draw."""
_SEED_OF_OPENING = 1 << 32
"""Added to the number of a round, so that its opening has other random numbers than its games."""


class LiveTournament:
    """A tournament in memory. All methods are called from one event loop, except `view`."""

    def __init__(
        self,
        tournament_id: str,
        visitor: str,
        settings: TournamentSettings,
        results: Sequence[TournamentResult],
        host: GameHost,
        save: Callable[[TournamentResult], None],
        version: int,
    ) -> None:
        """`save` stores a finished game; `version` is above those of earlier views."""
        self.id, self.visitor, self.settings = tournament_id, visitor, settings
        self.results = {result.number: result for result in results}
        self.stopped = False
        self.error: Text | None = None
        self.changed = asyncio.Event()
        """Set, and replaced, at every change."""
        self._version = version
        self._host, self._save = host, save
        self._rules = load_game(settings.game, **settings.options)
        self._running: dict[int, LiveGame] = {}
        self._tasks: list[asyncio.Task[None]] = []

    @property
    def runs(self) -> bool:
        """Whether games are being played."""
        return any(not task.done() for task in self._tasks)

    @property
    def over(self) -> bool:
        """Whether no game is being played or will be, unless it is resumed."""
        return self.stopped or self.error is not None or len(self.results) >= self.settings.games

    def start(self) -> None:
        """Plays the games that are missing."""
        self.stopped, self.error = False, None
        if not self.runs:
            count = min(self.settings.concurrency, self.settings.games - len(self.results))
            self._tasks = [asyncio.create_task(self._play_games()) for _ in range(count)]

    async def stop(self) -> None:
        """Ends all games; those in progress do not count and are played again if it is resumed."""
        self.stopped = True
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        self._tasks = []
        self._bump()

    async def _play_games(self) -> None:
        """Plays one game after the other, until all are played or are being played by others."""
        try:
            while (number := self._next()) is not None:
                await self._play(number)
        except Exception as error:  # the page shows it; other tournaments go on
            self.error = text_of(Sentence("The tournament ended: {error}", error=first_line(error)))
            self.stopped = True  # it can be resumed
            self._bump()

    def _next(self) -> int | None:
        if self.error is not None:
            return None
        taken = (*self.results, *self._running)
        return next((number for number in range(self.settings.games) if number not in taken), None)

    async def _play(self, number: int) -> None:
        game: LiveGame | None = None
        began, stop = time.monotonic(), Event()
        self._running[number] = self._live(number, {})  # until its players are loaded
        try:
            game = self._running[number] = await self._host.open(self._open, number)
            while (pending := game.pending_turn(stop)) is not None:
                turn = time.monotonic()
                decision = await self._host.compute(game.decide, pending)
                await asyncio.sleep(max(0.0, self.settings.pace - (time.monotonic() - turn)))
                await self._host.run(game.accept, pending, decision)
                if len(game.moves) >= _LONGEST and game.end is None:
                    game.finish(
                        GameResult(0.5, LENGTH_LIMIT),
                        Sentence("A draw after {moves} moves.", moves=f"{_LONGEST:,}"),
                    )
                self._bump()
            score = None if game.end is None else game.end.first_score
            assert score is not None
            moves, seconds = [move.text for move in game.moves], time.monotonic() - began
            result = TournamentResult(number, score, game.message, moves, seconds)
            await self._store(result)
            self.results[number] = result
        finally:
            stop.set()
            del self._running[number]
            if game is not None:
                game.close()
            self._bump()

    async def _store(self, result: TournamentResult) -> None:
        """Stores a finished game, as soon as that is possible."""
        while True:
            try:
                await self._host.run(self._save, result)
                return
            except CannotWrite as error:
                _log.warning("tournament %s waits: %s", self.id, error)
                await asyncio.sleep(_RETRY_SECONDS)

    def _open(self, number: int) -> LiveGame:
        """A game after its opening."""
        opponents = self._settings_of(number).opponents
        game = self._live(
            number, {side: self._host.opponents.make(self._rules, opponents[side]) for side in (0, 1)}
        )
        game.continue_with([StoredMove(text) for text in self._opening(number)])
        return game

    def _live(self, number: int, players: dict[int, Player]) -> LiveGame:
        seed = self._settings_of(number).seed
        return LiveGame(self._rules, players, seed_of=lambda side, ply: [seed, side, ply])

    def _opening(self, number: int) -> list[str]:
        """A few plies as people play them, or at random in games without a network of people's moves."""
        rules = self._rules
        if rules.spec.hidden:
            return []
        *_, round_ = meeting_of(len(self.settings.players), self.settings.format, number)
        seed = [self.settings.seed, _SEED_OF_OPENING + round_]
        rng, start = np.random.default_rng(seed), rules.initial()
        if describe(self.settings.game).people is not None:
            return people_moves(
                rules, start, _OPENING_PLIES, self.settings.players[0], self._host.opponents, rng
            )
        return _random_moves(rules, start, _OPENING_PLIES // 2, rng)

    def _settings_of(self, number: int) -> GameSettings:
        first, second, _ = meeting_of(len(self.settings.players), self.settings.format, number)
        players = self.settings.players
        seed = int(np.random.SeedSequence([self.settings.seed, number]).generate_state(1, np.uint32)[0])
        return GameSettings(
            game=self.settings.game,
            you=None,
            opponents=(players[first], players[second]),
            seed=seed,
            created=self.settings.created,
            options=self.settings.options,
        )

    def _bump(self) -> None:
        self._version += 1
        self.changed.set()
        self.changed = asyncio.Event()

    # Views

    def view(self) -> TournamentView:
        """The tournament so far."""
        spec, results = self._rules.spec, sorted(self.results.values(), key=lambda result: result.number)
        return TournamentView(
            id=self.id,
            version=self._version,
            game=spec.name,
            title=spec.title,
            sides=(spec.players[0], spec.players[1]),
            players=[
                Participant(name=name, about=text_of(from_stored(about)))
                for name, about in zip(self.settings.names, self.settings.about, strict=True)
            ],
            games=self.settings.games,
            done_games=len(results),
            over=self.over,
            stopped=self.stopped,
            error=self.error,
            standings=standings_of(self.settings, results),
            running=[self._board(number, game) for number, game in sorted(self._running.items())],
            finished=[self._finished(result) for result in list(self.results.values())[-_SHOWN:]],
        )

    def game_view(self, number: int) -> TournamentGame:
        """A finished game with its moves. Raises Refused."""
        if (result := self.results.get(number)) is None:
            raise Refused(Sentence("There is no such finished game."), 404)
        game = self._live(number, {})
        game.continue_with([StoredMove(text) for text in result.moves])
        finished = self._finished(result)
        return TournamentGame(
            number=number,
            first=finished.first,
            second=finished.second,
            score=result.score,
            text=text_of(result.text),
            moves=[move_view(move) for move in game.moves],
            positions=[self._rules.text(state) for state in game.states],
            boards=[board_view(self._rules.diagram(state)) for state in game.states],
        )

    def _board(self, number: int, game: LiveGame) -> BoardOfGame:
        first, second, _ = meeting_of(len(self.settings.players), self.settings.format, number)
        moves = list(game.moves)
        state = game.states[len(moves)]
        return BoardOfGame(
            number=number,
            first=first,
            second=second,
            ply=len(moves),
            position=self._rules.text(state),
            board=board_view(self._rules.diagram(state)),
            last=moves[-1].text if moves else None,
        )

    def _finished(self, result: TournamentResult) -> FinishedGame:
        first, second, _ = meeting_of(len(self.settings.players), self.settings.format, result.number)
        return FinishedGame(
            number=result.number,
            first=first,
            second=second,
            score=result.score,
            text=text_of(result.text),
            plies=len(result.moves),
        )


def standings_of(settings: TournamentSettings, results: list[TournamentResult]) -> list[StandingView]:
    """The standings, the best player first."""
    games = []
    for result in results:
        first, second, _ = meeting_of(len(settings.players), settings.format, result.number)
        names = settings.names[first], settings.names[second]
        games.append(
            ArenaGame(
                result.number, *names, 0, result.score, result.text, "", len(result.moves), result.seconds
            )
        )
    standings = compute_standings(games, settings.names)
    views = []
    for index in standings.order:
        row, ratings = standings.rows[index], standings.ratings
        elo = None if ratings is None else float(ratings.elo[index])
        half = 0.0 if ratings is None else float(ratings.half_widths[index])
        views.append(
            StandingView(
                player=index,
                games=row.games,
                wins=row.wins,
                draws=row.draws,
                losses=row.losses,
                score=row.wins + row.draws / 2,
                elo=None if elo is None else round(elo, 1),
                interval=None if elo is None else (round(elo - half, 1), round(elo + half, 1)),
            )
        )
    return views


def _random_moves(rules: Game[Any], state: Any, plies: int, rng: np.random.Generator) -> list[str]:
    def draw(state: Any) -> Any:
        legal = rules.legal_moves(state)
        return legal[int(rng.integers(len(legal)))]

    return opening_moves(rules, state, plies, draw)
