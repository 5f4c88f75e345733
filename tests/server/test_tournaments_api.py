"""Tournaments over HTTP: games, standings, live boards, restarts and limits."""

from __future__ import annotations

import asyncio
import os
import signal
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.server.app import create_app
from sparring.server.live_tournament import NewTournament
from sparring.server.refusal import Refused
from sparring.server.tournaments import _unique
from tests.server.conftest import ACCESS, another_visitor
from tests.server.test_game_store import start
from tests.waiting import wait_until

WEAK = [{"strength": 1}, {"strength": 2}, {"strength": 1}]


def begin(client: TestClient | httpx.Client, **wanted: Any) -> dict[str, Any]:
    body = {"game": "breakthrough", "players": WEAK, "games": 6, "pace": 0, "seed": 4, **wanted}
    answer = client.post("/api/tournaments", json=body)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def until_over(client: TestClient | httpx.Client, view: dict[str, Any]) -> dict[str, Any]:
    return until(client, view, lambda view: view["over"])


def until(
    client: TestClient | httpx.Client, view: dict[str, Any], condition: Callable[[dict[str, Any]], object]
) -> dict[str, Any]:
    """The tournament as soon as the condition holds."""
    views = [view]

    def holds() -> object:
        views.append(client.get(f"/api/tournaments/{view['id']}").json())
        return condition(views[-1])

    wait_until(holds)
    return views[-1]


def test_a_tournament_from_the_first_game_to_the_standings(client: TestClient) -> None:
    view = begin(client)
    assert [player["name"] for player in view["players"]] == ["Strength 1", "Strength 2", "Strength 1 (2)"]
    view = until_over(client, view)
    assert (view["done_games"], view["running"], view["error"], view["stopped"]) == (6, [], None, False)
    assert sum(each["score"] for each in view["standings"]) == 6
    assert [each["games"] for each in view["standings"]] == [4, 4, 4]
    ratings = [each["elo"] for each in view["standings"]]
    assert ratings == sorted(ratings, reverse=True)
    for standing in view["standings"]:
        assert standing["interval"][0] < standing["elo"] < standing["interval"][1]
    assert sorted((each["first"], each["second"]) for each in view["finished"]) == [
        (a, b) for a in range(3) for b in range(3) if a != b
    ]
    game = client.get(f"/api/tournaments/{view['id']}/games/0").json()
    assert len(game["positions"]) == len(game["boards"]) == len(game["moves"]) + 1
    assert game["text"]["text"]
    (line,) = client.get("/api/tournaments").json()
    assert (line["id"], line["done_games"], line["over"]) == (view["id"], 6, True)


def test_the_same_seed_gives_the_same_games(client: TestClient) -> None:
    def games() -> list[Any]:
        view = until_over(client, begin(client, games=2, concurrency=2))
        return [client.get(f"/api/tournaments/{view['id']}/games/{n}").json()["moves"] for n in range(2)]

    first = games()
    assert first == games()
    assert first[0][:3] == first[1][:3], "both games of a meeting begin with one opening"


@pytest.mark.parametrize(
    ("game", "players"),
    [
        ("chess", [{"level": 800}, {"level": 1600}]),
        ("rbc", [{"bot": "random"}, {"bot": "attacker"}]),
        ("go", [{"strength": 1}, {"rating": "10k"}]),
    ],
)
def test_boards_are_live(client: TestClient, game: str, players: list[Any]) -> None:
    options = {"size": 9} if game == "go" else {}
    view = begin(client, game=game, players=players, options=options, games=40, concurrency=2, pace=0.02)
    with client.websocket_connect(f"/api/tournaments/{view['id']}/live") as socket:
        seen = [socket.receive_json() for _ in range(4)]
    assert [each["version"] for each in seen] == sorted(each["version"] for each in seen)
    assert max(len(each["running"]) for each in seen) <= 2
    plies = [sum(board["ply"] for board in each["running"]) for each in seen]
    assert plies[-1] > 0
    assert client.delete(f"/api/tournaments/{view['id']}").status_code == 204
    assert client.get(f"/api/tournaments/{view['id']}").status_code == 404


def test_a_tournament_is_stopped_and_resumed(client: TestClient) -> None:
    view = begin(client, games=8, pace=0.02)
    stopped = client.post(f"/api/tournaments/{view['id']}/stop").json()
    assert (stopped["over"], stopped["stopped"], stopped["running"]) == (True, True, [])
    assert client.post(f"/api/tournaments/{view['id']}/stop").status_code == 409
    done = stopped["done_games"]
    assert client.get(f"/api/tournaments/{view['id']}").json()["done_games"] == done < 8
    resumed = client.post(f"/api/tournaments/{view['id']}/resume").json()
    assert not resumed["stopped"]
    assert until_over(client, resumed)["done_games"] == 8
    assert client.post(f"/api/tournaments/{view['id']}/resume").status_code == 409


def test_a_tournament_goes_on_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, games=10, pace=0.01, concurrency=2)
        view = until(client, view, lambda view: view["done_games"])
        stopped = begin(client, games=4, pace=5)
        client.post(f"/api/tournaments/{stopped['id']}/stop")
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        found = until_over(client, client.get(f"/api/tournaments/{view['id']}").json())
        assert found["done_games"] == 10
        assert [each for each in found["finished"] if each["number"] == 0] == [
            each for each in view["finished"] if each["number"] == 0
        ]
        assert client.get(f"/api/tournaments/{stopped['id']}").json()["stopped"]


