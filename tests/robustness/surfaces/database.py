"""The file of games: a full disk, locks, damaged rows and files, another writer, a clock that jumps."""

from __future__ import annotations

import contextlib
import random
import sqlite3
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any
from unittest import mock

from fastapi.testclient import TestClient

from sparring.base.errors import BadFile
from sparring.server.store import Database
from tests.robustness.page_server import NEW, TOKEN, own_cookie, page_client, played
from tests.robustness.trials import mutated, surface

_VALUES = ("{", "null", "[]", "[1, 2, 3]", '"x"', '{"game": "go"}', '{"game": null}', "", "\x00", "9" * 400)
_COLUMNS = ("settings", "ending", "message", "created", "updated", "shown")
_DAMAGE = (
    "UPDATE games SET {column} = :value WHERE id = :game",
    "UPDATE games SET {column} = :value WHERE id = :game",
    "UPDATE moves SET text = :value WHERE game = :game", "UPDATE moves SET ply = ply + 5 WHERE game = :game",
    "UPDATE moves SET player = 7 WHERE game = :game", "UPDATE games SET visitor = :value WHERE id = :game",
)  # fmt: skip


@contextlib.contextmanager
def _two_games(rng: random.Random, folder: Path) -> Iterator[tuple[TestClient, dict[str, str], list[Any]]]:
    """A client, its cookie and two games, of which the second must be at the end as it was."""
    with page_client(folder, rng.choice([None, TOKEN])) as client:  # one owner, or visitors
        games = [played(client) for _ in range(2)]
        headers = {"Cookie": own_cookie(client)}
        yield client, headers, games
        kept = client.get(f"/api/games/{games[1]['id']}", headers=headers)
        assert kept.status_code == 200, kept.text
        assert kept.json()["moves"] == games[1]["moves"]


def _stored(folder: Path, game: str) -> list[str]:
    with sqlite3.connect(folder / "page.sqlite", timeout=30) as file:
        rows = file.execute("SELECT text FROM moves WHERE game = ? ORDER BY ply", (game,)).fetchall()
    return [text for (text,) in rows]


def _move(rng: random.Random, view: Any) -> dict[str, Any]:
    return {"move": rng.choice(view["legal"])["text"] if view["legal"] else "a1a2", "ply": view["ply"]}


@surface("full-disk", trials=60)
def full_disk(rng: random.Random, folder: Path) -> None:
    """The disk is full from some change on: what is shown is stored."""
    commit, failing = Database._commit, {"left": rng.randint(0, 3)}

    def sometimes(self: Database, batch: Any) -> Any:
        failing["left"] -= 1
        if failing["left"] < 0:
            raise sqlite3.OperationalError(rng.choice(["database or disk is full", "database is locked"]))
        return commit(self, batch)

    with _two_games(rng, folder) as (client, headers, games):
        view, address = games[0], f"/api/games/{games[0]['id']}"
        with mock.patch.object(Database, "_commit", sometimes):
            for _ in range(3):
                answer = client.post(f"{address}/moves?wait=1", json=_move(rng, view), headers=headers)
                assert answer.status_code in (200, 409, 422, 503), answer.text
                view = client.get(address, headers=headers).json()
            for path, body in (("games", NEW), (f"games/{view['id']}/resign", {})):
                assert client.post(f"/api/{path}", json=body, headers=headers).status_code in (201, 200, 503)
            view = client.get(address, headers=headers).json()
        shown = [move["text"] for move in view["moves"]]
        assert shown == _stored(folder, view["id"])[: len(shown)], "what is shown is stored"


@surface("locked-file", trials=10)
def locked_file(rng: random.Random, folder: Path) -> None:
    """Another program locks the file: reads are answered, and the move is stored or refused."""
    with _two_games(rng, folder) as (client, headers, games), ThreadPoolExecutor(1) as pool:
        address, other = f"/api/games/{games[0]['id']}", sqlite3.connect(folder / "page.sqlite")
        other.execute(rng.choice(("BEGIN IMMEDIATE", "BEGIN EXCLUSIVE")))
        moving = pool.submit(client.post, f"{address}/moves", json=_move(rng, games[0]), headers=headers)
        for _ in range(5):
            assert client.get("/api/games", headers=headers).status_code == 200
        time.sleep(rng.random() / 2)
        assert not moving.done(), "the reads waited for the write"
        other.rollback()
        other.close()
        assert moving.result().status_code == 200
        shown = [move["text"] for move in client.get(address, headers=headers).json()["moves"]]
        assert shown == _stored(folder, games[0]["id"])[: len(shown)]


