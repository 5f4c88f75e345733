"""Work whose client leaves: hints, insights, reviews, the deck, new games, persons. All of it ends."""

from __future__ import annotations

import os
import random
import socket
import subprocess
import threading
import time
from pathlib import Path
from typing import Any
from unittest import mock

import httpx

from sparring.games import load_game
from sparring.server import review
from sparring.server.app import create_app
from sparring.server.deck import Card
from sparring.server.security import OWNER, Access
from tests.robustness.game_files import games_of_anna
from tests.robustness.page_server import HEAVY, WEAK, listening, request
from tests.robustness.trials import surface
from tests.waiting import wait_until

_KINDS = (
    "hint", "warning", "review", "creation", "understand", "safer", "deck", "thinking", "person",
    "closed person",
)  # fmt: skip
_MISTAKE = Card(
    "chess", load_game("chess").initial().text(), ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5"], "g8f6", 0.98,
    "blunder", "g7g6", ["g7g6", "h5f3", "g8f6"], 0.5,
)  # fmt: skip
_ENDS_WITHIN = 60
"""Seconds; a machine with other work searches slowly."""


@surface("abandoned-work", trials=30, few=1)
def abandoned_work(rng: random.Random, folder: Path) -> None:
    """A client asks for one to four things and closes its connections."""
    app = create_app(folder / "page.sqlite", Access(hosts=("127.0.0.1",)), None)
    home = {"SPARRING_HOME": str(folder / "home")}
    with (
        mock.patch.dict(os.environ, home),
        mock.patch.object(review, "_UNASKED_SECONDS", 0.5),
        listening(app) as address,
        httpx.Client(base_url=f"http://{address[0]}:{address[1]}", timeout=120) as client,
    ):
        kind = _KINDS[rng.randrange(len(_KINDS))]
        (card,) = app.state.deck.add(OWNER, [_MISTAKE]).cards
        for path, body in _requests(rng, kind, client, card):
            with socket.create_connection(address) as connection:
                connection.sendall(request(address, "GET" if body is None else "POST", f"/api/{path}", body))
                time.sleep(rng.random() / 2)
        if kind in ("person", "closed person"):
            body = {"game": "chess", "name": "Anna", "text": games_of_anna(rng, 30)}
            job = client.post("/api/persons", json=body).json()["job"]
            time.sleep(2 * rng.random())
            if kind == "person":
                assert client.delete(f"/api/persons/jobs/{job}").status_code == 204
                wait_until(lambda: not _workers(), "the person's process ends", _ENDS_WITHIN)
        elif kind == "thinking":
            for game in client.get("/api/games").json():
                assert client.delete(f"/api/games/{game['id']}").status_code == 204
        if kind != "closed person":
            wait_until(lambda: _works(app) == [], f"the work of '{kind}' ends", _ENDS_WITHIN)
        assert client.get("/api/games").status_code == 200
    wait_until(lambda: not _workers(), "the person's process ends with the server", _ENDS_WITHIN)


def _requests(rng: random.Random, kind: str, client: httpx.Client, card: str) -> list[tuple[str, Any]]:
    count = rng.randint(1, 4)
    if kind in ("hint", "warning"):
        games = [
            client.post("/api/games", json={"game": "chess", "opponent": WEAK}).json() for _ in range(count)
        ]
        asked = "hint" if kind == "hint" else "warning?move=g2g4&ply=0"
        return [(f"games/{game['id']}/{asked}", None) for game in games]
    if kind == "deck":
        return [
            (f"deck/cards/{card}/try", {"move": move}) for move in ("d8f6", "d8e7", "g8h6", "a7a6")[:count]
        ]
    if kind == "safer":
        return [("understand/safer", {"game": "go", "moves": ["D4", "Q16"]}) for _ in range(count)]
    if kind == "review":
        return [("reviews", {"game": "chess", "record": games_of_anna(rng, 1, 120)}) for _ in range(count)]
    if kind == "understand":
        return [("understand", {"game": "go", "moves": ["D4", "Q16"]}) for _ in range(count)]
    if kind in ("creation", "thinking"):
        heavy: dict[str, Any] = {**HEAVY, "opponent": {**HEAVY["opponent"], "nodes": rng.choice((200, 800))}}  # type: ignore[dict-item]
        return [("games", heavy) for _ in range(count)]
    return []


def _works(app: Any) -> list[str]:
    """What the server computes now."""
    threads = [thread.name for thread in threading.enumerate() if thread.name.startswith("evaluator")]
    host, reviews = app.state.host, app.state.reviews
    running = [name for name, entry in reviews._reviews.items() if review._runs(entry)]
    thinking = [hosted.id for hosted in host._games.values() if hosted.player_task is not None]
    return [*threads, *running, *thinking, *host._computations]


def _workers() -> list[int]:
    """Processes of this one that make persons."""
    table = subprocess.run(
        ["ps", "-ewwo", "pid=,ppid=,stat=,args="], capture_output=True, text=True, check=True
    )
    rows = [line.split(maxsplit=3) for line in table.stdout.splitlines()]
    return [
        int(pid)
        for pid, parent, state, command in rows
        if int(parent) == os.getpid() and "person_job" in command and not state.startswith("Z")
    ]
