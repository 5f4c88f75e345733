"""Requests that are cut, huge, wrong, slow or for others change nothing, and nothing stays open."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI, WebSocketDisconnect
from fastapi.testclient import TestClient

from sparring.server.app import create_app
from sparring.server.security import Access, Guard
from tests.server.conftest import another_visitor
from tests.server.test_game_store import start
from tests.server.test_games_api import begin, play

JUNK = [
    b"",
    b"{",
    b'{"human": 0',
    b"null",
    b"[]",
    b'"text"',
    b"1e999",
    b"\xff\xfe\x00",
    b'{"game": "chess", "players": "all"}',
    b'{"game": ["chess"]}',
    b"[" * 5_000,
    json.dumps({"game": "x" * 100_000}).encode(),
    json.dumps({"game": "chess", "players": [{}] * 1_000}).encode(),
    json.dumps({"kit": "chess", "level": 10**30}).encode(),
]


@pytest.mark.parametrize("path", ["games", "tournaments", "turing/rounds", "understand", "reviews"])
def test_bodies_that_are_no_messages_are_refused(client: TestClient, path: str) -> None:
    for body in JUNK:
        answer = client.post(f"/api/{path}", content=body, headers={"Content-Type": "application/json"})
        assert answer.status_code in (400, 422), body[:50]
        assert list(answer.json()) == ["detail", "text"]
        assert len(answer.json()["detail"]) < 1_000
    assert client.get("/api/games").json() == client.get("/api/tournaments").json() == []
    assert client.get("/api/turing").json()["score"]["answered"] == 0


def test_messages_over_a_websocket_are_ignored(client: TestClient) -> None:
    view = begin(client, "chess")
    with client.websocket_connect(f"/api/games/{view['id']}/live") as live:
        assert live.receive_json() == view
        for text in ("{", '{"move": "e4", "ply": 0}', "x" * 100_000):
            live.send_text(text)
        live.send_bytes(b"\x00\xff")
        assert play(client, view, "d4")["ply"] == 2
        assert [live.receive_json()["ply"] for _ in range(2)] == [1, 2]


def test_websockets_of_other_visitors_and_sites_are_closed(visitor: TestClient, shared_app: FastAPI) -> None:
    view = begin(visitor, "chess")
    other = another_visitor(shared_app)
    for path in (f"/api/games/{view['id']}/live", f"/api/tournaments/{view['id']}/live"):
        with other.websocket_connect(path) as live:
            assert live.receive()["code"] == 1008
        evil = visitor.websocket_connect(path, headers={"origin": "http://evil.example"})
        with pytest.raises(WebSocketDisconnect) as refused, evil:
            pass
        assert refused.value.code == 1008


def test_a_request_that_takes_too_long_is_refused() -> None:
    async def slow(scope: Any, receive: Any, send: Any) -> None:
        await asyncio.sleep(30)

    client = TestClient(Guard(slow, Access(hosts=("testserver",), longest=0.05)))
    answer = client.get("/api/games")
    assert (answer.status_code, list(answer.json())) == (503, ["detail", "text"])


def test_a_request_that_is_cut_changes_nothing(tmp_path: Path) -> None:
    server, address = start(tmp_path)
    try:
        with httpx.Client(base_url=address, timeout=30) as client:
            view = client.post("/api/games", json={"game": "breakthrough"}).json()
            cookie = "; ".join(f"{name}={value}" for name, value in client.cookies.items())
            body = json.dumps({"move": view["legal"][0]["text"], "ply": 0})
            head = f"POST /api/games/{view['id']}/moves HTTP/1.1\r\nHost: {address.split('//')[1]}\r\n"
            head += (
                f"Cookie: {cookie}\r\nContent-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
            )
            host, port = address.split("//")[1].split(":")
            for cut in (head[: len(head) // 2], head, head + body[:-5]):
                with socket.create_connection((host, int(port))) as connection:
                    connection.sendall(cut.encode())
            time.sleep(0.2)
            assert client.get(f"/api/games/{view['id']}").json() == view
    finally:
        server.terminate()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()


def test_what_was_opened_is_closed(tmp_path: Path) -> None:
    def opened() -> int:
        return sum(descriptor.readlink().suffix.startswith(".sqlite") for descriptor in _descriptors())

    before, files = set(threading.enumerate()), opened()
    for _ in range(2):
        with TestClient(create_app(tmp_path / "page.sqlite", Access(hosts=("testserver",)), None)) as client:
            view = begin(client, "chess")
            play(client, view, "e4")
            with client.websocket_connect(f"/api/games/{view['id']}/live") as live:
                live.receive_json()
            body = {"game": "breakthrough", "players": [{"strength": 1}] * 2, "games": 50}
            assert client.post("/api/tournaments", json=body).status_code == 201
            client.post("/api/reviews", json={"game": "chess", "record": "1. e4 e5 2. Nf3 Nc6 *"})
    left = [each.name for each in set(threading.enumerate()) - before if each.name.startswith("sparring")]
    assert left == []
    assert opened() == files


def _descriptors() -> list[Path]:
    found = []
    for path in Path("/proc/self/fd").iterdir():
        try:
            path.readlink()
        except OSError:
            continue
        found.append(path)
    return found
