"""What was broken by attack once: foreign cookies, two servers, full disks, damaged files, abandoned work."""

from __future__ import annotations

import gc
import io
import logging
import os
import pkgutil
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import weakref
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import httpx
import numpy as np
import pytest
import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.base.errors import Abandoned, BadFile, raise_if_stopped
from sparring.base.storage import read_npz
from sparring.cli.serve import _Throttle
from sparring.expendibots.book import SHIPPED_BOOK, open_expendibots_book
from sparring.games import load_game
from sparring.players import Decision, Turn
from sparring.players.persons import person_file, stored_persons
from sparring.players.small_players import LearnedPlayer
from sparring.policies.person import write_person
from sparring.rbc.bots import InferenceBot
from sparring.rbc.tracker import BOARD_BYTES
from sparring.server import review, safer, security
from sparring.server.app import create_app
from sparring.server.game_host import HostedGame
from sparring.server.opponents import Opponents
from sparring.server.security import TOKEN_COOKIE, VISITOR_COOKIE, Access
from sparring.server.store import Database
from sparring.server.teacher import judge
from sparring.server.understand import UnderstandRequest
from tests.policies.test_person_policy import person_model
from tests.robustness.page_server import NEW, listening, request
from tests.server.conftest import ACCESS
from tests.server.test_game_store import start
from tests.server.test_games_api import begin, play, post
from tests.waiting import wait_until

FOREIGN = [
    'prefs={"theme":"dark"}',
    "a=b c",
    "bare",
    "ä=ö",
    "path=/",
    "=",
    ";;",
    'q="',
    f"{VISITOR_COOKIE}=x",
]
SERVE = [sys.executable, "-c", "import sys; from sparring.cli import main; sys.exit(main())", "serve"]
SPANISH = "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 7. Bb3 d6 8. c3 O-O *"
HEAVY: dict[str, Any] = {"game": "chess", "you": 1, "opponent": {"rating": 1500, "nodes": 3200}}
PLANNER = {"bot": "planner", "seconds": 0.1}


# Who may talk to the server


@pytest.mark.parametrize("foreign", FOREIGN)
def test_cookies_of_other_programs_do_not_hide_the_visitor(visitor: TestClient, foreign: str) -> None:
    view = begin(visitor, "breakthrough")
    own = f"{VISITOR_COOKIE}={visitor.cookies[VISITOR_COOKIE]}"
    visitor.cookies.clear()
    for line in (f"{foreign}; {own}", f"{own}; {foreign}"):
        headers = {"Cookie": line.encode()}
        assert visitor.get(f"/api/games/{view['id']}", headers=headers).status_code == 200


def test_a_foreign_cookie_does_not_hide_the_token(tmp_path: Path) -> None:
    app = create_app(tmp_path / "page.sqlite", Access(hosts=("testserver",), token="secret"), None)
    with TestClient(app) as client:
        line = f'{TOKEN_COOKIE}=wrong; prefs={{"a":1}}; {TOKEN_COOKIE}=secret; {VISITOR_COOKIE}={"v" * 20}'
        assert client.get("/api/games", headers={"Cookie": line}).status_code == 200
        assert client.get("/api/games", headers={"Cookie": 'prefs={"a":1}'}).status_code == 401


@pytest.mark.parametrize(
    "origin", ["http://[::1", "http://]", "http://[::g]", "ftp://testserver", "null", "x"]
)
def test_origins_that_are_not_the_page_are_refused(client: TestClient, origin: str) -> None:
    headers = {"Origin": origin}
    assert client.post("/api/games", json={"game": "chess"}, headers=headers).status_code == 403
    assert client.delete("/api/games/x", headers=headers).status_code == 403


@pytest.mark.parametrize(
    "host", ["evil@testserver", "[::1].evil.com", "testserver:evil", "testserver/evil", ""]
)
def test_a_host_must_be_a_name_of_the_server_as_a_whole(client: TestClient, host: str) -> None:
    answer = client.get("/api/catalogue", headers={"Host": host})
    assert answer.status_code == 421
    assert answer.headers["x-content-type-options"] == "nosniff"
    assert client.get("/api/games", headers={"Host": "testserver:8642"}).status_code == 200


