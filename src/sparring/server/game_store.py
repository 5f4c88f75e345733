"""Games of the server in its database."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sparring.games import Move
from sparring.records import Termination
from sparring.records.played_game import EndOfGame
from sparring.server.database import Database
from sparring.server.game_settings import GameSettings
from sparring.server.messages import OpponentChoice, Phase
from sparring.server.played_move import PlayedMove

_UNKNOWN_MOVE: Move = -1
"""The code of a stored move until it is read in its state."""


@dataclass(frozen=True)
class ShownState:
    """What the list of games shows of one."""

    phase: Phase
    turn: int | None
    """The player to move; None if the game is over."""
    position: str | None
    """None if it is hidden."""


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


@dataclass(frozen=True)
class StoredSummary:
    """A line of the list of games."""

    id: str
    settings: GameSettings
    moves: int
    end: EndOfGame | None
    message: str
    updated: float
    shown: ShownState | None
    """None in files of an older version."""


class GameStore:
    """The games of a database. Safe for threads."""

    def __init__(self, database: Database) -> None:
        self._database = database

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
                "INSERT INTO games VALUES (?, ?, ?, NULL, '', ?, ?, ?)",
                (game_id, visitor, settings.to_json(), settings.created, settings.created, _json(shown)),
            )
            _insert_moves(file, game_id, 0, moves)

        self._database.write(work)

    def save(
        self,
        game_id: str,
        moves: Sequence[PlayedMove],
        kept: int,
        end: EndOfGame | None,
        message: str,
        shown: ShownState,
    ) -> None:
        """Stores the moves and the end of a game. The first `kept` moves are stored already."""
        ending = None if end is None else json.dumps([end.result, end.termination.value, end.margin])

        def work(file: sqlite3.Connection) -> None:
            file.execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (game_id, kept))
            _insert_moves(file, game_id, kept, moves[kept:])
            file.execute(
                "UPDATE games SET ending = ?, message = ?, updated = ?, shown = ? WHERE id = ?",
                (ending, message, time.time(), _json(shown), game_id),
            )

        self._database.write(work)

    def load(self, game_id: str) -> StoredGame | None:
        """A game by its id; None if there is none."""
        found = self._database.read(
            "SELECT visitor, settings, ending, message, updated FROM games WHERE id = ?", (game_id,)
        )
        if not found:
            return None
        moves = self._database.read(
            "SELECT text, player, seconds_left, offers_draw FROM moves WHERE game = ? ORDER BY ply",
            (game_id,),
        )
        ((visitor, settings, ending, message, updated),) = found
        played = [
            PlayedMove(_UNKNOWN_MOVE, text, "", player, left, bool(offers))
            for text, player, left, offers in moves
        ]
        return StoredGame(
            game_id, visitor, GameSettings.from_json(settings), played, _end(ending), message, updated
        )

    def recent(self, visitor: str, count: int) -> list[StoredSummary]:
        """A visitor's games, the latest first."""
        rows = self._database.read(
            "SELECT id, settings, (SELECT count(*) FROM moves WHERE game = id), ending, message, updated,"
            " shown FROM games WHERE visitor = ? ORDER BY updated DESC LIMIT ?",
            (visitor, count),
        )
        return [
            StoredSummary(
                game, GameSettings.from_json(settings), moves, _end(ending), message, updated, _shown(shown)
            )
            for game, settings, moves, ending, message, updated, shown in rows
        ]

    def unfinished(self, visitor: str | None = None) -> int:
        """The number of games that are not over: a visitor's, or all."""
        ((count,),) = self._database.read(
            "SELECT count(*) FROM games WHERE ending IS NULL AND (? IS NULL OR visitor = ?)",
            (visitor, visitor),
        )
        return int(count)

    def adaptive_results(self, visitor: str, game: str) -> list[tuple[OpponentChoice, float]]:
        """The opponent and the visitor's score in each finished game whose level adapts, the oldest first."""
        rows = self._database.read(
            "SELECT settings, ending FROM games WHERE visitor = ? AND ending IS NOT NULL AND"
            " json_extract(settings, '$.game') = ? AND json_extract(settings, '$.opponents[0].adapt')"
            " ORDER BY created",
            (visitor, game),
        )
        found = []
        for text, ending in rows:
            settings, end = GameSettings.from_json(text), _end(ending)
            if settings.you is not None and end is not None and end.result is not None:
                score = end.result if settings.you == 0 else 1 - end.result
                found.append((settings.opponents[0], score))
        return found

    def discard_finished(self, keep: int, in_use: Collection[str] = ()) -> None:
        """Deletes all finished games but the `keep` latest, and but those `in_use`, which are ids."""
        self._database.write(
            lambda file: file.execute(
                "DELETE FROM games WHERE id IN (SELECT id FROM games WHERE ending IS NOT NULL"
                " ORDER BY updated DESC LIMIT -1 OFFSET ?) AND id NOT IN (SELECT value FROM json_each(?))",
                (keep, json.dumps(list(in_use))),
            )
        )

    def delete(self, game_id: str) -> None:
        """Deletes a game."""
        self._database.write(lambda file: file.execute("DELETE FROM games WHERE id = ?", (game_id,)))


def _insert_moves(file: sqlite3.Connection, game_id: str, first: int, moves: Sequence[PlayedMove]) -> None:
    file.executemany(
        "INSERT INTO moves VALUES (?, ?, ?, ?, ?, ?)",
        [
            (game_id, ply, each.text, each.player, each.left, each.offers_draw)
            for ply, each in enumerate(moves, first)
        ],
    )


def _json(shown: ShownState) -> str:
    return json.dumps([shown.phase, shown.turn, shown.position])


def _shown(text: str | None) -> ShownState | None:
    return None if text is None else ShownState(*json.loads(text))


def _end(text: str | None) -> EndOfGame | None:
    if text is None:
        return None
    result, termination, margin = json.loads(text)
    return EndOfGame(result, Termination(termination), margin)
