"""Three numbers of a real server: `python -m tests.robustness.server_limits OUT.json`.

How long Ctrl-C takes while it works, how much memory 300 games of the heaviest players take, and how soon the
searches of 130 deleted games end. `--only memory --games 12 --seconds 30` measures one number, in small.
"""

from __future__ import annotations

import contextlib
import json
import random
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx

from sparring.base.provenance import provenance
from sparring.measure.reports import write_json
from tests.robustness.game_files import games_of_anna
from tests.robustness.page_server import HEAVY, request, server_process

DELETIONS = 130
HEAVIEST: tuple[dict[str, Any], ...] = (
    {"game": "breakthrough", "you": 1, "opponent": {"strength": 9, "think_time": "none"}},
    {"game": "expendibots", "you": 1, "opponent": {"strength": 9, "think_time": "none"}},
    HEAVY,
    {"game": "go", "you": 1, "opponent": {"rating": "5d", "nodes": 800, "think_time": "none"}},
    {"game": "rbc", "you": 1, "opponent": {"bot": "planner", "seconds": 2, "think_time": "none"}},
    {"game": "rbc", "you": 1, "opponent": {"bot": "inference-4", "think_time": "none"}},
)
Ask = Callable[[str, str, Any], None]


def main() -> None:
    """Measures, and writes the numbers to a file."""
    parser = ArgumentParser()
    parser.add_argument("out", type=Path)
    parser.add_argument("--only", choices=("ctrl_c", "deletions", "memory"), help="one of the numbers")
    parser.add_argument("--games", type=int, default=300, help="heavy games whose memory is measured")
    parser.add_argument("--seconds", type=int, default=240, help="time for which they are watched")
    wanted = parser.parse_args()
    numbers: dict[str, Callable[[], dict[str, Any]]] = {
        "ctrl_c": lambda: {name: ctrl_c(name) for name in _CASES},
        "deletions": deletions,
        "memory": lambda: memory(wanted.games, wanted.seconds),
    }
    measured = {name: measure() for name, measure in numbers.items() if wanted.only in (None, name)}
    command = shlex.join(["python", "-m", "tests.robustness.server_limits", wanted.out.name, *sys.argv[2:]])
    write_json({**measured, **provenance(command)}, wanted.out)
    print(json.dumps(measured, indent=1))


@contextlib.contextmanager
def _server() -> Iterator[tuple[subprocess.Popen[str], httpx.Client, tuple[str, int]]]:
    with (
        tempfile.TemporaryDirectory(prefix="sparring-limits-") as folder,
        server_process(Path(folder)) as (server, address),
        httpx.Client(base_url=address, timeout=120) as client,
    ):
        port = httpx.URL(address).port
        assert port is not None
        yield server, client, ("127.0.0.1", port)


# Ctrl-C.


def _idle(client: httpx.Client, send: Ask) -> None:
    assert client.get("/api/games").status_code == 200


def _searches(client: httpx.Client, send: Ask) -> None:
    for _ in range(10):
        assert client.post("/api/games", json=HEAVY).status_code == 201


def _tournament(client: httpx.Client, send: Ask) -> None:
    player = {"game": "chess", "opponent": {"rating": 1500, "nodes": 3200}}
    body = {"game": "chess", "players": [player["opponent"], {"rating": 1600, "nodes": 3200}], "games": 4}
    assert client.post("/api/tournaments", json=body).status_code == 201


def _understanding(client: httpx.Client, send: Ask) -> None:
    for _ in range(6):
        send("POST", "/api/understand", {"game": "go", "options": {"size": 19}})


def _review(client: httpx.Client, send: Ask) -> None:
    for _ in range(2):
        record = games_of_anna(random.Random(1), 1, 120)
        assert client.post("/api/reviews", json={"game": "chess", "record": record}).status_code < 300


def _person(client: httpx.Client, send: Ask) -> None:
    body = {"game": "chess", "name": "Anna", "text": games_of_anna(random.Random(1), 60)}
    assert client.post("/api/persons", json=body).status_code < 300


def _hints(client: httpx.Client, send: Ask) -> None:
    for _ in range(4):
        game = client.post("/api/games", json={**HEAVY, "you": 0}).json()
        send("GET", f"/api/games/{game['id']}/hint", None)


def _half_body(client: httpx.Client, send: Ask) -> None:
    send("HALF", "/api/games", {"game": "chess"})


