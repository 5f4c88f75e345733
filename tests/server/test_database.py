"""The database of the server: shared transactions, and files of older versions."""

from __future__ import annotations

import sqlite3
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from sparring.base.clock import TimeControl
from sparring.base.errors import BadFile
from sparring.server.history import stored_summaries
from sparring.server.live_tournament import TournamentStore
from sparring.server.store import SCHEMA_VERSION, Database, GameStore

OLD_SCHEMA = """
CREATE TABLE games (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, settings TEXT NOT NULL, ending TEXT, message TEXT NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
);
CREATE TABLE moves (
    game TEXT NOT NULL REFERENCES games (id) ON DELETE CASCADE, ply INTEGER NOT NULL, text TEXT NOT NULL,
    player INTEGER NOT NULL, seconds_left REAL, offers_draw INTEGER NOT NULL,
    PRIMARY KEY (game, ply)
) WITHOUT ROWID;
INSERT INTO games VALUES ('old', 'somebody', '{"game": "chess", "you": 0, "opponents": [{}, {}], "seed": 1,
    "created": 5.0, "options": {}, "position": null, "clock": null, "pace": 0.0}', NULL, '', 5.0, 6.0);
INSERT INTO moves VALUES ('old', 0, 'e2e4', 0, NULL, 0);
PRAGMA user_version = 1;
"""


def test_a_file_of_version_1_is_read(tmp_path: Path) -> None:
    path = tmp_path / "page.sqlite"
    with sqlite3.connect(path) as file:
        file.executescript(OLD_SCHEMA)
    for _ in range(2):
        database = Database(path)
        (summary,) = stored_summaries(database, "somebody", 9)
        assert (summary.id, summary.plies, summary.shown) == ("old", 1, None)
        stored = GameStore(database).load("old")
        assert stored is not None
        assert [move.text for move in stored.moves] == ["e2e4"]
        assert database.read("PRAGMA user_version") == [(SCHEMA_VERSION,)]
        database.close()


VERSION_5 = """
ALTER TABLE games ADD COLUMN shown TEXT;
UPDATE games SET settings = json_set(settings, '$.clock', json('[600, 0, 30]'));
UPDATE moves SET seconds_left = 590.5;
PRAGMA user_version = 5;
"""


def test_the_clocks_of_a_file_of_version_5_are_read(tmp_path: Path) -> None:
    path = tmp_path / "page.sqlite"
    with sqlite3.connect(path) as file:
        file.executescript(OLD_SCHEMA + VERSION_5)
    for _ in range(2):
        database = Database(path)
        stored = GameStore(database).load("old")
        assert stored is not None
        assert stored.settings.clock == TimeControl(600, byoyomi=30)
        assert [(move.left, move.clocks) for move in stored.moves] == [(590.5, None)]
        database.close()


VERSION_2 = """
ALTER TABLE games ADD COLUMN shown TEXT;
CREATE TABLE tournaments (
    id TEXT PRIMARY KEY, visitor TEXT NOT NULL, settings TEXT NOT NULL, stopped INTEGER NOT NULL,
    created REAL NOT NULL, updated REAL NOT NULL
);
CREATE TABLE tournament_games (
    tournament TEXT NOT NULL REFERENCES tournaments (id) ON DELETE CASCADE, number INTEGER NOT NULL,
    score REAL, reason TEXT NOT NULL, detail TEXT NOT NULL, moves TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (tournament, number)
) WITHOUT ROWID;
INSERT INTO tournaments VALUES ('t', 'somebody', '{}', 0, 5.0, 6.0);
INSERT INTO tournament_games VALUES ('t', 3, 1.0, 'Black resigns.', '', '["e2e4"]', 7.0);
PRAGMA user_version = 2;
"""


def test_the_tournaments_of_a_file_of_version_2_are_read(tmp_path: Path) -> None:
    path = tmp_path / "page.sqlite"
    with sqlite3.connect(path) as file:
        file.executescript(OLD_SCHEMA + VERSION_2)
    for _ in range(2):
        database = Database(path)
        (game,) = TournamentStore(database).results("t")
        assert (game.number, game.score, game.text, game.moves, game.seconds) == (
            3, 1.0, "Black resigns.", ["e2e4"], 7.0,
        )  # fmt: skip
        columns = [row[1] for row in database.read("PRAGMA table_info(tournament_games)")]
        assert "detail" not in columns
        database.close()
    database = Database(path)
    TournamentStore(database).delete("t")  # its games go with it
    assert TournamentStore(database).results("t") == []
    database.close()


def test_a_change_that_fails_changes_nothing_and_harms_no_other(tmp_path: Path) -> None:
    database = Database(tmp_path / "page.sqlite")

    def insert(number: int) -> int:
        def work(file: sqlite3.Connection) -> int:
            row = (f"t{number}", "somebody", "{}", 0, 0.0, 0.0)
            file.execute("INSERT INTO tournaments VALUES (?, ?, ?, ?, ?, ?)", row)
            if number % 10 == 3:
                raise ValueError("no")
            return number

        try:
            found: int = database.write(work)
        except ValueError:
            return -1
        return found

    with ThreadPoolExecutor(16) as threads:
        assert list(threads.map(insert, range(100))) == [-1 if k % 10 == 3 else k for k in range(100)]
    assert database.read("SELECT count(*) FROM tournaments") == [(90,)]
    database.close()


def test_a_file_that_is_no_database_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="cannot be used"):
        Database(tmp_path)
