"""The page's server for the trials: in this process, at a port, or as a process of its own."""

from __future__ import annotations

import atexit
import contextlib
import json
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.server import game_host
from sparring.server.app import create_app
from sparring.server.security import VISITOR_COOKIE, Access, TimedProtocol
from tests.waiting import wait_until

TOKEN = "secret"
WEAK = {"kind": "strength", "strength": 1, "think_time": "none"}
NEW = {"game": "breakthrough", "opponent": WEAK, "seed": 1}
HEAVY = {"game": "chess", "you": 1, "opponent": {"rating": 1500, "nodes": 3200, "think_time": "none"}}
"""A game that begins with a search of seconds."""
_PROGRAM = "import sys; from sparring.cli import main; sys.exit(main())"


@contextlib.contextmanager
def page_client(folder: Path, token: str | None = None) -> Iterator[TestClient]:
    """A client of a server with the games of a folder. An exception in the server is raised here."""
    app = create_app(folder / "page.sqlite", Access(hosts=("testserver",), token=token), None)
    bearer = {} if token is None else {"Authorization": f"Bearer {token}"}
    with TestClient(app, headers=bearer) as client:
        client.get("/")  # a visitor's cookie comes with the page
        yield client


@cache
def shared_client() -> TestClient:
    """A client of a server that lives as long as this process; trials delete what they make."""
    folder = tempfile.TemporaryDirectory(prefix="sparring-server-")
    atexit.register(folder.cleanup)
    stack = contextlib.ExitStack()
    client = stack.enter_context(page_client(Path(folder.name)))
    threading._register_atexit(stack.close)  # type: ignore[attr-defined]  # before threads cannot be started
    return client


def played(client: TestClient) -> Any:
    """A game with a move of the person and the answer to it."""
    game = client.post("/api/games", json=NEW).json()
    move = {"move": "d2d3", "ply": 0}
    return client.post(f"/api/games/{game['id']}/moves?wait=60", json=move).json()


def own_cookie(client: TestClient) -> str:
    """The cookie line of the client's visitor, whom it forgets."""
    line = f"{VISITOR_COOKIE}={client.cookies.get(VISITOR_COOKIE, 'nobody')}"
    client.cookies.clear()
    return line


@contextlib.contextmanager
def listening(app: FastAPI) -> Iterator[tuple[str, int]]:
    """The host and port of a server in a thread of this process, with the protocol of `sparring serve`."""
    place = socket.socket()
    place.bind(("127.0.0.1", 0))
    place.listen(128)
    config = uvicorn.Config(
        app,
        http=TimedProtocol,
        ws="websockets-sansio",
        log_level="critical",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [place]})
    thread.start()
    try:
        wait_until(lambda: server.started or not thread.is_alive(), "the server starts")
        yield place.getsockname()
    finally:
        server.should_exit = True
        thread.join()


def request(address: tuple[str, int], method: str, path: str, body: object = None) -> bytes:
    """The bytes of a request."""
    content = b"" if body is None else json.dumps(body).encode()
    head = (
        f"{method} {path} HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\nContent-Type: application/json\r\n"
    )
    return f"{head}Content-Length: {len(content)}\r\n\r\n".encode() + content


@contextlib.contextmanager
def server_process(folder: Path, *options: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """`sparring serve` with the games of a folder, and its address. It is killed at the end."""
    command = [
        sys.executable,
        "-c",
        _PROGRAM,
        "serve",
        "--port",
        "0",
        "--no-browser",
        "--folder",
        str(folder),
    ]
    server = subprocess.Popen(
        [*command, *options],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert server.stdout is not None
    assert server.stderr is not None
    try:
        line = server.stdout.readline()
        assert line, server.stderr.read()
        yield server, line.split()[4].rstrip("/")
    finally:
        server.send_signal(signal.SIGKILL)
        server.wait()
        server.stdout.close()
        server.stderr.close()


def without_pauses() -> None:
    """Opponents answer at once, in all trials of this process."""
    game_host.LONGEST_PAUSE = game_host.SHORTEST_PAUSE = 0.0
