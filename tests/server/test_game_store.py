"""Stored games survive: a restart of the server, and kills at any moment."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi.testclient import TestClient

from sparring.base.errors import BadFile
from sparring.server.app import create_app
from sparring.server.store import Database
from tests.server.conftest import ACCESS
from tests.server.test_games_api import begin, play, post


def test_games_are_there_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        views = [play(client, begin(client, "chess", clock={"base": 300, "increment": 2}), "e4")]
        rbc = begin(client, "rbc", opponent={"bot": "random"})
        views.append(play(client, play(client, rbc, "sense e7"), "e2e4"))
        views.append(post(client, play(client, begin(client, "go"), "D4"), "resign").json())
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        assert [each["id"] for each in client.get("/api/games").json()] == [v["id"] for v in views[::-1]]
        for view in views:
            found = client.get(f"/api/games/{view['id']}").json()
            for key in ("moves", "position", "phase", "result", "hidden", "players"):
                assert found[key] == view[key], key
        assert play(client, views[0], "d4")["ply"] == 4


def test_periods_of_byoyomi_are_there_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    weak = {"kind": "strength", "strength": 1}
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, "breakthrough", clock="0+3x1", opponent=weak)
        view = play(client, view, view["legal"][0]["text"])
        with client.websocket_connect(f"/api/games/{view['id']}/live") as live:
            assert live.receive_json()["clock"]["periods"] == [3, 3]
            time.sleep(1.2)
            used = play(client, view, view["legal"][0]["text"])["clock"]
            assert used["periods"] == [2, 3]
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        found = client.get(f"/api/games/{view['id']}").json()["clock"]
        assert (found["periods"], found["left"], found["byoyomi"]) == ([2, 3], [0, 0], 1)
        assert client.get("/api/games").json()[0]["clock"] == "0+0 byo-yomi 3x1"


def test_dead_stones_of_go_are_there_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    sgf = "(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[cc];B[gg];W[])"
    weak = {"kind": "strength", "strength": 1}
    with TestClient(create_app(file, ACCESS, None)) as client:
        games = [begin(client, "go", record=sgf, format="sgf", opponent=weak) for _ in range(3)]
        counting, over, resigned = (play(client, view, "pass") for view in games)
        marked = post(client, counting, "dead", points=["C7"]).json()["counting"]
        assert marked != counting["counting"]
        post(client, over, "dead", points=["C7"])
        agreed = post(client, over, "agree").json()
        assert agreed["counting"] == marked
        assert post(client, resigned, "resign").json()["counting"] is None
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        shown = [client.get(f"/api/games/{view['id']}").json() for view in (counting, over, resigned)]
        assert [view["counting"] for view in shown] == [marked, marked, None]
        assert [view["phase"] for view in shown] == ["counting", "over", "over"]
        assert post(client, counting, "agree").json()["result"] == agreed["result"]
        played_on = begin(client, "go", record=sgf, format="sgf", opponent=weak)
        assert post(client, play(client, played_on, "pass"), "resume").json()["counting"] is None


def test_damaged_dead_stones_do_not_open(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    sgf = "(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[cc];B[gg];W[])"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, "go", record=sgf, format="sgf", opponent={"kind": "strength", "strength": 1})
        play(client, view, "pass")
        cookies = dict(client.cookies)
    for dead in ("7", '["A1"]', "{", "null", "[[]]"):
        with sqlite3.connect(file) as database:
            database.execute("UPDATE games SET dead = ?", (dead,))
        with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
            answer = client.get(f"/api/games/{view['id']}")
            assert answer.status_code in (409, 422), dead
            assert "damaged" in answer.text, dead


def test_only_the_latest_finished_games_are_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "page.sqlite"
    monkeypatch.setattr("sparring.server.game_host._FINISHED", 0)  # finished games leave the memory

    def ids(client: TestClient) -> list[str]:
        return [each["id"] for each in client.get("/api/games").json()]

    with TestClient(create_app(file, ACCESS, None, keep=2)) as client:
        unfinished = play(client, begin(client, "breakthrough"), "d2d3")
        ended = []
        for _ in range(4):
            ended.append(play(client, begin(client, "breakthrough"), "d2d3"))
            assert post(client, ended[-1], "resign").status_code == 200
        kept = [ended[3]["id"], ended[2]["id"], unfinished["id"]]
        assert ids(client) == kept
        assert client.get(f"/api/games/{ended[0]['id']}").status_code == 404
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None, keep=1), cookies=cookies) as client:
        assert ids(client) == [kept[0], kept[2]]
    with sqlite3.connect(file) as found:
        stored = {game for (game,) in found.execute("SELECT DISTINCT game FROM moves")}
    assert stored <= {kept[0], kept[2]}


def test_a_game_in_memory_is_not_discarded(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None, keep=0)) as client:
        view = play(client, begin(client, "breakthrough"), "d2d3")
        assert post(client, view, "resign").status_code == 200
        assert [each["id"] for each in client.get("/api/games").json()] == [view["id"]]
        assert client.get(f"/api/games/{view['id']}/record?format=pgn").status_code == 200


def test_another_kind_of_file_is_refused(tmp_path: Path) -> None:
    text = tmp_path / "text.sqlite"
    text.write_text("no database " * 1000)
    with pytest.raises(BadFile, match="cannot be used"):
        Database(text)
    newer = tmp_path / "newer.sqlite"
    with sqlite3.connect(newer) as file:
        file.execute("PRAGMA user_version = 99")
    with pytest.raises(BadFile, match="another version"):
        Database(newer)


def start(folder: Path) -> tuple[subprocess.Popen[str], str]:
    program = "import sys; from sparring.cli import main; sys.exit(main())"
    serve = ["serve", "--port", "0", "--no-browser", "--folder", str(folder)]
    command = [sys.executable, "-c", program, *serve]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    line = server.stdout.readline()
    return server, line.split()[4].rstrip("/")


def test_no_answered_move_is_lost_by_a_kill(tmp_path: Path) -> None:
    cookies: dict[str, str] = {}
    answered: dict[str, Any] = {}
    for delay in (0.0, 0.02, 0.1):
        server, address = start(tmp_path)
        try:
            with httpx.Client(base_url=address, cookies=cookies, timeout=30) as client:
                if not answered:
                    wanted = {"game": "breakthrough", "seed": 3, "opponent": {"think_time": "none"}}
                    answered = client.post("/api/games", json=wanted).json()
                    cookies = dict(client.cookies)
                else:
                    found = client.get(f"/api/games/{answered['id']}", params={}).json()
                    assert found["moves"][: len(answered["moves"])] == answered["moves"]
                    while found["phase"] == "thinking":
                        found = client.get(f"/api/games/{answered['id']}").json()
                    answered = found
                move = {"move": answered["legal"][0]["text"], "ply": answered["ply"]}
                answered = client.post(f"/api/games/{answered['id']}/moves", json=move).json()
                time.sleep(delay)
        finally:
            os.kill(server.pid, signal.SIGKILL)
            server.wait()
    assert len(answered["moves"]) >= 5
