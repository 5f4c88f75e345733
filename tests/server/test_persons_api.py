"""A person is made on the page: names, progress, play; stopped on request and with the server."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import subprocess
import time
from functools import partial
from pathlib import Path
from typing import Any

import chess
import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.players.persons import stored_persons
from sparring.server.app import create_app
from sparring.server.person_job import learned
from tests.server.conftest import ACCESS, another_visitor
from tests.server.test_game_store import start
from tests.server.test_games_api import begin, play
from tests.waiting import wait_until


def games_of(name: str, count: int, plies: int = 16) -> str:
    """Games of a name against others, as PGN."""
    rng, texts = random.Random(7), []
    for number in range(count):
        board, words = chess.Board(), []
        for ply in range(plies):
            if not (moves := sorted(board.legal_moves, key=str)):
                break
            move = moves[0] if ply < 4 else rng.choice(moves)
            words.append(f"{ply // 2 + 1}. " * (ply % 2 == 0) + board.san(move))
            board.push(move)
        white, black = (name, f"Other {number}") if number % 2 else (f"Other {number}", name)
        tags = f'[White "{white}"]\n[Black "{black}"]\n[WhiteElo "1500"]\n[BlackElo "1500"]\n'
        texts.append(f"{tags}\n{' '.join(words)} 1-0\n")
    return "\n".join(texts)


def make(client: TestClient, text: str, name: str = "Anna") -> str:
    answer = client.post("/api/persons", json={"game": "chess", "text": text, "name": name})
    assert answer.status_code == 201, answer.text
    job: str = answer.json()["job"]
    return job


def until_done(client: TestClient, job: str) -> tuple[dict[str, Any], list[float]]:
    shares = []
    for _ in range(1200):
        view = client.get(f"/api/persons/jobs/{job}").json()
        shares.append(view["share"])
        if view["done"]:
            return view, shares
        time.sleep(0.1)
    raise AssertionError("the job does not end")


def workers(parent: int) -> list[int]:
    """The processes that make persons for a server."""
    table = subprocess.run(
        ["ps", "-ewwo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=3) for line in table.stdout.splitlines()]
    return [
        int(pid)
        for pid, ppid, state, command in rows
        if int(ppid) == parent and "person_job" in command and not state.startswith("Z")
    ]


def runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path / "home"))


def test_names_are_listed_with_their_games(client: TestClient) -> None:
    body = {"game": "chess", "text": games_of("Anna", 3)}
    names = client.post("/api/persons/names", json=body).json()
    assert names[0] == {"name": "Anna", "games": 3}
    assert {entry["games"] for entry in names[1:]} == {1}


def test_a_person_is_made_and_played(client: TestClient) -> None:
    view, shares = until_done(client, make(client, games_of("Anna", 12)))
    assert view["error"] is None
    assert (view["share"], view["person"]) == (1, "chess-Anna")
    assert shares == sorted(shares)
    assert "12 games" in view["message"]["text"]
    assert "nats" not in view["message"]["text"]
    (chess_offer,) = (offer for offer in client.get("/api/catalogue").json() if offer["name"] == "chess")
    (person,) = chess_offer["persons"]
    assert (person["name"], person["title"]) == ("chess-Anna", "Anna")
    assert "nats" not in person["about"]["text"]
    game = begin(client, "chess", opponent={"kind": "person", "person": view["person"]})
    assert play(client, game, "e4")["ply"] == 2


def test_a_person_is_made_while_no_page_is_open_and_belongs_to_its_visitor(
    visitor: TestClient, shared_app: FastAPI
) -> None:
    job = make(visitor, games_of("Anna", 3))
    other = another_visitor(shared_app)
    assert other.get(f"/api/persons/jobs/{job}").status_code == 404
    assert other.delete(f"/api/persons/jobs/{job}").status_code == 404
    wait_until(lambda: bool(stored_persons("chess")), "nobody asks, and it is made")
    assert until_done(visitor, job)[0]["person"] == "chess-Anna"


def test_work_is_stopped_on_request_and_with_the_server(tmp_path: Path) -> None:
    text = games_of("Anna", 300, 60)
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        job = make(client, text)
        wait_until(lambda: bool(workers(os.getpid())), "it runs")
        body = {"game": "chess", "text": text, "name": "Anna"}
        assert client.post("/api/persons", json=body).status_code == 429
        assert client.delete(f"/api/persons/jobs/{job}").status_code == 204
        wait_until(lambda: not workers(os.getpid()), "it is stopped")
        assert client.get(f"/api/persons/jobs/{job}").status_code == 404
        make(client, text)
        wait_until(lambda: bool(workers(os.getpid())), "it runs")
    wait_until(lambda: not workers(os.getpid()), "it ends with the server")
    assert stored_persons() == []


def test_work_ends_when_the_server_is_killed(tmp_path: Path) -> None:
    server, address = start(tmp_path)
    try:
        body = {"game": "chess", "text": games_of("Anna", 300, 60), "name": "Anna"}
        assert httpx.post(f"{address}/api/persons", json=body, timeout=60).status_code == 201
        wait_until(lambda: bool(workers(server.pid)), "it runs")
        (pid,) = workers(server.pid)
    finally:
        server.kill()
        server.communicate()
    wait_until(lambda: not runs(pid), "it ends with the server")


def stored_work(tmp_path: Path) -> int:
    with sqlite3.connect(tmp_path / "page.sqlite") as file:
        ((count,),) = file.execute("SELECT count(*) FROM persons_to_make").fetchall()
    return int(count)


def has_begun(tmp_path: Path, times: int) -> bool:
    with sqlite3.connect(tmp_path / "page.sqlite") as file:
        return file.execute("SELECT starts FROM persons_to_make").fetchall() == [(times,)]


def test_work_that_ended_with_the_server_begins_again_with_it(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        job = make(client, games_of("Anna", 3))
        wait_until(lambda: bool(workers(os.getpid())), "it runs")
    assert (stored_persons(), stored_work(tmp_path)) == ([], 1)
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        view, _ = until_done(client, job)
        assert (view["person"], view["error"]) == ("chess-Anna", None)
        wait_until(lambda: stored_work(tmp_path) == 0, "what is done is not done again")


def test_work_that_ends_with_the_server_again_and_again_is_given_up(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def endless(*_: object) -> None:
        await asyncio.sleep(3600)

    monkeypatch.setattr("sparring.server.persons._work", endless)
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        job = make(client, "", "Anna")
        wait_until(lambda: stored_work(tmp_path) == 1)
    for count in (2, 3):
        with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
            view = client.get(f"/api/persons/jobs/{job}").json()
            assert (view["done"], view["message"]["text"][:16]) == (False, "The server ended")
            wait_until(partial(has_begun, tmp_path, count))
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        view = client.get(f"/api/persons/jobs/{job}").json()
        assert "again to start anew" in view["error"]["text"]
    assert stored_work(tmp_path) == 0


@pytest.mark.parametrize(
    ("text", "name", "part"),
    [
        ("", "Anna", "no game"),
        ("hello", "Anna", "no game"),
        ("\ufffd" * 50, "Anna", "no game"),
        ("(;" * 9000, "Anna", "no game"),
        ("1. e4 e5 *\n", "Anna", "no game"),
        (games_of("Anna", 1), "Anna", "at least"),
        (games_of("Anna", 3), "Nobody", "no game"),
        (games_of("Anna", 3), "../../x", "no game"),
    ],
)
def test_games_that_make_no_person_get_one_sentence(
    client: TestClient, text: str, name: str, part: str
) -> None:
    view, _ = until_done(client, make(client, text, name))
    assert view["person"] is None
    assert part in view["error"]["text"]
    assert "Traceback" not in view["error"]["text"]
    assert stored_persons() == []


@pytest.mark.parametrize("path", ["/api/persons/names", "/api/persons"])
def test_what_cannot_be_a_person_is_refused(client: TestClient, path: str) -> None:
    more = {} if path.endswith("names") else {"name": "Anna"}
    for game, status in (("breakthrough", 422), ("rbc", 422), ("poker", 422)):
        answer = client.post(path, json={"game": game, "text": "", **more})
        assert (answer.status_code, "detail" in answer.json()) == (status, True)
    answer = client.post(path, json={"game": "chess", "text": "x" * 16_000_001, **more})
    assert answer.status_code == 422
    answer = client.post(path, content=b"x" * ((1 << 25) + 1))
    assert answer.status_code == 413
    offers = {offer["name"]: offer["can_make_persons"] for offer in client.get("/api/catalogue").json()}
    assert (offers["chess"], offers["go"], offers["shogi"]) == (None, None, None)
    assert "Breakthrough" in offers["breakthrough"]["text"]


def test_names_that_nobody_has_are_refused(client: TestClient) -> None:
    for text in ("", "hello", "1. e4 e5 *", "\0" * 99, "(;" * 9000):
        answer = client.post("/api/persons/names", json={"game": "chess", "text": text})
        assert (answer.status_code, "detail" in answer.json()) == (422, True)


def test_what_was_learned_is_said_without_units_of_the_laboratory() -> None:
    measured = "The latest 10 games: +0.5942 nats a move (+0.4937 to +0.6807), top-1 0.194 {} ({} to +0.05)."
    assert "22 of 100" in learned(measured.format("+0.0306", "+0.01"))
    assert "not clearly" in learned(measured.format("+0.0306", "-0.01"))
    assert learned("") == ""