def test_the_token_never_redirects_to_another_site(tmp_path: Path) -> None:
    app = create_app(tmp_path / "page.sqlite", Access(hosts=("testserver",), token="t"), None)
    with TestClient(app) as client:
        answer = client.get("http://testserver//evil.com/..?token=t", follow_redirects=False)
        assert (answer.status_code, answer.headers["location"]) == (303, "/")
        assert answer.headers["referrer-policy"] == "no-referrer"


@pytest.mark.parametrize("token", ["a+b", "h#i&j", "päß", "a b"])
def test_a_token_that_does_not_fit_into_an_address_is_refused(token: str, tmp_path: Path) -> None:
    command = [*SERVE, "--port", "0", "--no-browser", "--folder", str(tmp_path), "--token", token]
    run = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert run.returncode == 2
    assert "--token takes letters" in run.stderr


@pytest.mark.parametrize(
    "body", [r'{"game":"chess","options":{"\ud800":1}}', r'{"game":"chess","opponent":{"rating":"\ud800"}}']
)
def test_lone_surrogates_are_refused(client: TestClient, body: str) -> None:
    answer = client.post("/api/games", content=body, headers={"Content-Type": "application/json"})
    assert (answer.status_code, list(answer.json())) == (422, ["detail", "text"])


def test_a_report_serves_its_own_files_only(tmp_path: Path) -> None:
    results = tmp_path / "results"
    (results / "r" / "sub").mkdir(parents=True)
    (tmp_path / "secret.json").write_text("secret")
    (results / "r" / "README.md").write_text("# R\n\nFound.\n")
    (results / "r" / "foo--bar.json").write_text("{}")
    (results / "r" / "..--..--secret.json").write_text("harmless")
    (results / "r" / "sub" / "own.json").write_text("[]")
    (results / "r" / "out.json").symlink_to(tmp_path / "secret.json")
    with TestClient(create_app(":memory:", ACCESS, results=results)) as client:
        (report,) = client.get("/api/reports").json()
        assert report["files"] == ["..--..--secret.json", "README.md", "foo--bar.json", "sub--own.json"]
        texts = {name: client.get(f"/api/reports/r/{name}").text for name in report["files"]}
        assert (texts["foo--bar.json"], texts["sub--own.json"]) == ("{}", "[]")
        assert texts["..--..--secret.json"] == "harmless"
        assert client.get("/api/reports/r/out.json").status_code == 404


# Slow clients


def test_connections_that_send_no_request_are_closed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(security, "_HEADER_SECONDS", 0.2)
    access = Access(hosts=("127.0.0.1",))
    config = uvicorn.Config(
        create_app(":memory:", access, None), http=security.TimedProtocol, log_level="error"
    )
    server = uvicorn.Server(config)
    listening = socket.socket()
    listening.bind(("127.0.0.1", 0))
    listening.listen()
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    try:
        address = listening.getsockname()
        whole = f"GET /api/games HTTP/1.1\r\nHost: 127.0.0.1:{address[1]}\r\n\r\n".encode()
        for sent in (b"", b"GET /api", whole[:-2], whole + b"GET /a"):
            with socket.create_connection(address, timeout=30) as connection:
                connection.sendall(sent)
                received = b"".join(iter(lambda: connection.recv(65536), b""))  # ends when the server closes
                assert received.startswith(b"HTTP/1.1 200") == sent.startswith(whole)
    finally:
        server.should_exit = True
        thread.join()


