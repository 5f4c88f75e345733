"""The page's server under load: 100 games at once over HTTP against the networks alone.

Clients play random legal moves and wait for the opponent's answer; each has a game of its own and sends its
next move at once. The server is the program that people start (`sparring serve`). Clients and server share
the cores of the machine. The time to answer is that of the request until the opponent's move is in the
response, stored on the disk. Its peer is the time that the network alone takes for its share of the batches:
for as many positions as all games evaluate for one move each. Rows are games a second at the 95th percentile
of the time to answer, against games a second of the network. A third is required.

A row is memory: resident megabytes of the server after a fifth of the moves of the longest run, against those
after all of them. Any error response fails the benchmark.
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from bench.result import BenchmarkResult
from sparring.games import load_game
from sparring.networks import Position
from sparring.policies import load_policy

GAMES = 100
MIN_RATIO = 1 / 3
MEMORY_RATIO = 0.95
_LONGEST_GAME = 120
"""Plies after which a client resigns and begins another game."""


@dataclass(frozen=True)
class Load:
    """A kind of game that all clients play."""

    label: str
    game: str
    opponent: dict[str, Any]
    moves: int
    """Moves that are answered."""
    evaluations: int = 1
    """Positions that the network evaluates for a move."""
    options: dict[str, Any] = field(default_factory=dict)


LOADS = (
    Load("chess, level 1400", "chess", {"level": 1400}, int(os.environ.get("SPARRING_BENCH_MOVES", 10_000))),
    Load("chess, search of 4 nodes", "chess", {"rating": 1500, "nodes": 4}, 600, 4),
    Load("shogi", "shogi", {"kind": "human"}, 1_000),
    Load("Go 9x9, rank 5k", "go", {"rating": "5k"}, 1_000, options={"size": 9}),
)


class ServerProcess:
    """`sparring serve` in a folder of its own."""

    def __init__(self, folder: str) -> None:
        program = "import sys; from sparring.cli import main; sys.exit(main())"
        serve = ["serve", "--port", "0", "--no-browser", "--folder", folder]
        self.process = subprocess.Popen(
            [sys.executable, "-c", program, *serve], stdout=subprocess.PIPE, text=True
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline().split()[4].rstrip("/").rsplit(":", 1)[1])

    def resident_megabytes(self) -> float:
        """Memory of the process that is in RAM."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        (line,) = (each for each in status.splitlines() if each.startswith("VmRSS"))
        return int(line.split()[1]) / 1024

    def close(self) -> None:
        """Ends the server."""
        self.process.terminate()
        self.process.wait()


class Client:
    """One visitor over one connection at a time. It is as small as possible: the machine is the server's."""

    def __init__(self, port: int) -> None:
        self._port, self._cookie = port, ""

    async def __aenter__(self) -> Client:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 22)
        return self

    async def __aexit__(self, *error: object) -> None:
        self._writer.close()
        await self._writer.wait_closed()

    async def post(self, path: str, body: dict[str, Any]) -> dict[str, Any]:
        """The response to a request with a body. Raises RuntimeError for an error."""
        return await self._request("POST", path, json.dumps(body).encode())

    async def get(self, path: str) -> dict[str, Any]:
        """The response to a request. Raises RuntimeError for an error."""
        return await self._request("GET", path, b"")

    async def _request(self, method: str, path: str, content: bytes) -> dict[str, Any]:
        head = (
            f"{method} {path} HTTP/1.1\r\nHost: localhost:{self._port}\r\nContent-Type: application/json\r\n"
        )
        head += f"Cookie: {self._cookie}\r\nContent-Length: {len(content)}\r\n\r\n"
        self._writer.write(head.encode() + content)
        answer = (await self._reader.readuntil(b"\r\n\r\n")).decode()
        length = 0
        for line in answer.split("\r\n")[1:]:
            name, _, value = line.partition(":")
            if name.lower() == "content-length":
                length = int(value)
            if name.lower() == "set-cookie":
                self._cookie = value.split(";")[0].strip()
        found: dict[str, Any] = json.loads(await self._reader.readexactly(length))
        if answer.split()[1] not in ("200", "201"):
            raise RuntimeError(f"{path}: {answer.split()[1]} {found}")
        return found


@dataclass
class Progress:
    """What all clients have done so far."""

    seconds: list[float] = field(default_factory=list)
    """Time to answer of each move."""
    ratios: list[float] = field(default_factory=list)
    """The same in times of the network alone."""
    memory: dict[int, float] = field(default_factory=dict)
    """Megabytes after so many moves."""


