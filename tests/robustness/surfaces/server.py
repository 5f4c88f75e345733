"""The page's server: cookies and headers of others, damaged rows, full disks, deletions at any moment,
another program that writes, a clock that is set back."""

from __future__ import annotations

import random
import sqlite3
import time
from pathlib import Path
from typing import Any
from unittest import mock

from fastapi.testclient import TestClient

from sparring.server.app import create_app
from sparring.server.security import VISITOR_COOKIE, Access
from sparring.server.store import Database

SHARE = 1.5
_PIECES = (
    '{"a":1}',
    "=",
    ";",
    " ",
    '"',
    "ä",
    "\\",
    ",",
    "path=/",
    "Secure",
    "%00",
    "\t",
    "x" * 300,
    "__Host-a=1",
)
_ORIGINS = (
    "http://testserver",
    "https://testserver",
    "http://[::1",
    "http://]",
    "null",
    "",
    "ftp://x",
    "http://a b",
)
_HOSTS = ("testserver", "testserver:80", "evil.com", "[::1]", "a@testserver", "testserver:x", "", "\u00e4")
_VALUES = ("{", "null", "[]", "[1, 2, 3]", '"x"', '{"game": "go"}', '{"game": null}', "", "\x00", "9" * 400)
_COLUMNS = ("settings", "ending", "message", "created", "updated", "shown")


def trial(rng: random.Random, folder: Path) -> None:
    """A server with two games: one is disturbed, the other must be as it was."""
    token = rng.choice([None, "secret"])  # one owner, or visitors
    app = create_app(folder / "page.sqlite", Access(hosts=("testserver",), token=token), None)
    bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
    with TestClient(app, raise_server_exceptions=True, headers=bearer) as client:
        games = [_played(client) for _ in range(2)]
        own = f"{VISITOR_COOKIE}={client.cookies.get(VISITOR_COOKIE, 'nobody')}"
        client.cookies.clear()
        kinds = (_cookies, _headers, _rows, _full_disk, _deletions, _another_writer, _clock)
        rng.choice(kinds)(rng, client, own, games, folder)
        kept = client.get(f"/api/games/{games[1]['id']}", headers={"Cookie": own})
        assert kept.status_code == 200, kept.text
        assert kept.json()["moves"] == games[1]["moves"]


_NEW = {"game": "breakthrough", "opponent": {"strength": 1, "think_time": "none"}, "seed": 1}


def _played(client: TestClient) -> Any:
    """A game with a move of the person and the answer to it."""
    game = client.post("/api/games", json=_NEW).json()
    move = {"move": "d2d3", "ply": 0}
    return client.post(f"/api/games/{game['id']}/moves?wait=60", json=move).json()