@surface("damaged-rows", trials=60)
def damaged_rows(rng: random.Random, folder: Path) -> None:
    """A row of one game is changed: the other games are listed, and it can be deleted."""
    with _two_games(rng, folder) as (client, headers, games):
        game, host = games[0]["id"], client.app.state.host  # type: ignore[attr-defined]
        assert client.portal is not None
        client.portal.call(host._drop, host._games[game])
        with sqlite3.connect(folder / "page.sqlite", timeout=30) as file:
            statement = rng.choice(_DAMAGE).format(column=rng.choice(_COLUMNS))
            file.execute(statement, {"value": rng.choice(_VALUES), "game": game})
        address = f"/api/games/{game}"
        listed = client.get("/api/games", headers=headers).json()
        assert games[1]["id"] in [entry["id"] for entry in listed]
        assert client.get("/api/export", headers=headers).status_code in (200, 404)
        codes = [client.get(address, headers=headers).status_code]
        codes.append(client.delete(address, headers=headers).status_code)
        of_another = "SET visitor" in statement
        assert codes[0] in (200, 409, 422, *([404] if of_another else [])), statement
        assert codes[1] in (204, *([404] if of_another else [])), statement


@surface("damaged-files", trials=20)
def damaged_files(rng: random.Random, folder: Path) -> None:
    """A file of games with changed bytes is refused when the server starts, or read as far as it can be."""
    with page_client(folder) as client:
        for _ in range(2):
            played(client)
    path = folder / "page.sqlite"
    content = path.read_bytes()
    if rng.random() < 0.5:
        header = bytearray(content[:100])
        header[rng.randrange(16, 100)] = rng.randrange(256)
        path.write_bytes(bytes(header) + content[100:])
    else:
        path.write_bytes(mutated(rng, content))
    with contextlib.suppress(BadFile), page_client(folder) as client:
        for path_of_api in ("games", "tournaments", "turing", "games/none"):
            answer = client.get(f"/api/{path_of_api}")
            assert answer.status_code in (200, 404, 409, 422, 503), answer.text
        answer = client.post("/api/games", json=NEW)
        assert answer.status_code in (201, 422, 503), answer.text


@surface("another-writer", trials=30)
def another_writer(rng: random.Random, folder: Path) -> None:
    """Another program adds a move or takes moves away: what is stored stays, and the page shows it."""
    with _two_games(rng, folder) as (client, headers, games):
        view, address = games[0], f"/api/games/{games[0]['id']}"
        with sqlite3.connect(folder / "page.sqlite", timeout=30) as file:
            if rng.random() < 0.5:
                file.execute("INSERT INTO moves VALUES (?, 2, 'a2a3', 0, NULL, 0, NULL)", (view["id"],))
            else:
                file.execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (view["id"], rng.randint(0, 1)))
        stored = _stored(folder, view["id"])
        answer = client.post(f"{address}/moves", json=_move(rng, view), headers=headers)
        assert answer.status_code == 503, answer.text
        shown = client.get(address, headers=headers).json()["moves"]
        assert [move["text"] for move in shown][: len(stored)] == stored, "what was stored is shown"


@surface("system-clock", trials=30)
def system_clock(rng: random.Random, folder: Path) -> None:
    """The system's clock jumps, also between two starts of the server: views grow, and the game goes on."""
    now, jump = time.time, 0.0
    versions: list[int] = []
    view: Any = None
    with mock.patch.object(time, "time", side_effect=lambda: max(0.0, now() + jump)):
        for _ in range(2):
            with page_client(folder) as client:
                view = played(client) if view is None else client.get(f"/api/games/{view['id']}").json()
                versions.append(view["version"])
                jump += rng.choice((-1, -1, 1)) * 10.0 ** rng.randint(0, 9)
                answer = client.post(f"/api/games/{view['id']}/moves?wait=60", json=_move(rng, view))
                assert answer.status_code == 200, answer.text
                view = answer.json()
                versions.append(view["version"])
                assert view["id"] in [game["id"] for game in client.get("/api/games").json()]
    assert versions == sorted(set(versions)), versions
