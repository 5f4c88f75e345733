"""Connections to the page's server: slow clients, broken HTTP, hostile frames of WebSockets."""

from __future__ import annotations

import base64
import contextlib
import os
import random
import socket
import struct
import threading
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from unittest import mock

import httpx

from sparring.server import security
from sparring.server.app import create_app
from sparring.server.security import Access
from tests.robustness.page_server import NEW, listening, request
from tests.robustness.trials import mutated, surface

_SILENT = 900
"""Followers of a game that never say anything."""
_CROWDED = 0.1
"""Share of the trials that have them."""
_HEADERS_WITHIN = 0.3
"""Seconds for the headers of a request, instead of 20."""
_BODY_WITHIN = 1.0
"""Seconds for a whole request, instead of 120."""
_SOON = 20
"""Seconds in which a busy machine does what should be done at once."""
_GET = "GET /api/games HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n"
_NEW_GAME = (
    "POST /api/games HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\nContent-Type: application/json\r\n{}\r\n\r\n{}"
)
_BODY = '{"game":"chess"}'
_FRAMES = (
    _NEW_GAME.format("Content-Length: 16\r\nContent-Length: 3", _BODY),
    _NEW_GAME.format("Content-Length: -1", _BODY),
    _NEW_GAME.format("Content-Length: 16\r\nTransfer-Encoding: chunked", "0\r\n\r\nGET / HTTP/1.1\r\n\r\n"),
    _NEW_GAME.format("Transfer-Encoding: chunked", "ffffffffffffffff\r\nx"),
    _NEW_GAME.format("Transfer-Encoding: chunked", "-1\r\n\r\n0\r\n\r\n"),
    _NEW_GAME.format("Transfer-Encoding: chunked",
    "10;x=" + "y" * 9000 + f"\r\n{_BODY}\r\n0\r\nX: y\r\n\r\n"),
    _NEW_GAME.format("Transfer-Encoding: gzip, chunked", f"10\r\n{_BODY}\r\n0\r\n\r\n"),
    _NEW_GAME.format("Transfer-Encoding: x", _BODY), _NEW_GAME.format("Content-Length: 9" + "9" * 400, _BODY),
    _NEW_GAME.format("Content-Length: \u0663", _BODY), _NEW_GAME.format("Expect: 100-continue", ""),
    _NEW_GAME.format("Content-Encoding: gzip\r\nContent-Length: 16", _BODY),
    f"{_GET}Upgrade: h2c\r\nConnection: Upgrade, HTTP2-Settings\r\nHTTP2-Settings: AAMA\r\n\r\n",
    f"{_GET}\r\n" * 20, f"{_GET}X: {'y' * 200_000}\r\n\r\n", f"{_GET}X\r\n y\r\n\r\n", f"{_GET} X: y\r\n\r\n",
    "GET http://evil.com/api/games HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n", "GET /api/games\r\n\r\n",
    "GET /api/games HTTP/9.9\r\nHost: 127.0.0.1:PORT\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03", f"{_GET}Host: evil.com\r\n\r\n", "\r\n\r\n\r\n\r\n",
    f"{_GET}".replace("\r\n", "\n") + "\n",
    "GET /" + "a" * 100_000 + " HTTP/1.1\r\nHost: 127.0.0.1:PORT\r\n\r\n",
    f"{_GET}\x00: y\r\n\r\n", f"{_GET}Cookie: {'a=b;' * 9000}\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\nHost: x\r\n\r\n",
)  # fmt: skip


@contextlib.contextmanager
def _server(longest: float = 120.0) -> Iterator[tuple[str, int]]:
    app = create_app(":memory:", Access(hosts=("127.0.0.1",), longest=longest), None)
    with listening(app) as address:
        yield address


def _answers(address: tuple[str, int]) -> None:
    """Fails if the server does not answer."""
    games = httpx.get(f"http://{address[0]}:{address[1]}/api/games", timeout=_SOON)
    assert games.status_code == 200, games.text


@surface("slow-clients", trials=20, few=1)
def slow_clients(rng: random.Random, folder: Path) -> None:
    """Headers a byte at a time, bodies that stop, connections that are never used: all are closed, and others
    are answered meanwhile."""
    kinds = ("byte by byte", "half a header", "half a body", "silent", "after an answer")
    with (
        mock.patch.object(security, "_HEADER_SECONDS", _HEADERS_WITHIN),
        _server(_BODY_WITHIN) as address,
        contextlib.ExitStack() as stack,
    ):
        chosen = rng.choices(kinds, k=rng.randint(3, 12))
        connections = [stack.enter_context(socket.create_connection(address, timeout=_SOON)) for _ in chosen]
        threads = [
            threading.Thread(target=_send_slowly, args=(connection, kind, address))
            for connection, kind in zip(connections, chosen, strict=True)
        ]
        for thread in threads:
            thread.start()
        for _ in range(3):
            _answers(address)
        for connection, kind in zip(connections, chosen, strict=True):
            received = _until_closed(connection)
            expected = {"half a body": b"HTTP/1.1 503", "after an answer": b"HTTP/1.1 200"}.get(kind, b"")
            assert received.startswith(expected), (kind, received[:200])
            assert expected or not received.startswith(b"HTTP/1.1 2"), (kind, received[:200])
        for thread in threads:
            thread.join(_SOON)
        assert httpx.get(f"http://{address[0]}:{address[1]}/api/games").json() == []