def test_no_finished_game_is_lost_by_a_kill(tmp_path: Path) -> None:
    cookies: dict[str, str] = {}
    view: dict[str, Any] = {}
    for _ in range(2):
        server, address = start(tmp_path)
        try:
            with httpx.Client(base_url=address, cookies=cookies, timeout=30) as client:
                before = view
                view = before or begin(client, games=40, pace=0.005, concurrency=3)
                cookies = cookies or dict(client.cookies)
                if before:
                    found = client.get(f"/api/tournaments/{view['id']}").json()
                    for each in before["finished"]:
                        assert each in found["finished"]
                    assert not found["over"]
                view = until(client, view, lambda view: view["done_games"] >= 2)
        finally:
            os.kill(server.pid, signal.SIGKILL)
            server.wait()


def test_a_player_that_fails_ends_the_tournament_with_a_sentence(
    client: TestClient, app: FastAPI, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*arguments: Any) -> Any:
        raise RuntimeError("out of ideas")

    view = begin(client, games=30, pace=0.02)
    monkeypatch.setattr(app.state.host.opponents, "make", fail)
    view = until_over(client, view)
    assert view["error"]["text"] == "The tournament ended: out of ideas"
    assert view["stopped"], "it can be resumed"
    monkeypatch.undo()
    view = client.post(f"/api/tournaments/{view['id']}/resume").json()
    assert view["error"] is None


def test_tournaments_of_others_are_not_there(visitor: TestClient, shared_app: FastAPI) -> None:
    view = begin(visitor, games=2)
    other = another_visitor(shared_app)
    for path in ("", "/games/0"):
        assert other.get(f"/api/tournaments/{view['id']}{path}").status_code == 404
    for command in ("stop", "resume"):
        assert other.post(f"/api/tournaments/{view['id']}/{command}").status_code == 404
    assert other.delete(f"/api/tournaments/{view['id']}").status_code == 404
    assert other.get("/api/tournaments").json() == []


def test_only_so_many_run_at_once(client: TestClient) -> None:
    views = [begin(client, games=100, pace=1) for _ in range(2)]
    body = {"game": "breakthrough", "players": WEAK}
    assert client.post("/api/tournaments", json=body).status_code == 429
    client.post(f"/api/tournaments/{views[0]['id']}/stop")
    third = begin(client, games=100, pace=1)
    assert client.post(f"/api/tournaments/{views[0]['id']}/resume").status_code == 429
    assert third["done_games"] == 0


def test_requests_at_once_share_the_limit(client: TestClient, app: FastAPI) -> None:
    wanted = NewTournament.model_validate({"game": "breakthrough", "players": WEAK, "games": 100, "pace": 1})

    async def begin_many() -> list[Any]:
        tasks = [app.state.tournaments.create("a visitor", wanted) for _ in range(5)]
        return await asyncio.gather(*tasks, return_exceptions=True)

    assert client.portal is not None
    found = client.portal.call(begin_many)
    assert sum(isinstance(each, Refused) for each in found) == 3


def test_a_tournament_of_another_version_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        begin(client, games=100, pace=1)
    with closing(sqlite3.connect(file)) as database, database:
        database.execute("UPDATE tournaments SET settings = json_set(settings, '$.new_rule', 1)")
    with TestClient(create_app(file, ACCESS, None), cookies=client.cookies) as client:
        assert client.get("/api/tournaments").json() == []
        begin(client, games=2)


def test_the_latest_tournaments_go_on_and_the_others_are_stopped(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, games=100, pace=1)
    with closing(sqlite3.connect(file)) as database, database:
        for i in range(7):
            database.execute(
                "INSERT INTO tournaments SELECT ?, visitor, settings, 0, created, updated + ?"
                " FROM tournaments WHERE id = ?",
                (f"copy{i}", i + 1, view["id"]),
            )
    with TestClient(create_app(file, ACCESS, None), cookies=client.cookies) as client:
        over = {each["id"]: each["over"] for each in client.get("/api/tournaments").json()}
    assert {name for name, stopped in over.items() if stopped} == {view["id"], "copy0"}


def test_players_of_one_name_are_numbered() -> None:
    assert _unique(["A", "A", "A (2)", "B"]) == ["A", "A (2)", "A (2) (2)", "B"]


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "poker"},
        {"players": [{"strength": 1}]},
        {"players": [{"strength": 1}] * 9},
        {"players": [{"strength": 1}, {"level": 1500}]},
        {"players": [{"strength": 1}, {"bot": "random"}]},
        {"games": 0},
        {"games": 501},
        {"concurrency": 7},
        {"options": {"size": 99}},
        {"format": "knockout"},
    ],
)
def test_tournaments_that_cannot_be_are_refused(client: TestClient, wanted: dict[str, Any]) -> None:
    body = {"game": "breakthrough", "players": WEAK, **wanted}
    answer = client.post("/api/tournaments", json=body)
    assert (answer.status_code, list(answer.json())) == (422, ["detail", "text"])
    assert client.get("/api/tournaments").json() == []
