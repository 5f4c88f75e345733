"""The Turing game over HTTP: rounds, verdicts, the score, and the secret of who played."""

from __future__ import annotations

import json
import os
import signal
from pathlib import Path
from typing import Any

import chess
import httpx
import pytest
from fastapi.testclient import TestClient

from sparring.measure.turing import shipped_kit
from sparring.server.app import create_app
from tests.server.conftest import ACCESS, BEARER, SHARED, another_visitor
from tests.server.test_game_store import start

KIT = shipped_kit("chess")
SOURCE_OF = {game.moves: KIT.key[game.id] for game in KIT.games}


def begin(client: TestClient, **wanted: Any) -> dict[str, Any]:
    answer = client.post("/api/turing/rounds", json=wanted)
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def sources(round_: dict[str, Any]) -> list[str]:
    """Who played, by the key of the kit."""
    return [SOURCE_OF[tuple(move["text"] for move in game["moves"])] for game in round_["games"]]


def answer(client: TestClient, round_: dict[str, Any], human: int) -> Any:
    return client.post(f"/api/turing/rounds/{round_['id']}/answer", json={"human": human})


def test_the_offer_names_the_kit(client: TestClient) -> None:
    offer = client.get("/api/turing").json()
    assert offer["kits"][0] == {
        "name": "chess",
        "title": "Chess",
        "game": "chess",
        "games": len(KIT.games),
        "levels": KIT.levels,
    }
    assert offer["score"] == {"answered": 0, "right": 0, "interval": None, "streak": 0, "called_human": {}}


def test_a_pair_is_one_game_of_people_and_one_of_a_program(client: TestClient) -> None:
    places = set()
    for _ in range(12):
        round_ = begin(client, level=KIT.levels[0])
        who = sources(round_)
        assert sorted(each == "people" for each in who) == [False, True]
        places.add(who.index("people"))
        for game in round_["games"]:
            board = chess.Board()
            for move, position in zip(game["moves"], game["positions"][1:], strict=True):
                assert board.san(chess.Move.from_uci(move["text"])) == move["name"]
                board.push_uci(move["text"])
                assert position.split()[0] == board.board_fen()
    assert places == {0, 1}


def test_nothing_tells_who_played_before_the_verdict(client: TestClient) -> None:
    for mode in ("pair", "single"):
        round_ = begin(client, mode=mode)
        again = client.get(f"/api/turing/rounds/{round_['id']}").json()
        assert again == round_
        text = json.dumps(round_).lower()
        for word in ("people", "engine", "ours", "sparring", "stockfish", *KIT.key):
            assert f'"{word}' not in text


def test_verdicts_are_counted_once(client: TestClient) -> None:
    first = begin(client, mode="pair")
    who = sources(first)
    told = answer(client, first, who.index("people")).json()
    assert (told["right"], told["sources"]) == (True, who)
    assert len(told["about"]) == 2
    assert answer(client, first, 0).status_code == 409
    assert client.get(f"/api/turing/rounds/{first['id']}").status_code == 409
    second = begin(client, mode="single")
    (source,) = sources(second)
    told = answer(client, second, int(source != "people")).json()
    assert not told["right"]
    score = client.get("/api/turing").json()["score"]
    assert score == told["score"]
    assert (score["answered"], score["right"], score["streak"]) == (2, 1, 0)
    assert 0 < score["interval"][0] < 0.5 < score["interval"][1] < 1
    assert sum(each["shown"] for each in score["called_human"].values()) == 3
    assert score["called_human"]["people"]["called"] >= 1


def test_games_are_not_repeated_before_all_were_seen(client: TestClient) -> None:
    level = KIT.levels[1]
    people = [game for game in KIT.games if game.level == level and KIT.key[game.id] == "people"]
    seen = []
    for _ in people:
        round_ = begin(client, level=level)
        seen.append(tuple(m["text"] for m in round_["games"][sources(round_).index("people")]["moves"]))
    assert len(set(seen)) == len(people)


def test_the_score_survives_a_restart_and_belongs_to_its_visitor(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with another_visitor(create_app(file, SHARED, None)) as client:
        answer(client, begin(client), 0)
        waiting = begin(client)
        score = client.get("/api/turing").json()["score"]
        cookies = dict(client.cookies)
    with another_visitor(create_app(file, SHARED, None)) as other:
        assert other.get("/api/turing").json()["score"]["answered"] == 0
        assert other.get(f"/api/turing/rounds/{waiting['id']}").status_code == 404
        assert answer(other, waiting, 0).status_code == 404
    with TestClient(create_app(file, SHARED, None), headers=BEARER, cookies=cookies) as client:
        assert client.get("/api/turing").json()["score"] == score
        assert client.get(f"/api/turing/rounds/{waiting['id']}").json() == waiting
        assert answer(client, waiting, 1).json()["score"]["answered"] == 2


def test_no_verdict_is_lost_by_a_kill(tmp_path: Path) -> None:
    server, address = start(tmp_path)
    try:
        with httpx.Client(base_url=address, timeout=30) as client:
            round_ = client.post("/api/turing/rounds", json={}).json()
            told = client.post(f"/api/turing/rounds/{round_['id']}/answer", json={"human": 0}).json()
            cookies = dict(client.cookies)
    finally:
        os.kill(server.pid, signal.SIGKILL)
        server.wait()
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None), cookies=cookies) as again:
        assert again.get("/api/turing").json()["score"] == told["score"]
        assert told["score"]["answered"] == 1


@pytest.mark.parametrize(
    ("wanted", "status"),
    [({"kit": "poker"}, 404), ({"kit": "chess-key"}, 404), ({"level": 1}, 422), ({"mode": "triple"}, 422)],
)
def test_rounds_that_cannot_be_are_refused(client: TestClient, wanted: dict[str, Any], status: int) -> None:
    refused = client.post("/api/turing/rounds", json=wanted)
    assert (refused.status_code, list(refused.json())) == (status, ["detail", "text"])


@pytest.mark.parametrize("body", [{}, {"human": 2}, {"human": "left"}, {"human": 0, "more": 1}, []])
def test_a_verdict_that_is_none_is_refused_and_changes_nothing(client: TestClient, body: Any) -> None:
    round_ = begin(client)
    refused = client.post(f"/api/turing/rounds/{round_['id']}/answer", json=body)
    assert refused.status_code == 422
    assert client.get("/api/turing").json()["score"]["answered"] == 0