def _cookies(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    before, after = ("".join(rng.choices(_PIECES, k=rng.randint(0, 6))) for _ in range(2))
    line = f"{before}; {own}; {after}"
    answer = client.get(f"/api/games/{games[0]['id']}", headers=[(b"Cookie", line.encode())])
    assert answer.status_code == 200, line


def _headers(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    headers = [(b"Cookie", own.encode()), (b"Host", rng.choice(_HOSTS).encode("latin-1"))]
    headers.append((b"Origin", rng.choice(_ORIGINS).encode()))
    answer = client.post("/api/games", json=_NEW, headers=headers)
    assert answer.status_code in (201, 403, 421), (answer.status_code, headers)
    assert answer.headers["x-content-type-options"] == "nosniff"


def _rows(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    client.portal.call(client.app.state.host._drop, client.app.state.host._games[games[0]["id"]])  # type: ignore
    with sqlite3.connect(folder / "page.sqlite", timeout=30) as file:
        column, value = rng.choice(_COLUMNS), rng.choice(_VALUES)
        file.execute(f"UPDATE games SET {column} = ? WHERE id = ?", (value, games[0]["id"]))
    headers = {"Cookie": own}
    address = f"/api/games/{games[0]['id']}"
    assert games[1]["id"] in [game["id"] for game in client.get("/api/games", headers=headers).json()]
    assert client.get(address, headers=headers).status_code in (200, 409, 422)
    assert client.delete(address, headers=headers).status_code == 204


def _full_disk(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    commit, failing = Database._commit, {"left": rng.randint(0, 3)}

    def sometimes(self: Database, batch: Any) -> Any:
        failing["left"] -= 1
        if failing["left"] < 0:
            raise sqlite3.OperationalError(rng.choice(["database or disk is full", "database is locked"]))
        return commit(self, batch)

    headers, view, address = {"Cookie": own}, games[0], f"/api/games/{games[0]['id']}"
    with mock.patch.object(Database, "_commit", sometimes):
        for _ in range(3):
            move = {
                "move": rng.choice(view["legal"])["text"] if view["legal"] else "a1a2",
                "ply": view["ply"],
            }
            answer = client.post(f"{address}/moves?wait=1", json=move, headers=headers)
            assert answer.status_code in (200, 409, 422, 503), answer.text
            view = client.get(address, headers=headers).json()
    with sqlite3.connect(folder / "page.sqlite") as file:
        stored = file.execute("SELECT text FROM moves WHERE game = ? ORDER BY ply", (view["id"],)).fetchall()
    shown = [move["text"] for move in view["moves"]]
    assert shown == [text for (text,) in stored][: len(shown)], "what is shown is stored"


def _deletions(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    headers, address = {"Cookie": own}, f"/api/games/{games[0]['id']}"
    steps = ["moves", "undo", "resign", "draw", "get", "hint"]
    for step in rng.sample(steps, rng.randint(0, 3)):
        if step in ("get", "hint"):
            client.get(address if step == "get" else f"{address}/hint", headers=headers)
        else:
            body = {"move": "e2e3", "ply": 2} if step == "moves" else {}
            assert client.post(f"{address}/{step}", json=body, headers=headers).status_code < 500
    assert client.delete(address, headers=headers).status_code == 204
    for step in ("moves", "undo", "resign"):
        body = {"move": "e2e3", "ply": 2} if step == "moves" else {}
        assert client.post(f"{address}/{step}", json=body, headers=headers).status_code == 404


def _another_writer(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    """Another program adds a move or takes moves away: what is stored stays, and the page shows it."""
    headers, view, address = {"Cookie": own}, games[0], f"/api/games/{games[0]['id']}"
    with sqlite3.connect(folder / "page.sqlite", timeout=30) as file:
        if rng.random() < 0.5:
            file.execute("INSERT INTO moves VALUES (?, 2, 'a2a3', 0, NULL, 0)", (view["id"],))
        else:
            file.execute("DELETE FROM moves WHERE game = ? AND ply >= ?", (view["id"], rng.randint(0, 1)))
        stored = file.execute("SELECT text FROM moves WHERE game = ? ORDER BY ply", (view["id"],)).fetchall()
    move = {"move": rng.choice(view["legal"])["text"], "ply": view["ply"]}
    answer = client.post(f"{address}/moves", json=move, headers=headers)
    assert answer.status_code == 503, answer.text
    shown = client.get(address, headers=headers).json()["moves"]
    texts = [text for (text,) in stored]
    assert [one["text"] for one in shown][: len(texts)] == texts, "what was stored is shown"


def _clock(rng: random.Random, client: TestClient, own: str, games: list[Any], folder: Path) -> None:
    """The system's clock jumps: views still grow, and the game goes on."""
    headers, view, address = {"Cookie": own}, games[0], f"/api/games/{games[0]['id']}"
    jump = rng.choice((-1, 1)) * 10.0 ** rng.randint(0, 9)
    now = time.time
    with mock.patch.object(time, "time", side_effect=lambda: max(0.0, now() + jump)):
        move = {"move": rng.choice(view["legal"])["text"], "ply": view["ply"]}
        after = client.post(f"{address}/moves?wait=60", json=move, headers=headers)
        assert after.status_code == 200, after.text
        assert after.json()["version"] > view["version"]
        assert len(client.get("/api/games", headers=headers).json()) >= 1
