"""Processes that are killed (-9) at any moment: what was answered is there, and the folder opens again."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

import httpx

from sparring.players import load_player_file
from sparring.players.persons import person_file, stored_persons
from tests.robustness.game_files import games_of_anna
from tests.robustness.page_server import NEW, page_client, server_process
from tests.robustness.trials import run_command, surface
from tests.waiting import wait_until

_PROGRAM = "import sys; from sparring.cli import main; sys.exit(main())"
_KILLED_AT_WRITE = """
import os, signal, sys
from sparring.cli import main
left, replace = [int(sys.argv[1])], os.replace
def replaced(source, target, **options):
    left[0] -= 1
    if left[0] < 0:
        os.kill(os.getpid(), signal.SIGKILL)
    replace(source, target, **options)
os.replace = replaced
main(sys.argv[2:])
"""
_CUP = """
name = "cup"
game = "breakthrough"
games = 12
seed = 1
[adjudication]
plies = 40
[[player]]
name = "a"
strength = 1
[[player]]
name = "b"
strength = 1
"""


@surface("kills-page", trials=60, few=1)
def kills_page(rng: random.Random, folder: Path) -> None:
    """The server is killed while people play, review, make a person and watch a tournament."""
    answered: dict[str, list[str]] = {}
    sent: dict[str, str] = {}
    jobs = rng.sample(("play", "review", "tournament", "person"), rng.randint(1, 3))
    home = {"SPARRING_HOME": str(folder / "home")}
    with mock.patch.dict(os.environ, home), server_process(folder) as (server, address):
        threads = [
            threading.Thread(target=_work, args=(job, address, random.Random(rng.random()), answered, sent))
            for job in (*jobs, "play", "play")
        ]
        for thread in threads:
            thread.start()
        wait_until(lambda: answered or not any(thread.is_alive() for thread in threads), "a game begins")
        time.sleep(2 * rng.random() ** 2)
        os.kill(server.pid, signal.SIGKILL)
        for thread in threads:
            thread.join(120)
            assert not thread.is_alive()
        wait_until(lambda: not _processes_of(server.pid), "its processes end")
    with mock.patch.dict(os.environ, home), page_client(folder) as client:
        assert len(stored_persons("chess")) <= 1
        assert client.get("/api/catalogue").status_code == 200
        assert client.get("/api/tournaments").status_code == 200
        assert answered, "no game was answered"
        for game, moves in answered.items():
            view = client.get(f"/api/games/{game}").json()
            texts = [move["text"] for move in view["moves"]]
            assert texts[: len(moves)] == moves, (texts, moves)
            assert len(texts) <= len(moves) + 4, (texts, moves)
            assert texts[len(moves) :][:1] in ([], [sent.get(game)]) or len(moves) % 2, (texts, moves)
        view = client.post("/api/games", json=NEW).json()
        body = {"move": view["legal"][0]["text"], "ply": view["ply"]}
        assert client.post(f"/api/games/{view['id']}/moves?wait=60", json=body).json()["ply"] == 2


def _work(
    job: str, address: str, rng: random.Random, answered: dict[str, list[str]], sent: dict[str, str]
) -> None:
    """Does something on the page until the server is gone. Notes the moves that were answered."""
    try:
        with httpx.Client(base_url=address, timeout=60) as client:
            if job == "review":
                view = client.post(
                    "/api/reviews", json={"game": "chess", "record": games_of_anna(rng, 1, 80)}
                ).json()
                while not client.get(f"/api/reviews/{view['id']}").json()["done"]:
                    time.sleep(0.05)
            elif job == "tournament":
                body = {"game": "breakthrough", "players": [{"strength": 1}] * 2, "games": 50, "pace": 0}
                client.post("/api/tournaments", json=body)
            elif job == "person":
                client.post(
                    "/api/persons", json={"game": "chess", "name": "Anna", "text": games_of_anna(rng, 12)}
                )
            else:
                while True:
                    view = client.post("/api/games", json=NEW).json()
                    answered[view["id"]] = []
                    _play(client, rng, view, answered, sent)
    except httpx.HTTPError:
        pass


def _play(
    client: httpx.Client, rng: random.Random, view: Any, answered: dict[str, list[str]], sent: dict[str, str]
) -> None:
    """Plays a game to its end."""
    while view["phase"] == "move":
        sent[view["id"]] = rng.choice(view["legal"])["text"]
        body = {"move": sent[view["id"]], "ply": view["ply"]}
        view = client.post(f"/api/games/{view['id']}/moves?wait=60", json=body).json()
        answered[view["id"]] = [move["text"] for move in view["moves"]]


def _processes_of(session: int) -> list[str]:
    """The processes of a session that run."""
    table = subprocess.run(["ps", "-eo", "sid=,stat=,pid="], capture_output=True, text=True, check=True)
    rows = [line.split() for line in table.stdout.splitlines()]
    return [pid for sid, state, pid in rows if int(sid) == session and not state.startswith("Z")]


@surface("kills-train-person", trials=20, few=1)
def kills_train_person(rng: random.Random, folder: Path) -> None:
    """`train person` is killed: there is a player that can be loaded, or none, and the next run makes one."""
    (folder / "games.pgn").write_text(games_of_anna(rng, 10, 8))
    words = ["train", "person", "chess", "-r", str(folder / "games.pgn"), "--name", "Anna"]
    with mock.patch.dict(os.environ, {"SPARRING_HOME": str(folder / "home")}):
        for _ in range(rng.randint(1, 2)):
            if rng.random() < 0.5:
                command = [sys.executable, "-c", _KILLED_AT_WRITE, str(rng.randrange(3)), *words]
                subprocess.run(command, capture_output=True, check=False, timeout=150)
            else:
                command = [sys.executable, "-c", _PROGRAM, *words]
                with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as run:
                    time.sleep(8 * rng.random())
                    run.kill()
            _check_person()
        if rng.random() < 0.3:
            done = run_command(words)
            assert done.code == 0, done
            assert [person.name for person in stored_persons("chess")] == ["Anna"]
            _check_person()


def _check_person() -> None:
    for person in stored_persons("chess"):
        load_player_file(person.path).close()
    path = person_file("Anna", "chess")
    assert not path.exists() or stored_persons("chess"), "a player without its model is broken"


@surface("kills-arena", trials=20, few=1)
def kills_arena(rng: random.Random, folder: Path) -> None:
    """`arena run` is killed with its workers: the next run has every game once."""
    (folder / "cup.toml").write_text(_CUP)
    words = ["arena", "run", str(folder / "cup.toml"), "--out", str(folder / "cup")]
    for _ in range(rng.randint(1, 2)):
        command = [sys.executable, "-c", _PROGRAM, *words]
        with subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
        ) as run:
            results, games = folder / "cup" / "results.jsonl", rng.randint(0, 11)
            deadline = time.monotonic() + 100
            while run.poll() is None and time.monotonic() < deadline:
                if results.exists() and results.read_bytes().count(b"\n") >= games:
                    break
                time.sleep(0.002)
            if rng.random() < 0.5:
                os.killpg(run.pid, signal.SIGKILL)
            run.kill()
        wait_until(lambda session=run.pid: not _processes_of(session), "the workers end")  # type: ignore[misc]
    done = run_command(words)
    assert done.code == 0, done
    rows = [json.loads(line) for line in (folder / "cup" / "results.jsonl").read_text().splitlines()]
    assert sorted(row["number"] for row in rows) == list(range(len(rows))), rows
    assert len(rows) == 12
    assert (folder / "cup" / "games.pgn").read_text().count("[Result ") == 12