def test_more_connections_than_files_are_answered_with_503_and_it_recovers(tmp_path: Path) -> None:
    limited = ["sh", "-c", 'ulimit -n 256; exec "$@"', "sh", *SERVE]
    errors = tmp_path / "errors"
    with errors.open("w") as log, ExitStack() as connections:
        server = subprocess.Popen(
            [*limited, "--port", "0", "--no-browser", "--folder", str(tmp_path)],
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
        try:
            assert server.stdout is not None
            address = server.stdout.readline().split()[4].rstrip("/")
            host, port = address.split("//")[1].split(":")
            assert httpx.get(f"{address}/api/games").status_code == 200
            for _ in range(140):  # half of the files are for connections
                connections.enter_context(socket.create_connection((host, int(port)), timeout=30))
            assert httpx.get(f"{address}/api/games").status_code == 503
            connections.close()
            wait_until(lambda: httpx.get(f"{address}/api/games").status_code == 200, "it answers again", 30)
        finally:
            server.kill()
            server.wait()
            if server.stdout is not None:
                server.stdout.close()
    assert errors.stat().st_size < 50_000


def test_a_message_about_exhausted_files_is_logged_once_in_ten_seconds(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    now = 1000.0
    monkeypatch.setattr("sparring.cli.serve.time.monotonic", lambda: now)
    throttle = _Throttle()

    def logged(text: str) -> bool:
        return throttle.filter(logging.LogRecord("asyncio", logging.ERROR, "", 0, text, None, None))

    exhausted = "socket.accept() out of system resource"
    assert [logged(exhausted) for _ in range(1_000)].count(True) == 1
    assert logged("Task exception was never retrieved")
    now += 9.9
    assert not logged(exhausted)
    now += 0.2
    assert [logged(exhausted) for _ in range(1_000)].count(True) == 1


# Two servers, full disks, damaged rows


def test_a_second_server_of_a_folder_says_where_the_first_runs(tmp_path: Path) -> None:
    server, address = start(tmp_path)
    try:
        command = [*SERVE, "--port", "0", "--no-browser", "--folder", str(tmp_path)]
        second = subprocess.run(command, capture_output=True, text=True, timeout=60)
        assert second.returncode == 2
        assert f"a server already runs at {address}" in " ".join(second.stderr.split())
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(30)
        assert server.stdout is not None
        server.stdout.close()
    server, _ = start(tmp_path)  # the lock ended with the server
    server.kill()
    server.wait()
    assert server.stdout is not None
    server.stdout.close()


def test_a_game_that_another_program_changed_is_not_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = play(client, begin(client, "breakthrough"), "d2d3")
        with sqlite3.connect(file) as other:
            other.execute("INSERT INTO moves VALUES (?, 2, 'a2a3', 0, NULL, 0, NULL)", (view["id"],))
        body = {"move": view["legal"][0]["text"], "ply": view["ply"]}
        answer = client.post(f"/api/games/{view['id']}/moves", json=body)
        assert (answer.status_code, "reload" in answer.json()["detail"]) == (503, True)
        texts = [move["text"] for move in client.get(f"/api/games/{view['id']}").json()["moves"]]
        assert texts[:3] == ["d2d3", view["moves"][1]["text"], "a2a3"]


def damage(file: Path, game: str, statement: str) -> None:
    with sqlite3.connect(file) as database:
        database.execute(statement, (game,))


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE games SET settings = '{' WHERE id = ?",
        'UPDATE games SET settings = \'{"game": "poker"}\' WHERE id = ?',
        "UPDATE games SET shown = '[1]' WHERE id = ?",
        "UPDATE games SET ending = '[9]' WHERE id = ?",
        "UPDATE moves SET text = 'h8h1' WHERE game = ?",
    ],
)
def test_one_damaged_game_hides_no_other_and_can_be_deleted(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        games = [play(client, begin(client, "breakthrough"), "d2d3")["id"] for _ in range(2)]
        cookies = dict(client.cookies)
    damage(file, games[0], statement)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        assert games[1] in [game["id"] for game in client.get("/api/games").json()]
        assert client.get(f"/api/games/{games[0]}").status_code in (200, 409, 422)
        assert client.delete(f"/api/games/{games[0]}").status_code == 204
        assert client.get(f"/api/games/{games[0]}").status_code == 404
        assert client.delete(f"/api/games/{games[0]}").status_code == 404


@pytest.fixture
def full_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, bool]]:
    """A switch: while it is on, SQLite says at every change that the disk is full."""
    state = {"full": False}
    commit = Database._commit

    def failing(self: Database, batch: Any) -> Any:
        if state["full"]:
            raise sqlite3.OperationalError("database or disk is full")
        return commit(self, batch)

    monkeypatch.setattr(Database, "_commit", failing)
    yield state
    state["full"] = False


