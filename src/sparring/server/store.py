"""Games of the server in its database."""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any

from sparring.base.clock import ClockSnapshot
from sparring.base.combining import FlatCombiner
from sparring.base.errors import BadFile, CannotWrite, NotFound, first_line
from sparring.base.sentences import from_stored, to_stored
from sparring.play.game import PlayedMove, StoredMove
from sparring.play.result import GameResult
from sparring.records import Termination
from sparring.server.messages import OpponentChoice
from sparring.server.page_game import GameSettings, ShownState
from sparring.server.security import OWNER

# The SQLite file of the server. What was written survives a kill at any moment.
#
# Writes of threads that come while another transaction is synchronised to the disk share the next
# transaction: a hundred games that change at once wait for one synchronisation, not for a hundred. Reads have
# a connection of their own and do not wait for writes.


SCHEMA_VERSION = 8
_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, settings TEXT NOT NULL, ending TEXT, message TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL, shown TEXT, dead TEXT
);
CREATE INDEX IF NOT EXISTS games_by_visitor ON games (visitor, updated);
CREATE INDEX IF NOT EXISTS games_by_update ON games (updated);
CREATE INDEX IF NOT EXISTS finished_games ON games (updated) WHERE ending IS NOT NULL;
CREATE TABLE IF NOT EXISTS moves (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, ply INTEGER NOT NULL, text TEXT NOT NULL,
    player INTEGER NOT NULL, seconds_left REAL, offers_draw INTEGER NOT NULL, clocks TEXT,
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
CREATE TABLE IF NOT EXISTS deck_cards (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, game TEXT NOT NULL, position TEXT NOT NULL,
    card TEXT NOT NULL, due REAL NOT NULL, interval REAL NOT NULL, ease REAL NOT NULL,
    repetitions INTEGER NOT NULL, created REAL NOT NULL, UNIQUE (visitor, game, position)
);
CREATE INDEX IF NOT EXISTS deck_by_due ON deck_cards (visitor, due);
CREATE TABLE IF NOT EXISTS deck_answers (
    id INTEGER PRIMARY KEY, visitor TEXT NOT NULL, game TEXT NOT NULL, card TEXT NOT NULL,
    answered REAL NOT NULL, grade INTEGER NOT NULL, plausible TEXT NOT NULL
);
CREATE INDEX IF NOT EXISTS answers_by_card ON deck_answers (card);
CREATE TABLE IF NOT EXISTS deck_games (
    game TEXT PRIMARY KEY REFERENCES games (id) ON DELETE CASCADE, card TEXT NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS deck_games_by_card ON deck_games (card);
CREATE TABLE IF NOT EXISTS reviewed_games (
    visitor TEXT NOT NULL, game_key TEXT NOT NULL, game TEXT NOT NULL, finding TEXT NOT NULL,
    reviewed REAL NOT NULL, PRIMARY KEY (visitor, game_key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS finished_reviews (
    visitor TEXT NOT NULL, key TEXT NOT NULL, source TEXT REFERENCES games (id) ON DELETE CASCADE,
    found TEXT NOT NULL, used REAL NOT NULL, PRIMARY KEY (visitor, key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS finished_reviews_by_source ON finished_reviews (source);
CREATE TABLE IF NOT EXISTS persons_to_make (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, task BLOB NOT NULL, starts INTEGER NOT NULL
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS starts (id INTEGER PRIMARY KEY CHECK (id = 0), count INTEGER NOT NULL);
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
    3: "",
    4: "",
    5: "ALTER TABLE moves ADD COLUMN clocks TEXT;",
    6: "",
    7: "ALTER TABLE games ADD COLUMN dead TEXT;",
}
"""SQL that brings a file from a version to the next one."""

_ONE_OWNER = 5
"""Version of the first files whose games belong to the folder."""
_FIRST_START = 64
_VERSIONS_OF_A_START = 1 << 36
"""Versions are (start of the server) * this + milliseconds since then: below 2 ** 53, and above the Unix time
in milliseconds that was the version before."""

Work = Callable[[sqlite3.Connection], Any]
"""Statements of one change."""

OWN = f"(visitor = :visitor OR :visitor = '{OWNER}')"
"""SQL: what belongs to a visitor. The owner of the folder has all that is in it."""


class Database:
    """One file. Safe for threads."""

    def __init__(self, path: Path | str) -> None:
        """Opens the file, which is created if it does not exist. Raises BadFile."""
        self._writes: FlatCombiner[Work, Any] = FlatCombiner(self._commit)
        self._lock = Lock()
        """Held while the connection is used."""
        self._opened = time.monotonic()
        self.adopted = 0
        """Games adopted from an older file format. A server without a token shows them to its owner."""
        try:
            if path != ":memory:":
                _make_private(Path(path))
            self._file = self._connect(path)
            self._open(path)
            self._reader = self._file if path == ":memory:" else self._connect(path)
            self._reading = self._lock if path == ":memory:" else Lock()
        except (sqlite3.Error, OSError) as error:
            raise BadFile(f"{path} cannot be used for games: {error}") from None

    @staticmethod
    def _connect(path: Path | str) -> sqlite3.Connection:
        return sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)

    def _open(self, path: Path | str) -> None:
        version = int(self._file.execute("PRAGMA user_version").fetchone()[0])
        if not 0 <= version <= SCHEMA_VERSION:
            self._file.close()
            raise BadFile(f"{path} was written by another version of Sparring")
        self._file.execute("PRAGMA journal_mode = WAL")
        self._file.execute("PRAGMA synchronous = FULL")
        self._file.execute("PRAGMA foreign_keys = ON")
        steps = "".join(_MIGRATIONS[step] for step in range(version or SCHEMA_VERSION, SCHEMA_VERSION))
        self._file.executescript(f"BEGIN; {steps} {_SCHEMA} PRAGMA user_version = {SCHEMA_VERSION}; COMMIT;")
        self._file.execute(
            "INSERT INTO starts VALUES (0, ?) ON CONFLICT (id) DO UPDATE SET count = count + 1",
            (_FIRST_START,),
        )
        if 0 < version < _ONE_OWNER:
            ((self.adopted,),) = self._file.execute("SELECT count(*) FROM games").fetchall()
        ((self._start,),) = self._file.execute("SELECT count FROM starts").fetchall()

    def version(self) -> int:
        """A version of a game or a tournament above all that were given before, also by earlier runs of the
        server. It does not depend on the system's clock."""
        milliseconds = int((time.monotonic() - self._opened) * 1000)
        return int(self._start) * _VERSIONS_OF_A_START + milliseconds

    def read(self, query: str, values: Sequence[Any] | Mapping[str, Any] = ()) -> list[tuple[Any, ...]]:
        """The rows of a query."""
        with self._reading:
            return self._reader.execute(query, values).fetchall()

    def write(self, work: Work) -> Any:
        """Carries out a change, and returns the result of `work` once it is on the disk.

        Changes of several threads may share a transaction. One that raises an exception changes nothing, and
        the exception is raised here. Raises CannotWrite if the disk is full or another program has locked
        the file.
        """
        try:
            return self._writes.call(work)
        except sqlite3.IntegrityError:
            raise
        except sqlite3.DatabaseError as error:
            raise CannotWrite(f"This could not be stored, and nothing changed: {error}.") from None

    def close(self) -> None:
        """Closes the file."""
        with self._reading:
            self._reader.close()
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
                        if not file.in_transaction:  # on a full disk SQLite itself undoes the transaction
                            raise
                        results.append(error)
                        file.execute("ROLLBACK TO one")
                    file.execute("RELEASE one")
                file.execute("COMMIT")
            except BaseException:  # the disk is full, or another program has locked the file
                if file.in_transaction:
                    file.execute("ROLLBACK")
                raise
        return results


@dataclass(frozen=True)
class StoredGame:
    """A game as the file has it."""

    id: str
    visitor: str
    """Who plays it: the owner, or the value of the visitor's cookie."""
    settings: GameSettings
    moves: list[StoredMove]
    end: GameResult | None
    message: str
    updated: float
    dead: list[str] | None = None
    """Points of the dead stones of Go, while both count and afterwards; None in older files."""


class GameStore:
    """The games of a database. Safe for threads."""

    def __init__(self, database: Database) -> None:
        self.database = database

    def create(
        self,
        game_id: str,
        visitor: str,
        settings: GameSettings,
        moves: Sequence[PlayedMove],
        shown: ShownState,
    ) -> None:
        """Stores a new game."""

        def work(file: sqlite3.Connection) -> None:
            file.execute(
                "INSERT INTO games VALUES (?, ?, ?, NULL, '', ?, ?, ?, NULL)",
                (game_id, visitor, settings.to_json(), settings.created, settings.created, _json(shown)),
            )
            _insert_moves(file, game_id, 0, moves)

        self.database.write(work)

    def save(
        self,
        game_id: str,
        moves: Sequence[PlayedMove],
        kept: int,
        stored: int,
        end: GameResult | None,
        message: str,
        shown: ShownState,
        dead: Sequence[str] | None = None,
    ) -> None:
        """Stores the moves, the end and the dead stones of a game. The first `kept` of its `stored` moves in
        the file stay.

        Raises NotFound if the game was deleted, and CannotWrite if it has another number of moves or cannot
        be written. Nothing is changed then.
        """
        ending = None if end is None else json.dumps([end.first_score, end.termination.value, end.margin])
        points = None if dead is None else json.dumps(list(dead))

        def work(file: sqlite3.Connection) -> None:
            row = file.execute(
                "SELECT (SELECT count(*) FROM moves WHERE game = id) FROM games WHERE id = ?", (game_id,)
            ).fetchone()
            if row is None:
                raise NotFound("The game was deleted.")
            if row[0] != stored:
                raise CannotWrite("Another program has changed this game: reload the page.")
            file.execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (game_id, kept))
            _insert_moves(file, game_id, kept, moves[kept:])
            file.execute(
                "UPDATE games SET ending = ?, message = ?, updated = ?, shown = ?, dead = ? WHERE id = ?",
                (ending, to_stored(message), time.time(), _json(shown), points, game_id),
            )

        self.database.write(work)

    def load(self, game_id: str) -> StoredGame | None:
        """A game by its id; None if there is none. Raises BadFile if it cannot be read."""
        rows = self.database.read(
            "SELECT visitor, settings, ending, message, updated, dead FROM games WHERE id = ?", (game_id,)
        )
        if not rows:
            return None
        moves = self.database.read(
            "SELECT text, seconds_left, offers_draw, clocks FROM moves WHERE game = ? ORDER BY ply",
            (game_id,),
        )
        ((visitor, settings, ending, message, updated, dead),) = rows
        try:
            played = [
                StoredMove(text, left, bool(offers), parse_clocks(clocks))
                for text, left, offers, clocks in moves
            ]
            return StoredGame(
                game_id,
                visitor,
                GameSettings.from_json(settings),
                played,
                parse_ending(ending),
                from_stored(message),
                updated,
                None if dead is None else [str(point) for point in json.loads(dead)],
            )
        except (ValueError, TypeError, KeyError, AttributeError) as error:
            raise BadFile(f"This game is damaged and cannot be opened ({first_line(error)}).") from None

    def finished(self, visitor: str, game: str) -> list[str]:
        """The ids of a visitor's finished games of a game, the oldest first."""
        rows = self.database.read(
            f"SELECT id FROM games WHERE {OWN} AND ending IS NOT NULL AND json_valid(settings)"
            " AND json_extract(CASE WHEN json_valid(settings) THEN settings END, '$.game') = :game"
            " ORDER BY created",
            {"visitor": visitor, "game": game},
        )
        return [game_id for (game_id,) in rows]

    def unfinished(self, visitor: str | None = None) -> int:
        """The number of games that are not over: a visitor's, or all."""
        ((count,),) = self.database.read(
            f"SELECT count(*) FROM games WHERE ending IS NULL AND (:visitor IS NULL OR {OWN})",
            {"visitor": visitor},
        )
        return int(count)

    def adaptive_results(self, visitor: str, game: str) -> list[tuple[OpponentChoice, float]]:
        """The opponent and the visitor's score in each finished game whose level adapts, the oldest first."""
        rows = self.database.read(
            f"SELECT settings, ending FROM games WHERE {OWN} AND ending IS NOT NULL AND"
            " json_extract(settings, '$.game') = :game AND json_extract(settings, '$.opponents[0].adapt')"
            " ORDER BY created",
            {"visitor": visitor, "game": game},
        )
        results = []
        for text, ending in rows:
            settings, end = GameSettings.from_json(text), parse_ending(ending)
            score = None if settings.you is None or end is None else end.score(settings.you)
            if score is not None:
                results.append((settings.opponents[0], score))
        return results

    def discard_finished(self, keep: int, in_use: Collection[str] = ()) -> None:
        """Deletes all finished games but the `keep` latest, and but those `in_use`, which are ids."""
        self.database.write(
            lambda file: file.execute(
                "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE ending IS NOT NULL"
                " ORDER BY updated DESC LIMIT -1 OFFSET ?) AND id NOT IN (SELECT value FROM json_each(?))",
                (keep, json.dumps(list(in_use))),
            )
        )

    def discard_untouched(self, seconds: float, in_use: Collection[str] = ()) -> None:
        """Deletes unfinished games older than `seconds` without a move of the person, unless `in_use`."""
        self.database.write(
            lambda file: file.execute(
                "DELETE FROM games WHERE ending IS NULL AND updated < ? AND json_valid(settings)"
                " AND id NOT IN (SELECT value FROM json_each(?)) AND NOT EXISTS (SELECT 1 FROM moves WHERE"
                " game = games.id AND player = coalesce(json_extract(settings, '$.you'), player))",
                (time.time() - seconds, json.dumps(list(in_use))),
            )
        )

    def delete(self, game_id: str, visitor: str) -> bool:
        """Deletes a game of a visitor, which need not be readable; False if there is none."""
        statement = f"DELETE FROM games WHERE id = :id AND {OWN}"
        values = {"id": game_id, "visitor": visitor}
        deleted = self.database.write(lambda file: file.execute(statement, values).rowcount)
        return bool(deleted)


def _make_private(path: Path) -> None:
    """Makes the file, if it does not exist, and lets only its owner read it: it holds the visitors' secrets.
    SQLite gives the same rights to the files beside it. Raises OSError."""
    os.close(os.open(path, os.O_RDWR | os.O_CREAT, 0o600))
    with suppress(OSError):  # of another owner
        path.chmod(0o600)


def _insert_moves(file: sqlite3.Connection, game_id: str, first: int, moves: Sequence[PlayedMove]) -> None:
    file.executemany(
        "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?, ?)",
        [
            (game_id, ply, move.text, move.player, move.left, move.offers_draw, _clocks_json(move))
            for ply, move in enumerate(moves, first)
        ],
    )


def _clocks_json(move: PlayedMove) -> str | None:
    return None if move.clocks is None else json.dumps(move.clocks)


def parse_clocks(text: str | None) -> ClockSnapshot | None:
    """The column `clocks` of a move: both clocks after it. None in files of an older version."""
    return None if text is None else tuple(tuple(part) for part in json.loads(text))


def _json(shown: ShownState) -> str:
    return json.dumps([shown.phase, shown.turn, shown.position])


def parse_shown(text: str | None) -> ShownState | None:
    """The column `shown` of a game."""
    return None if text is None else ShownState(*json.loads(text))


def parse_ending(text: str | None) -> GameResult | None:
    """The column `ending` of a game."""
    if text is None:
        return None
    result, termination, margin = json.loads(text)
    return GameResult.of_termination(result, Termination(termination), margin)
