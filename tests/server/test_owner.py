"""Who has the games: the owner of the folder on a server of this machine, each visitor on a shared one."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient
from starlette.websockets import WebSocketDisconnect

from sparring.server.app import create_app
from sparring.server.security import OWNER, VISITOR_COOKIE
from tests.server.conftest import ACCESS, BEARER, SHARED, another_visitor
from tests.server.test_game_store import start
from tests.server.test_games_api import begin, play, post


def test_every_browser_of_this_machine_has_the_same_games(app: FastAPI, client: TestClient) -> None:
    view = play(client, begin(client, "breakthrough"), "d2d3")
    assert not client.cookies, "no cookie says who has the games"
    other = TestClient(app, cookies={VISITOR_COOKIE: "a-cookie-of-another-time"})
    assert [game["id"] for game in other.get("/api/games").json()] == [view["id"]]
    assert play(other, view, view["legal"][0]["text"])["ply"] == 4
    assert post(client, view, "resign").json()["phase"] == "over"


def test_no_cookie_makes_a_visitor_the_owner(shared_app: FastAPI, visitor: TestClient) -> None:
    view = begin(visitor, "breakthrough")
    for name in (OWNER, f" {OWNER}"):
        other = TestClient(shared_app, headers=BEARER, cookies={VISITOR_COOKIE: name})
        assert other.get("/api/games").status_code == 401
    other = TestClient(shared_app, headers=BEARER, cookies={VISITOR_COOKIE: "o" * 16})
    assert other.get(f"/api/games/{view['id']}").status_code == 404
    assert other.get("/api/games").json() == []


def test_the_owner_has_what_visitors_played_and_they_keep_it(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    visitors = []
    for _ in range(2):
        with another_visitor(create_app(file, SHARED, None)) as client:
            adaptive = begin(client, "chess", opponent={"adapt": True, "level": 800})
            post(client, play(client, adaptive, "e4"), "resign")
            body = {"game": "breakthrough", "players": [{"strength": 1}] * 2, "games": 2, "pace": 1}
            tournament = client.post("/api/tournaments", json=body).json()["id"]
            visitors.append((adaptive["id"], tournament, dict(client.cookies)))
    with TestClient(create_app(file, ACCESS, None)) as owner:
        assert {game["id"] for game in owner.get("/api/games").json()} == {visitor[0] for visitor in visitors}
        assert owner.get("/api/adaptive/chess").json()["games"] == 2
        assert len(owner.get("/api/tournaments").json()) == 2
        for game, tournament, _ in visitors:
            assert owner.get(f"/api/games/{game}").status_code == 200
            assert owner.get(f"/api/tournaments/{tournament}").status_code == 200
    for game, tournament, cookies in visitors:
        with TestClient(create_app(file, SHARED, None), headers=BEARER, cookies=cookies) as client:
            assert [view["id"] for view in client.get("/api/games").json()] == [game]
            assert [view["id"] for view in client.get("/api/tournaments").json()] == [tournament]


def test_an_older_file_is_read_and_one_line_says_whose_its_games_are(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with another_visitor(create_app(file, SHARED, None)) as client:
        view = play(client, begin(client, "breakthrough"), "d2d3")
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("ALTER TABLE moves DROP COLUMN clocks")
        database.execute("ALTER TABLE games DROP COLUMN dead")
        database.execute("PRAGMA user_version = 4")
    lines = []
    for _ in range(2):
        server, address = start(tmp_path)
        assert len(httpx.get(f"{address}/api/games").json()) == 1
        server.terminate()
        lines.append(server.communicate()[0])
    assert "1 game" in lines[0]
    assert lines[1].strip() == "", "it says so once"
    with TestClient(create_app(file, ACCESS, None)) as owner:
        assert owner.get(f"/api/games/{view['id']}").json()["moves"] == view["moves"]


@pytest.mark.parametrize("site", ["cross-site", "same-site"])
def test_pages_of_other_sites_ask_nothing(client: TestClient, site: str) -> None:
    """Without a cookie of SameSite=Strict the header of the browser says who asks."""
    view = begin(client, "breakthrough")
    for path in ("/api/games", f"/api/games/{view['id']}/hint", "/api/catalogue"):
        assert client.get(path, headers={"Sec-Fetch-Site": site}).status_code == 403
        assert client.get(path, headers={"Sec-Fetch-Site": "none"}).status_code in (200, 422)


def test_a_visitor_begins_with_the_page_and_with_nothing_else(shared_app: FastAPI) -> None:
    stranger = TestClient(shared_app, headers=BEARER)
    for method, path in (("POST", "games"), ("GET", "games"), ("GET", "catalogue"), ("POST", "reviews")):
        answer = stranger.request(method, f"/api/{path}", json={"game": "breakthrough"})
        assert (answer.status_code, answer.json()["detail"].count(".")) == (401, 1)
        assert answer.json()["text"]["template"] == answer.json()["detail"]
    stranger.get("/assets/page.js")
    stranger.get("/other")
    with pytest.raises(WebSocketDisconnect) as refused, stranger.websocket_connect("/api/games/x/live"):
        pass
    assert refused.value.code == 1008
    assert not stranger.cookies, "none of it makes a visitor"
    with TestClient(shared_app, headers=BEARER) as client:
        client.get("/")
        first = client.cookies[VISITOR_COOKIE]
        client.get("/")
        assert client.cookies[VISITOR_COOKIE] == first
        assert begin(client, "breakthrough")["ply"] == 0
