"""Games of the server in a SQLite file. What was stored survives a kill at any moment."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock

from sparring.games import Move
from sparring.records import Termination
from sparring.records.played_game import EndOfGame
from sparring.server.game_settings import GameSettings
from sparring.server.live_game import PlayedMove

_SCHEMA = """
CREATE TABLE IF NOT EXISTS games (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, settings TEXT NOT NULL, ending TEXT, message TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
);
CREATE INDEX IF NOT EXISTS games_by_visitor ON games (visitor, updated);
CREATE TABLE IF NOT EXISTS moves (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, ply INTEGER NOT NULL, text TEXT NOT NULL,
    player INTEGER NOT NULL, seconds_left REAL, offers_draw INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
PRAGMA user_version = 1;
"""
_VERSION = 1
_UNKNOWN_MOVE: Move = -1
"""The code of a stored move until it is read in its state."""


class BadStore(Exception):
    """A file that is not a store of games of this version."""


@dataclass(frozen=True)
class StoredGame:
    """A game as the file has it."""

    id: str
    visitor: str
    """Who plays it: the value of the visitor's cookie."""
    settings: GameSettings
    moves: list[PlayedMove]
    end: EndOfGame | None
    message: str
    updated: float


class GameStore:
    """The games of one file. Safe for threads: every call is one transaction."""

    def __init__(self, path: Path | str) -> None:
        """Opens the file, which is created if it does not exist. Raises BadStore."""
        self._lock = Lock()
        try:
            self._file = sqlite3.connect(path, check_same_thread=False, isolation_level=None, timeout=10)
            version = int(self._file.execute("PRAGMA user_version").fetchone()[0])
            if version not in (0, _VERSION):
                raise BadStore(f"{path} was written by another version of Sparring")
            self._file.execute("PRAGMA journal_mode = WAL")
            self._file.execute("PRAGMA synchronous = FULL")
            self._file.execute("PRAGMA foreign_keys = ON")
            self._file.executescript(_SCHEMA)
        except sqlite3.Error as error:
            raise BadStore(f"{path} cannot be used for games: {error}") from None

    def create(self, game_id: str, visitor: str, settings: GameSettings, moves: Sequence[PlayedMove]) -> None:
        """Stores a new game."""
        with self._lock, self._file:
            self._file.execute("BEGIN")
            self._file.execute(
                "INSERT INTO games VALUES (?, ?, ?, NULL, '', ?, ?)",
                (game_id, visitor, settings.to_json(), settings.created, settings.created),
            )
            self._insert_moves(game_id, 0, moves)

    def save(self, game_id: str, moves: Sequence[PlayedMove], end: EndOfGame | None, message: str) -> None:
        """Stores the moves and the end of a game. Only what differs is written."""
        ending = None if end is None else json.dumps([end.result, end.termination.value, end.margin])
        with self._lock, self._file:
            self._file.execute("BEGIN")
            stored = self._file.execute(
                "SELECT text, seconds_left FROM moves WHERE game = ? ORDER BY ply", (game_id,)
            ).fetchall()
            same = 0
            for (text, left), move in zip(stored, moves, strict=False):
                if (text, left) != (move.text, move.left):
                    break
                same += 1
            self._file.execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (game_id, same))
            self._insert_moves(game_id, same, moves[same:])
            self._file.execute(
                "UPDATE games SET ending = ?, message = ?, updated = ? WHERE id = ?",
                (ending, message, time.time(), game_id),
            )

    def load(self, game_id: str) -> StoredGame | None:
        """A game by its id; None if there is none."""
        with self._lock:
            row = self._file.execute(
                "SELECT visitor, settings, ending, message, updated FROM games WHERE id = ?", (game_id,)
            ).fetchone()
            moves = self._file.execute(
                "SELECT text, player, seconds_left, offers_draw FROM moves WHERE game = ? ORDER BY ply",
                (game_id,),
            ).fetchall()
        if row is None:
            return None
        visitor, settings, ending, message, updated = row
        played = [
            PlayedMove(_UNKNOWN_MOVE, text, "", player, left, bool(offers))
            for text, player, left, offers in moves
        ]
        return StoredGame(
            game_id, visitor, GameSettings.from_json(settings), played, _end(ending), message, updated
        )

    def recent(self, visitor: str, count: int) -> list[StoredGame]:
        """A visitor's games, the latest first."""
        with self._lock:
            ids = self._file.execute(
                "SELECT id FROM games WHERE visitor = ? ORDER BY updated DESC LIMIT ?", (visitor, count)
            ).fetchall()
        return [game for (each,) in ids if (game := self.load(each)) is not None]

    def unfinished(self, visitor: str) -> int:
        """The number of a visitor's games that are not over."""
        with self._lock:
            row = self._file.execute(
                "SELECT count(*) FROM games WHERE visitor = ? AND ending IS NULL", (visitor,)
            ).fetchone()
        return int(row[0])

    def delete(self, game_id: str) -> None:
        """Deletes a game."""
        with self._lock, self._file:
            self._file.execute("DELETE FROM games WHERE id = ?", (game_id,))

    def close(self) -> None:
        """Closes the file."""
        with self._lock:
            self._file.close()

    def _insert_moves(self, game_id: str, first: int, moves: Sequence[PlayedMove]) -> None:
        self._file.executemany(
            "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?)",
            [
                (game_id, ply, each.text, each.player, each.left, each.offers_draw)
                for ply, each in enumerate(moves, first)
            ],
        )


def _end(text: str | None) -> EndOfGame | None:
    if text is None:
        return None
    result, termination, margin = json.loads(text)
    return EndOfGame(result, Termination(termination), margin)