def test_what_cannot_be_stored_is_not_shown(tmp_path: Path, full_disk: dict[str, bool]) -> None:
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        view = play(client, begin(client, "breakthrough"), "d2d3")
        full_disk["full"] = True
        body = {"move": view["legal"][0]["text"], "ply": view["ply"]}
        with client.websocket_connect(f"/api/games/{view['id']}/live") as live:
            assert live.receive_json()["ply"] == 2
            answer = client.post(f"/api/games/{view['id']}/moves", json=body)
            assert (answer.status_code, "disk is full" in answer.json()["detail"]) == (503, True)
            assert live.receive()["code"] == 1013, "the page asks again"
        assert client.get(f"/api/games/{view['id']}").json()["moves"] == view["moves"]
        assert client.post("/api/games", json={"game": "chess"}).status_code == 503
        full_disk["full"] = False
        assert client.post(f"/api/games/{view['id']}/moves?wait=30", json=body).json()["ply"] == 4


def fill(file: sqlite3.Connection) -> None:
    """Adds moves to the game `full` until the file refuses them."""
    for ply in range(100_000):
        file.execute("INSERT INTO moves VALUES ('full', ?, '', 0, NULL, 0, NULL)", (ply,))
        file.commit()


def test_a_file_that_cannot_grow_refuses_moves_until_there_is_room(tmp_path: Path) -> None:
    """SQLite itself refuses: the file has reached the size that it may have, and its pages are full."""
    app, path = create_app(tmp_path / "page.sqlite", ACCESS, None), tmp_path / "page.sqlite"
    with TestClient(app) as client:
        view = play(client, begin(client, "breakthrough"), "d2d3")
        with closing(sqlite3.connect(path)) as other:
            other.execute(
                "INSERT INTO games SELECT 'full', '', settings, NULL, '', 0, 0, NULL, NULL FROM games"
            )
            other.commit()
            other.execute("PRAGMA max_page_count = 1")  # as many pages as there are
            with pytest.raises(sqlite3.OperationalError, match="full"):
                fill(other)
            other.rollback()
        file = app.state.host.store.database._file
        file.execute("PRAGMA max_page_count = 1")
        body = {"move": view["legal"][0]["text"], "ply": view["ply"]}
        address = f"/api/games/{view['id']}"
        for _ in range(2):
            answer = client.post(f"{address}/moves", json=body)
            assert answer.status_code == 503
            assert "disk is full" in answer.json()["detail"]
            assert client.get(address).json()["moves"] == view["moves"]
        with closing(sqlite3.connect(path)) as other:
            stored = other.execute(
                "SELECT text FROM moves WHERE game = ? ORDER BY ply", (view["id"],)
            ).fetchall()
        assert [text for (text,) in stored] == [move["text"] for move in view["moves"]]
        file.execute("PRAGMA max_page_count = 1000000")
        assert client.post(f"{address}/moves?wait=30", json=body).json()["ply"] == 4