def measure() -> Iterator[BenchmarkResult]:
    """A row for each load, and one for memory."""
    for load in LOADS:
        with tempfile.TemporaryDirectory() as folder:
            server = ServerProcess(folder)
            try:
                progress = asyncio.run(play(server, load))
            finally:
                server.close()
        late, ratio = (float(np.quantile(each, 0.95)) for each in (progress.seconds, progress.ratios))
        print(
            f"{load.label}: {len(progress.seconds):,} moves, median {np.median(progress.seconds):.3f} s, "
            f"95th percentile {late:.3f} s, in times of the network {ratio:.2f}; memory {progress.memory}",
            file=sys.stderr,
        )
        label = f"{load.label}: {GAMES} games at once"
        ours = GAMES / late
        yield BenchmarkResult(label, "the network alone", ours, ours * ratio, "games/s", MIN_RATIO)
        if load is LOADS[0]:
            early, last = progress.memory[min(progress.memory)], progress.memory[max(progress.memory)]
            label = f"{load.label}: memory after {load.moves // 5:,} and {load.moves:,} moves"
            yield BenchmarkResult(label, "the end", early, last, "MB", MEMORY_RATIO)


class NetworkAlone:
    """The network's time for its share of the batches: one move of each game."""

    def __init__(self, load: Load) -> None:
        rules, rng = load_game(load.game, **load.options), random.Random(1)
        self._policy, self._load = load_policy("blend", load.game), load
        rating = {"chess": 1400, "go": -5}.get(load.game)
        self._positions = []
        for _ in range(GAMES):
            state = rules.initial()
            for _ in range(rng.randrange(10, 40)):
                following = rules.play(state, rng.choice(rules.legal_moves(state)))
                state = state if rules.outcome(following) is not None else following
            self._positions.append(Position(state, rating, rating))
        self._policy.predict(self._positions)

    def seconds(self) -> float:
        """The time, now: the mean of three."""
        began = time.perf_counter()
        for _ in range(3):
            self._policy.predict(self._positions)
        return (time.perf_counter() - began) / 3 * self._load.evaluations


async def play(server: ServerProcess, load: Load) -> Progress:
    """All games at once, until enough moves are answered.

    The network alone is measured while the clients rest, before and after each tenth of the moves, since
    other programs of the machine come and go.
    """
    progress, alone = Progress(), NetworkAlone(load)
    visitors = [Visitor(Client(server.port), load, random.Random(number)) for number in range(GAMES)]
    before = alone.seconds()
    for tenth in range(1, 11):
        first, until = len(progress.seconds), load.moves * tenth // 10
        async with asyncio.TaskGroup() as group:
            for visitor in visitors:
                group.create_task(visitor.play(progress, until))
        after = alone.seconds()
        progress.ratios += [2 * second / (before + after) for second in progress.seconds[first:]]
        before = after
        if tenth > 1:
            progress.memory[len(progress.seconds)] = round(server.resident_megabytes(), 1)
    return progress


class Visitor:
    """Plays one game after the other with random moves."""

    def __init__(self, client: Client, load: Load, rng: random.Random) -> None:
        self._client, self._load, self._rng = client, load, rng
        self._view: dict[str, Any] | None = None

    async def play(self, progress: Progress, until: int) -> None:
        """Plays on until so many moves of all visitors are answered."""
        async with self._client:
            while len(progress.seconds) < until:
                view = await self._open_game()
                if view["phase"] == "counting":
                    self._view = await self._client.post(f"/api/games/{view['id']}/agree", {})
                    continue
                move = {"move": self._rng.choice(view["legal"])["text"], "ply": view["ply"]}
                began = time.perf_counter()
                self._view = await self._client.post(f"/api/games/{view['id']}/moves?wait=60", move)
                while self._view["phase"] == "thinking":  # the machine is very busy
                    self._view = await self._client.get(f"/api/games/{view['id']}")
                    await asyncio.sleep(0.1)
                progress.seconds.append(time.perf_counter() - began)

    async def _open_game(self) -> dict[str, Any]:
        """The game in progress, or a new one if it is over or long."""
        view = self._view
        if view is not None and view["phase"] != "over":
            if view["ply"] <= _LONGEST_GAME:
                return view
            await self._client.post(f"/api/games/{view['id']}/resign", {})
        load = self._load
        opponent = load.opponent | {"think_time": "none"}
        body = {"game": load.game, "opponent": opponent, "options": load.options}
        self._view = await self._client.post("/api/games", body | {"seed": self._rng.randrange(1 << 30)})
        return self._view
