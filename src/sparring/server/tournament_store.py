"""Tournaments in the server's database: a game counts once its row is written."""

from __future__ import annotations

import json
import sqlite3
import time
from dataclasses import dataclass

from pydantic import ValidationError

from sparring.server.database import Database
from sparring.server.tournament_messages import TournamentSettings


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
            result.text,
            json.dumps(result.moves),
            result.seconds,
        )

        def work(file: sqlite3.Connection) -> None:
            known = file.execute("SELECT 1 FROM tournaments WHERE id = ?", (tournament_id,)).fetchone()
            if known is not None:
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
        return next(iter(self._find("WHERE id = ?", tournament_id)), None)

    def of_visitor(self, visitor: str) -> list[StoredTournament]:
        """A visitor's tournaments, the latest first."""
        return self._find("WHERE visitor = ? ORDER BY updated DESC", visitor)

    def unfinished(self) -> list[StoredTournament]:
        """All tournaments that were not stopped and have games left, the latest first."""
        return [
            each
            for each in self._find("WHERE NOT stopped ORDER BY updated DESC")
            if each.done_games < each.settings.games
        ]

    def results(self, tournament_id: str) -> list[TournamentResult]:
        """The finished games, in the order of their numbers."""
        rows = self._database.read(
            "SELECT number, score, reason, moves, seconds FROM tournament_games WHERE tournament = ?"
            " ORDER BY number",
            (tournament_id,),
        )
        return [
            TournamentResult(number, score, text, json.loads(moves), seconds)
            for number, score, text, moves, seconds in rows
        ]

    def _find(self, where: str, *values: str) -> list[StoredTournament]:
        rows = self._database.read(f"{_COLUMNS} {where}", values)
        found = []
        for each, visitor, settings, stopped, updated, done in rows:
            try:
                known = TournamentSettings.model_validate_json(settings)
            except ValidationError:  # of another version of Sparring
                continue
            found.append(StoredTournament(each, visitor, known, bool(stopped), updated, done))
        return found


def _touch(file: sqlite3.Connection, tournament_id: str) -> None:
    file.execute("UPDATE tournaments SET updated = ? WHERE id = ?", (time.time(), tournament_id))