def _until_closed(connection: socket.socket) -> bytes:
    """What the server sends until it closes. Raises TimeoutError if it does not close."""
    received = b""
    with contextlib.suppress(ConnectionError):
        while part := connection.recv(65536):
            received += part
    return received


def _send_slowly(connection: socket.socket, kind: str, address: tuple[str, int]) -> None:
    whole = request(address, "POST", "/api/games", NEW)
    head, _, _ = whole.partition(b"\r\n\r\n")
    with contextlib.suppress(OSError):
        if kind == "byte by byte":
            for at in range(len(whole)):
                connection.sendall(whole[at : at + 1])
                time.sleep(0.02)
        elif kind == "half a header":
            connection.sendall(head[: len(head) // 2])
        elif kind == "half a body":
            connection.sendall(whole[:-5])
        elif kind == "after an answer":
            connection.sendall(request(address, "GET", "/api/games") + head[:20])


@surface("framing", trials=24, few=1)
def framing(rng: random.Random, folder: Path) -> None:
    """Broken, doubled and mixed requests are refused or answered; the server goes on."""
    with mock.patch.object(security, "_HEADER_SECONDS", _HEADERS_WITHIN), _server(_BODY_WITHIN) as address:
        for text in rng.choices(_FRAMES, k=4):
            content = text.replace("PORT", str(address[1])).encode("latin-1", "replace")
            if rng.random() < 0.3:
                content = mutated(rng, content, [b"\r\n", b": ", b" ", b"\r\n\r\n"])
            with socket.create_connection(address, timeout=_SOON) as connection:
                with contextlib.suppress(ConnectionError):
                    connection.sendall(content)
                received = _until_closed(connection)
                assert b"HTTP/1.1 500" not in received, (content[:300], received[:300])
                assert received == b"" or received.startswith(b"HTTP/1."), received[:300]
        _answers(address)


@surface("websockets", trials=20, few=1)
def websockets(rng: random.Random, folder: Path) -> None:
    """Hostile frames end the connection or are ignored; the game and its other followers stay, also while
    hundreds of others follow it in silence."""
    silent = _SILENT if rng.random() < _CROWDED else 0
    with (
        _server() as address,
        httpx.Client(base_url=f"http://{address[0]}:{address[1]}", timeout=_SOON) as client,
        contextlib.ExitStack() as stack,
    ):
        game = client.post("/api/games", json=NEW).json()
        for _ in range(silent):
            stack.enter_context(_follow(address, game["id"]))
        for _ in range(rng.randint(1, 4)):
            connection = stack.enter_context(_follow(address, game["id"]))
            with contextlib.suppress(ConnectionError):
                for frame in rng.choices(_hostile_frames(rng), k=rng.randint(1, 4)):
                    connection.sendall(frame)
        move = {"move": "d2d3", "ply": 0}
        after = client.post(f"/api/games/{game['id']}/moves?wait=60", json=move).json()
        assert after["ply"] == 2
        good, received = stack.enter_context(_follow(address, game["id"])), b""
        while b'"d2d3"' not in received:
            part = good.recv(65536)
            assert part, received
            received += part
        assert client.get(f"/api/games/{game['id']}").json()["moves"] == after["moves"]


@contextlib.contextmanager
def _follow(address: tuple[str, int], game: str) -> Iterator[socket.socket]:
    with socket.create_connection(address, timeout=_SOON) as connection:
        key = base64.b64encode(os.urandom(16)).decode()
        connection.sendall(
            f"GET /api/games/{game}/live HTTP/1.1\r\nHost: {address[0]}:{address[1]}\r\n"
            f"Upgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
            f"Sec-WebSocket-Version: 13\r\n\r\n".encode()
        )
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            part = connection.recv(1)
            assert part, head
            head += part
        assert head.startswith(b"HTTP/1.1 101"), head
        yield connection


def _frame(opcode: int, payload: bytes, *, masked: bool = True, length: int | None = None) -> bytes:
    size = len(payload) if length is None else length
    bit = 0x80 if masked else 0
    if size < 126:
        head = bytes([opcode, bit | size])
    elif size < 65536:
        head = bytes([opcode, bit | 126]) + struct.pack(">H", size)
    else:
        head = bytes([opcode, bit | 127]) + struct.pack(">Q", size)
    return head + (b"\x00" * 4 if masked else b"") + payload


def _hostile_frames(rng: random.Random) -> list[bytes]:
    bomb = zlib.compress(b"0" * 1_000_000)
    return [
        _frame(0x81, b'{"move":"d2d3","ply":0}'), _frame(0x81, b"x", masked=False), _frame(0x81, b"\xff\xfe"),
        _frame(0x82, os.urandom(1000)), _frame(0x81, b"x", length=2**63 - 1), _frame(0x83, b"x"),
    _frame(0xF1, b"x"),
        _frame(0x89, b"x" * 126), _frame(0x09, b"x"), _frame(0x80, b"x"), _frame(0x01, b"a" * 100) * 50,
        _frame(0x88, b"\x00"), _frame(0x88, struct.pack(">H", 9999)), _frame(0x88, struct.pack(">H", 1005)),
        _frame(0x81, b"x" * 2_000_000), _frame(0x82, b"x" * 20_000_000), _frame(0xC1, bomb),
        b"GET / HTTP/1.1\r\n\r\n", b"\x00" * 5000,
        _frame(0x89, b"") * 200, os.urandom(rng.randint(1, 300)), b"",
    ]  # fmt: skip