def test_a_tournament_goes_on_when_the_disk_has_room_again(
    tmp_path: Path, full_disk: dict[str, bool], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparring.server.live_tournament._RETRY_SECONDS", 0.01)
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        body = {"game": "breakthrough", "players": [{"strength": 1}] * 2, "games": 3, "pace": 0}
        view = client.post("/api/tournaments", json=body).json()
        full_disk["full"] = True
        address = f"/api/tournaments/{view['id']}"
        time.sleep(0.3)
        assert client.get(address).json()["error"] is None
        full_disk["full"] = False
        wait_until(lambda: client.get(address).json()["done_games"] == 3)


def test_reads_do_not_wait_for_a_lock_of_another_program(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, "breakthrough")
        other = sqlite3.connect(file)
        other.execute("BEGIN IMMEDIATE")
        with ThreadPoolExecutor(1) as pool:
            body = {"move": view["legal"][0]["text"], "ply": 0}
            moving = pool.submit(client.post, f"/api/games/{view['id']}/moves", json=body)
            for _ in range(20):
                assert client.get("/api/games").status_code == 200
            assert not moving.done(), "the reads waited for the write"
            other.rollback()
            other.close()
            assert moving.result().status_code == 200


def test_moves_and_deletions_at_once_leave_no_ghost(client: TestClient) -> None:
    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            view = begin(client, "breakthrough")
            address = f"/api/games/{view['id']}"
            body = {"move": view["legal"][0]["text"], "ply": 0}
            jobs = [pool.submit(client.post, f"{address}/moves", json=body) for _ in range(2)]
            jobs += [pool.submit(client.delete, address), pool.submit(client.get, address)]
            codes = [job.result().status_code for job in jobs]
            assert set(codes) <= {200, 204, 404, 409}, codes
            assert client.get(address).status_code == 404
            assert client.post(f"{address}/moves", json=body).status_code == 404


def test_versions_grow_also_when_the_clock_is_set_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.sqlite"
    versions: list[int] = []
    cookies: dict[str, str] = {}
    for day in (3, 2, 1):
        monkeypatch.setattr(time, "time", lambda day=day: 1.8e9 + day * 86400)
        with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
            if not versions:
                game = begin(client, "breakthrough")["id"]
                cookies = dict(client.cookies)
            versions.append(client.get(f"/api/games/{game}").json()["version"])
    assert sorted(set(versions)) == versions
    assert 1.8e12 < versions[0] < versions[-1] < 2**53


def test_only_the_owner_reads_the_file_of_games(tmp_path: Path) -> None:
    database = Database(tmp_path / "page.sqlite")
    database.write(lambda file: file.execute("CREATE TABLE x (y)"))
    assert {path.stat().st_mode & 0o077 for path in tmp_path.iterdir()} == {0}
    database.close()


def test_old_games_without_a_move_of_the_person_are_deleted(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        played = play(client, begin(client, "breakthrough"), "d2d3")
        begin(client, "breakthrough")
        answered = begin(client, "breakthrough", you=1)  # the opponent begins
        wait_until(lambda: client.get(f"/api/games/{answered['id']}").json()["ply"] == 1)
        cookies = dict(client.cookies)
    with sqlite3.connect(file) as database:
        database.execute("UPDATE games SET updated = updated - 90000")
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        assert [game["id"] for game in client.get("/api/games").json()] == [played["id"]]


# Files that were made by others


def test_damaged_person_files_never_break_the_page(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path))
    path = person_file("Eve", "chess")
    path.parent.mkdir(parents=True)
    path.write_text("")
    file = path.with_suffix(".person")
    write_person(file, person_model())
    whole = file.read_bytes()
    rng = np.random.default_rng(5)
    for _ in range(400):
        data = bytearray(whole)
        for place in rng.integers(len(data), size=rng.integers(1, 17)):
            data[place] = rng.integers(256)
        file.write_bytes(data)
        assert len(stored_persons("chess")) <= 1
    assert client.get("/api/catalogue").status_code == 200


def test_damaged_books_are_bad_files(tmp_path: Path) -> None:
    whole, path = SHIPPED_BOOK.read_bytes(), tmp_path / "book.npz"
    rng = np.random.default_rng(6)
    damaged = 0
    for _ in range(60):
        data = bytearray(whole)
        data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        path.write_bytes(data)
        try:
            open_expendibots_book(path)
        except BadFile:
            damaged += 1
    assert damaged > 20


def test_a_header_that_promises_more_than_there_is_takes_no_memory(tmp_path: Path) -> None:
    stream = io.BytesIO()
    np.lib.format.write_array_header_1_0(
        stream, {"descr": "<f8", "fortran_order": False, "shape": (1 << 42,)}
    )
    path = tmp_path / "large.npz"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("x.npy", stream.getvalue())
    with pytest.raises(BadFile, match="another size"):
        read_npz(path)


# Work that nobody waits for


def searching() -> int:
    """Threads that evaluate for a search."""
    return sum(thread.name.startswith("evaluator") for thread in threading.enumerate())


def test_deleting_a_game_ends_its_search(app: FastAPI) -> None:
    with TestClient(app) as client:
        games = app.state.host._games
        for _ in range(5):
            view = begin(client, **HEAVY)
            wait_until(lambda: searching() > 0, "a search runs", 60)
            assert games[view["id"]].player_task is not None, "the opponent has not moved"
            assert client.delete(f"/api/games/{view['id']}").status_code == 204
            wait_until(lambda: searching() == 0, "no search runs", 10)
        for _ in range(20):  # also searches that have not begun
            view = begin(client, **HEAVY)
            assert client.delete(f"/api/games/{view['id']}").status_code == 204
        wait_until(lambda: searching() == 0, "no search runs", 10)


@pytest.mark.parametrize("command", ["resign", "undo"])
def test_a_command_ends_the_search_before_the_player_is_used_again(client: TestClient, command: str) -> None:
    view = begin(client, "chess", opponent={"rating": 1500, "nodes": 3200, "level": None, "kind": "human"})
    body = {"move": "e2e4", "ply": 0}
    assert client.post(f"/api/games/{view['id']}/moves", json=body).json()["phase"] == "thinking"
    found = post(client, view, command, **({"count": 1} if command == "undo" else {})).json()
    assert found["phase"] == ("over" if command == "resign" else "move")
    wait_until(lambda: searching() == 0, "no search runs", 10)


@pytest.mark.parametrize(
    ("path", "function", "most"),
    [
        ("understand", "sparring.server.understand.Insight.values", 8),
        ("reviews", "sparring.server.review.parse_record", 2),
    ],
)
def test_a_visitor_asks_a_few_questions_at_once(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, path: str, function: str, most: int
) -> None:
    client.get("/api/games")  # the visitor's cookie
    gate, real = threading.Event(), pkgutil.resolve_name(function)

    def slow(*arguments: Any, **options: Any) -> Any:
        assert gate.wait(60)
        return real(*arguments, **options)

    monkeypatch.setattr(function, slow)
    body = {"game": "chess", "record": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 *"}
    with ThreadPoolExecutor(20) as pool:
        asked = [pool.submit(client.post, f"/api/{path}", json=body) for _ in range(20)]
        wait_until(lambda: sum(answer.done() for answer in asked) == 20 - most, "the others are refused")
        assert {answer.result().status_code for answer in asked if answer.done()} == {429}
        gate.set()
        assert sum(answer.result().status_code in (200, 201) for answer in asked) == most
    assert client.post(f"/api/{path}", json=body).status_code in (200, 201, 429)


def test_new_games_hold_no_memory_and_idle_ones_give_it_back(
    app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparring.server.game_host._PLAYERS_BYTES", 100 << 20)
    with TestClient(app) as client:
        host = app.state.host
        games = [begin(client, "breakthrough", opponent={"strength": 9}) for _ in range(6)]
        assert sum(hosted.memory_bytes for hosted in host._games.values()) == 0
        for game in games:
            view = play(client, game, "d2d3")
        assert sum(hosted.memory_bytes for hosted in host._games.values()) <= 130 << 20
        again = client.get(f"/api/games/{games[0]['id']}").json()
        assert again["ply"] == 2, "a game that left the memory is read again"
        assert view["ply"] == 2


def test_games_of_blind_chess_give_their_memory_back(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.server.game_host._PLAYERS_BYTES", 70 << 20)
    gc.collect()
    gc.disable()  # what leaves the memory is freed at once, not by a later collection
    try:
        with TestClient(app) as client:
            host, planners, before = app.state.host, [], resident_bytes()
            for _ in range(10):
                game = play(client, begin(client, "rbc", opponent=PLANNER), "sense e7")
                planners += [weakref.ref(hosted.game.live.players[1]) for hosted in host._games.values()]
                game = play(client, game, "e2e4")
                wait_until(lambda: not any(hosted.in_use for hosted in host._games.values()))
                held = [hosted.memory_bytes for hosted in host._games.values()]
                assert sum(held) <= 70 << 20
                assert min(held) > 15 << 20, "the table and the network are counted"
            alive = {player for player in (planner() for planner in planners) if player is not None}
            assert len(alive) == len(held) < 5
            assert resident_bytes() - before < 150 << 20, "ten games take 250 MB"
    finally:
        gc.enable()


def resident_bytes() -> int:
    """The memory of this process."""
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE")


def test_a_game_of_blind_chess_that_left_the_memory_knows_the_same_boards(app: FastAPI) -> None:
    with TestClient(app) as client:
        game = begin(client, "rbc", opponent={"bot": "inference-1"})
        for action in ("sense e7", "e2e4", "sense d6", "g1f3", "sense c6"):
            game = play(client, game, action)
        host = app.state.host
        seen = [possible_boards(host._games[game["id"]])]
        host._forget(host._games[game["id"]])
        again = client.get(f"/api/games/{game['id']}").json()
        seen.append(possible_boards(host._games[game["id"]]))
        assert seen[0] == seen[1]
        assert (again["hidden"], again["legal"]) == (game["hidden"], game["legal"])
        assert play(client, again, "f1c4")["ply"] > game["ply"]


def possible_boards(hosted: HostedGame) -> list[str]:
    """The boards that the bot of a game thinks possible."""
    bot = hosted.game.live.players[1]
    assert isinstance(bot, InferenceBot)
    assert hosted.memory_bytes >= bot.memory_bytes >= BOARD_BYTES * len(bot.knowledge.tracker.boards)
    return sorted(bot.knowledge.tracker.boards.fens())


def test_searches_wait_until_there_is_memory_for_them(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.server.game_host._SEARCHING_BYTES", 130 << 20)  # two tables of 64 MB
    running, most, real = 0, 0, LearnedPlayer.choose

    def choose(self: LearnedPlayer, turn: Turn) -> Decision:
        nonlocal running, most
        running += 1
        most = max(most, running)
        try:
            return real(self, turn)
        finally:
            running -= 1

    monkeypatch.setattr(LearnedPlayer, "choose", choose)
    with TestClient(app) as client:
        body = {"you": 1, "opponent": {"strength": 9}}
        games = [begin(client, "breakthrough", **body) for _ in range(8)]
        for game in games[2:6]:  # they wait, or have just begun
            assert client.delete(f"/api/games/{game['id']}").status_code == 204
        games[2:6] = [begin(client, "breakthrough", **body)]
        light = begin(client, "breakthrough", you=1, opponent={"strength": 1})
        for game in (light, *games):
            wait_until(lambda game=game: client.get(f"/api/games/{game['id']}").json()["ply"] == 1)  # type: ignore[misc]
    assert most <= 3, "two that take much and one that takes little"


@pytest.mark.parametrize(
    ("function", "method", "path", "body"),
    [
        ("page_game.hint_view", "GET", "games/GAME/hint", None),
        ("teacher.warning_view", "GET", "games/GAME/warning?move=d2d3&ply=0", None),
        ("review._understand", "POST", "understand", {"game": "chess"}),
        ("safer._answer", "POST", "understand/safer", {"game": "chess"}),
        ("review.read_pasted", "POST", "read", {"text": "1. e4 *"}),
        ("history.export_game", "GET", "export?game=chess", None),
        ("deck.export_deck", "GET", "deck/export?game=chess", None),
        ("deck._try", "POST", "deck/cards/x/try", {"move": "e2e4"}),
        ("deck.keep", "POST", "deck/reviews", {"review": "x", "side": 0}),
        ("persons.read_records", "POST", "persons/names", {"game": "chess", "text": "1. e4 *"}),
    ],
)
def test_a_computation_is_told_to_stop_when_its_client_leaves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str, method: str, path: str, body: Any
) -> None:
    app = create_app(tmp_path / "page.sqlite", Access(hosts=("127.0.0.1",)), None)
    began, ended = threading.Event(), threading.Event()

    def compute(*arguments: Any) -> None:
        (stop,) = (argument for argument in arguments if isinstance(argument, threading.Event))
        began.set()
        assert stop.wait(30)
        ended.set()
        raise_if_stopped(stop)

    monkeypatch.setattr(f"sparring.server.{function}", compute)
    with listening(app) as address:
        game = httpx.post(f"http://{address[0]}:{address[1]}/api/games", json=NEW).json()["id"]
        with socket.create_connection(address) as client:
            client.sendall(request(address, method, f"/api/{path.replace('GAME', game)}", body))
            assert began.wait(30)
        assert ended.wait(10)
        wait_until(lambda: not app.state.host._computations, "no question is computed")


def test_what_is_told_to_stop_computes_no_further() -> None:
    stop, opponents, rules = threading.Event(), Opponents(), load_game("chess")
    stop.set()
    host: Any = SimpleNamespace(opponents=opponents)
    with pytest.raises(Abandoned):
        safer._answer(host, UnderstandRequest(game="chess"), stop)
    for _ in range(5):  # more often than there are analysts: each comes back
        with pytest.raises(Abandoned):
            judge(opponents, rules, rules.initial(), rules.initial().parse_move("e2e4"), stop)
    assert judge(opponents, rules, rules.initial(), rules.initial().parse_move("e2e4"), threading.Event())


def test_a_review_is_told_to_stop_when_its_visitor_begins_another(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sparring.server.review._ABANDONED_SECONDS", 0.0)
    stops: list[threading.Event] = []

    def block(self: Any, states: Any, begin: int, ratings: Any, stop: threading.Event) -> list[Any]:
        stops.append(stop)
        stop.wait(30)
        return []

    monkeypatch.setattr("sparring.measure.review.Reviewer.block", block)
    body = {"game": "chess", "record": SPANISH}
    assert client.post("/api/reviews", json=body).status_code == 201
    wait_until(lambda: len(stops) == 1, "it is computed")
    assert client.post("/api/reviews", json=body).status_code == 201
    wait_until(stops[0].is_set, "the first one is told", 10)


def test_a_review_rests_while_nobody_asks_for_it(app: FastAPI, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.server.review._UNASKED_SECONDS", 0.5)
    looked: list[int] = []
    real = review._moves

    def look(*arguments: Any) -> Any:
        time.sleep(0.6)
        moves = real(*arguments)
        looked.extend(move.ply for move in moves)
        return moves

    monkeypatch.setattr(review, "_moves", look)
    with TestClient(app) as client:
        app.state.host.opponents.reviewer("chess")  # opened before the time runs
        body = {"game": "chess", "record": SPANISH}
        address = f"/api/reviews/{client.post('/api/reviews', json=body).json()['id']}"
        reviews = app.state.reviews._reviews.values()
        wait_until(lambda: not any(map(review._runs, reviews)), "the review rests")
        assert 0 < len(looked) < 16
        wait_until(lambda: client.get(address).json()["done"], "somebody asks, and it goes on")
        shown = client.get(address).json()
        assert (shown["error"], shown["total"]) == (None, 16)
        assert [move["ply"] for move in shown["moves"]] == looked == list(range(16))


def test_ctrl_c_ends_a_server_that_searches(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    server, address = start(tmp_path)
    try:
        with httpx.Client(base_url=address, timeout=30) as client:
            for _ in range(4):
                assert client.post("/api/games", json=HEAVY).status_code == 201
            players = [{"rating": 1500, "nodes": 3200}] * 2
            body = {"game": "chess", "players": players, "games": 4}
            assert client.post("/api/tournaments", json=body).status_code == 201
        host, port = address.split("//")[1].split(":")
        with socket.create_connection((host, int(port))) as half:
            half.sendall(b"POST /api/games HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\n{")
            server.send_signal(signal.SIGINT)
            assert server.wait(5) in (0, 130)  # three seconds, and some for a machine that does other work
        assert "Traceback" not in capfd.readouterr().err
    finally:
        server.kill()
        server.wait()
        assert server.stdout is not None
        server.stdout.close()
    assert not (tmp_path / "page.address").exists()


# What the player's set reads


@pytest.mark.parametrize(
    ("text", "moves"),
    [
        ("V2.2\nPI\n+\n+7776FU\n-3334FU\n+8822UM\n%TORYO\n", ["7g7f", "3c3d", "8h2b+"]),
        ("手合割：平手\n   1 ７六歩(77)\n   2 ３四歩(33)\n   3 ２二角成(88)\n   4 同　銀(31)\n   5 投了\n",
         ["7g7f", "3c3d", "8h2b+", "3a2b"]),
    ],
)  # fmt: skip
def test_pasted_shogi_games_need_no_other_package(
    client: TestClient, monkeypatch: pytest.MonkeyPatch, text: str, moves: list[str]
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "cshogi"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "cshogi", None)
    view = begin(client, "shogi", record=text)
    assert [move["text"] for move in view["moves"]][: len(moves)] == moves
    assert client.post("/api/reviews", json={"game": "shogi", "record": text}).status_code == 201