_CASES: dict[str, Callable[[httpx.Client, Ask], None]] = {
    "idle": _idle,
    "ten searches of 3,200 nodes": _searches,
    "a tournament of players with 3,200 nodes": _tournament,
    "six questions about 19x19 Go": _understanding,
    "two reviews": _review,
    "a person being made": _person,
    "four hints": _hints,
    "a half-sent body": _half_body,
}


def ctrl_c(case: str, runs: int = 3) -> dict[str, Any]:
    """The seconds from SIGINT to the end of the process, in some runs."""
    ended = [_interrupted(case, 0.5 + run) for run in range(runs)]
    seconds, codes, errors = zip(*ended, strict=True)
    return {"seconds": seconds, "codes": codes, "tracebacks": sum("Traceback" in text for text in errors)}


def _interrupted(case: str, after: float) -> tuple[float, int, str]:
    """The seconds that the server takes to end, its exit status, and what it wrote to stderr."""
    with _server() as (server, client, address), contextlib.ExitStack() as connections:

        def send(method: str, path: str, body: Any) -> None:
            connection = connections.enter_context(socket.create_connection(address))
            half = method == "HALF"
            content = request(address, "POST" if half else method, path, body)
            connection.sendall(content[:-5] if half else content)

        _CASES[case](client, send)
        time.sleep(after)
        assert server.stderr is not None
        with ThreadPoolExecutor(1) as pool:
            errors = pool.submit(server.stderr.read)
            began = time.monotonic()
            server.send_signal(signal.SIGINT)
            code = server.wait(timeout=120)
            return round(time.monotonic() - began, 2), code, errors.result()


# Deletions.


def deletions() -> dict[str, Any]:
    """Games that begin with a search of seconds, each deleted at once; then a game and its answer."""
    with _server() as (server, client, _):
        began = time.monotonic()
        for _ in range(DELETIONS):
            game = client.post("/api/games", json=HEAVY)
            assert game.status_code == 201, game.text
            assert client.delete(f"/api/games/{game.json()['id']}").status_code == 204
        took = time.monotonic() - began
        listed = len(client.get("/api/games").json())
        begun = time.monotonic()
        game = client.post(
            "/api/games?wait=60",
            json={"game": "chess", "you": 1, "opponent": {"level": 1500, "think_time": "none"}},
        )
        answered = game.json()
        while not answered["moves"]:
            answered = client.get(f"/api/games/{answered['id']}?wait=10").json()
        answer = time.monotonic() - begun
        time.sleep(2)
        before = _cpu_seconds(server.pid)
        time.sleep(5)
        idle = _cpu_seconds(server.pid) - before
    return {
        "deletions": DELETIONS,
        "seconds": round(took, 1),
        "games_listed": listed,
        "new_game_and_answer_seconds": round(answer, 2),
        "cpu_seconds_in_5_s_afterwards": round(idle, 2),
    }


# Memory.


def memory(games: int, watched: int) -> dict[str, Any]:
    """The largest resident memory while games of the heaviest players compute, and after them."""
    with _server() as (server, client, _):
        begin, peak = _resident(server.pid), 0
        created_games = 0
        began = time.monotonic()
        while created_games < games:
            body = HEAVIEST[created_games % len(HEAVIEST)]
            answer = client.post("/api/games", json=body)
            if answer.status_code == 429:
                time.sleep(0.2)
                assert time.monotonic() - began < watched, answer.text
                continue
            assert answer.status_code == 201, answer.text
            created_games += 1
            peak = max(peak, _resident(server.pid))
        created = time.monotonic() - began
        while time.monotonic() - began < watched:
            peak = max(peak, _resident(server.pid))
            time.sleep(0.5)
        return {
            "games": games,
            "created_in_seconds": round(created, 1),
            "watched_seconds": round(time.monotonic() - began),
            "mb_before": begin // 1_000_000,
            "mb_peak": peak // 1_000_000,
            "mb_at_the_end": _resident(server.pid) // 1_000_000,
            "mb_high_water": _status(server.pid, "VmHWM") // 1_000_000,
        }


def _resident(pid: int) -> int:
    return _status(pid, "VmRSS")


def _status(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(f"{name}:"))


def _cpu_seconds(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / 100


if __name__ == "__main__":
    main()
