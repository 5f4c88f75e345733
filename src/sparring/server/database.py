"""The SQLite file of the server. What was written survives a kill at any moment.

Writes of threads that come while another transaction is synchronised to the disk share the next transaction:
a hundred games that change at once wait for one synchronisation, not for a hundred.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Sequence
from pathlib import Path
from threading import Lock
from typing import Any

from sparring.workers.combining import FlatCombiner

SCHEMA_VERSION = 3
_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, settings TEXT NOT NULL, ending TEXT, message TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL, shown TEXT
);
CREATE INDEX IF NOT EXISTS games_by_visitor ON games (visitor, updated);
CREATE INDEX IF NOT EXISTS finished_games ON games (updated) WHERE ending IS NOT NULL;
CREATE TABLE IF NOT EXISTS moves (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, ply INTEGER NOT NULL, text TEXT NOT NULL,
    player INTEGER NOT NULL, seconds_left REAL, offers_draw INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS turing_rounds (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, kit TEXT NOT NULL, games TEXT NOT NULL, sources TEXT NOT NULL,
    created REAL NOT NULL, verdicts TEXT, correct INTEGER
);
CREATE INDEX IF NOT EXISTS turing_by_visitor ON turing_rounds (visitor, created);
CREATE TABLE IF NOT EXISTS tournaments (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, settings TEXT NOT NULL, stopped INTEGER NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS tournaments_by_visitor ON tournaments (visitor, updated);
CREATE TABLE IF NOT EXISTS tournament_games (
    tournament TEXT NOT NULL REFERENCES tournaments (id) ON DELETE CASCADE, number INTEGER NOT NULL,
    score REAL, reason TEXT NOT NULL, moves TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;
"""
_MIGRATIONS = {
    1: "ALTER TABLE games ADD COLUMN shown TEXT;",
    # Drops the column `detail`, which was always empty. SQLite drops columns itself from 3.35 on.
    2: f"""
        {_SCHEMA} ALTER TABLE tournament_games RENAME TO old_games;
        {_SCHEMA} INSERT INTO tournament_games
            SELECT tournament, number, score, reason, moves, seconds FROM old_games;
        DROP TABLE old_games;
    """,
}
"""SQL that brings a file from a version to the next one."""

Work = Callable[[sqlite3.Connection], Any]
"""Statements of one change."""


class BadStore(Exception):
    """A file that is not a database of this version."""


class Database:
    """One file. Safe for threads."""

    def __init__(self, path: Path | str) -> None:
        """Opens the file, which is created if it does not exist. Raises BadStore."""
        self._writes: FlatCombiner[Work, Any] = FlatCombiner(self._commit)
        self._lock = Lock()
        """Held while the connection is used."""
        try:
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
            self._open(path)
        except sqlite3.Error as error:
            raise BadStore(f"{path} cannot be used for games: {error}") from None

    def _open(self, path: Path | str) -> None:
        version = int(self._file.execute("PRAGMA user_version").fetchone()[0])
        if not 0 <= version <= SCHEMA_VERSION:
            self._file.close()
            raise BadStore(f"{path} was written by another version of Sparring")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute("PRAGMA foreign_keys = ON")
        steps = "".join(_MIGRATIONS[each] for each in range(version or SCHEMA_VERSION, SCHEMA_VERSION))
        self._file.executescript(f"BEGIN; {steps} {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")

    def read(self, query: str, values: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._lock:
            return self._file.execute(query, values).fetchall()

    def write(self, work: Work) -> Any:
        """Carries out a change, and returns the result of `work` once it is on the disk.

        Changes of several threads may share a transaction. One that raises an exception changes nothing, and
        the exception is raised here.
        """
        return self._writes.call(work)

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._file.close()

    def _commit(self, batch: list[Work]) -> list[Any]:
        """The results of changes, or their exceptions, carried out in one transaction."""
        file, results = self._file, []
        with self._lock:
            file.execute("BEGIN IMMEDIATE")
            try:
                for work in batch:
                    file.execute("SAVEPOINT one")
                    try:
                        results.append(work(file))
                    except Exception as error:
                        results.append(error)
                        file.execute("ROLLBACK TO one")
                    file.execute("RELEASE one")
                file.execute("COMMIT")
            except BaseException:  # the disk is full, or another program has locked the file
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise
        return results
