"""The HTTP API of games, through the application."""

from __future__ import annotations

import time
from typing import Any

import chess
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.games import GAMES
from tests.server.conftest import ACCESS, another_visitor


def begin(client: TestClient, game: str, **keys: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json={"game": game, "seed": 1, **keys})
    assert answer.status_code == 201, answer.text
    found: dict[str, Any] = answer.json()
    return found


def play(client: TestClient, view: dict[str, Any], move: str) -> dict[str, Any]:
    address = f"/api/games/{view['id']}/moves?wait=30"
    answer = client.post(address, json={"move": move, "ply": view["ply"]})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def post(client: TestClient, view: dict[str, Any], command: str, **keys: Any) -> Any:
    return client.post(f"/api/games/{view['id']}/{command}", json=keys)


@pytest.mark.parametrize("game", GAMES)
def test_every_game_of_the_catalogue_is_played(client: TestClient, game: str) -> None:
    offers = {each["name"]: each for each in client.get("/api/catalogue").json()}
    assert list(offers) == list(GAMES)
    view = begin(client, game)
    for _ in range(3):
        assert view["phase"] in ("move", "sense")
        view = play(client, view, view["legal"][len(view["legal"]) // 3]["text"])
    assert view["ply"] >= 3
    result = post(client, view, "resign").json()["result"]
    assert (result["score"], result["resigned"]) == (0, 0)


def test_the_same_seed_gives_the_same_game(client: TestClient) -> None:
    def moves() -> list[str]:
        view = begin(client, "chess", opponent={"rating": 1200})
        for move in ("e4", "Nf3", "Bc4"):
            view = play(client, view, move)
        return [each["text"] for each in view["moves"]]

    assert moves() == moves()


def test_a_move_out_of_turn_is_refused_and_changes_nothing(client: TestClient) -> None:
    view = begin(client, "chess")
    for body, status in (
        ({"move": "e5", "ply": 0}, 422),
        ({"move": "e4", "ply": 4}, 409),
        ({"move": "e4"}, 422),
        ({"move": ["e4"], "ply": 0}, 422),
        ({"move": "e4", "ply": 0, "colour": "white"}, 422),
        ({"move": "x" * 100_000, "ply": 0}, 422),
    ):
        answer = client.post(f"/api/games/{view['id']}/moves", json=body)
        assert (answer.status_code, list(answer.json())) == (status, ["detail", "text"])
    assert client.get(f"/api/games/{view['id']}").json() == view


def test_a_game_of_somebody_else_is_not_there(visitor: TestClient, shared_app: FastAPI) -> None:
    view = begin(visitor, "chess")
    other = another_visitor(shared_app)
    assert other.get(f"/api/games/{view['id']}").status_code == 404
    assert other.post(f"/api/games/{view['id']}/resign").status_code == 404
    assert other.get("/api/games").json() == []
    assert visitor.get(f"/api/games/{view['id']}").json()["phase"] == "move"


def test_moves_are_taken_back(client: TestClient) -> None:
    view = begin(client, "chess")
    assert post(client, view, "undo").status_code == 409
    view = play(client, play(client, view, "e4"), "d4")
    view = post(client, view, "undo", count=2).json()
    assert (view["ply"], view["moves"], view["phase"]) == (0, [], "move")
    assert "undo" not in view["can"]


def test_hint_record_and_positions(client: TestClient) -> None:
    view = play(client, begin(client, "chess"), "e4")
    hint = client.get(f"/api/games/{view['id']}/hint").json()
    assert hint["people"]["text"] == hint["candidates"][0]["text"]
    pgn = client.get(f"/api/games/{view['id']}/record", params={"format": "pgn"})
    assert "1. e4" in pgn.text
    assert pgn.headers["content-disposition"].endswith('.pgn"')
    assert client.get(f"/api/games/{view['id']}/record", params={"format": "sgf"}).status_code == 422
    first = client.get(f"/api/games/{view['id']}/positions/1").json()
    assert first["position"].startswith("rnbqkbnr/pppppppp/8/8/4P3")
    assert client.get(f"/api/games/{view['id']}/positions/99").status_code == 404


def test_a_record_is_continued(client: TestClient) -> None:
    pgn = "1. e4 e5 2. Nf3 Nc6 3. Bb5 *"
    view = begin(client, "chess", you=1, record=pgn, format="pgn")
    assert [move["name"] for move in view["moves"]] == ["e4", "e5", "Nf3", "Nc6", "Bb5"]
    assert view["phase"] == "move"
    view = play(client, view, "a6")
    assert view["ply"] == 7
    broken = begin(client, "chess", record="1. e4 e4", format="pgn")  # up to its bad move
    assert [move["name"] for move in broken["moves"]][:1] == ["e4"]
    assert "e4" in broken["warning"]["text"]
    answer = client.post("/api/games", json={"game": "chess", "record": "1. e5", "format": "pgn"})
    assert answer.status_code == 422


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "poker"},
        {"game": "chess", "opponent": {"rating": 99}},
        {"game": "chess", "opponent": {"rating": "5d"}},
        {"game": "chess", "opponent": {"kind": "bot"}},
        {"game": "breakthrough", "opponent": {"kind": "human"}},
        {"game": "rbc", "opponent": {"bot": "nobody"}},
        {"game": "chess", "options": {"size": 9}},
        {"game": "go", "options": {"size": 99}},
        {"game": "chess", "position": "nonsense"},
        {"game": "chess", "position": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},
        {"game": "rbc", "position": "8/8/8/8/8/8/8/8 w - - 0 1"},
        {"game": "chess", "seed": -1},
        {"game": "chess", "clock": {"base": -5}},
    ],
)
def test_a_game_that_cannot_be_is_refused(client: TestClient, wanted: dict[str, Any]) -> None:
    answer = client.post("/api/games", json=wanted)
    assert (answer.status_code, list(answer.json())) == (422, ["detail", "text"])
    assert client.get("/api/games").json() == []


def test_go_ends_with_dead_stones_and_a_score(client: TestClient) -> None:
    view = begin(client, "go", options={"size": 9}, opponent={"kind": "strength", "strength": 1})
    view = play(client, view, "E5")
    sgf = "(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[cc];B[gg];W[])"
    view = begin(client, "go", record=sgf, format="sgf", opponent={"kind": "strength", "strength": 1})
    view = play(client, view, "pass")
    assert view["phase"] == "counting"
    before = set(view["counting"]["dead"])
    marked = post(client, view, "dead", points=["C7"]).json()
    assert set(marked["counting"]["dead"]) ^ before == {"C7"}
    assert post(client, view, "dead", points=["A1"]).status_code == 422
    over = post(client, view, "agree").json()
    assert over["phase"] == "over"
    assert "points" in over["result"]["text"]["text"]


def test_a_hidden_game_hides_and_then_shows(client: TestClient) -> None:
    view = begin(client, "rbc", opponent={"bot": "random"})
    assert view["position"] is None
    view = play(client, play(client, view, "sense e7"), "e2e4")
    assert {move["player"] for move in view["moves"]} == {0}
    assert view["hidden"]["possible"] > 1
    assert len(view["hidden"]["guess"]) == len(view["hidden"]["guess_shares"]) == 64
    assert client.get(f"/api/games/{view['id']}/positions/1").status_code == 409
    assert client.get(f"/api/games/{view['id']}/record?format=json").status_code in (409, 422)
    over = post(client, view, "resign").json()
    assert over["position"] is not None
    assert {move["player"] for move in over["moves"]} == {0, 1}
    assert len(over["hidden"]["sizes"]) == over["ply"]


def test_both_sides_beliefs_are_replayed_after_the_game(client: TestClient) -> None:
    view = begin(client, "rbc", opponent={"bot": "attacker"})
    assert client.get(f"/api/games/{view['id']}/replay").status_code == 409
    while view["phase"] in ("sense", "move") and view["ply"] < 24:
        choice = "sense e7" if view["phase"] == "sense" else view["legal"][len(view["legal"]) // 2]["text"]
        view = play(client, view, choice)
    if view["phase"] != "over":
        view = post(client, view, "resign").json()
    steps: list[dict[str, Any]] = []
    while True:
        found = client.get(f"/api/games/{view['id']}/replay", params={"since": len(steps)}).json()
        steps += found["steps"]
        if found["done"]:
            break
    assert found["total"] == len(steps) == view["ply"] + 1
    assert [each["text"] for each in steps] == [None, *(move["text"] for move in view["moves"])]
    assert [each["phase"] for each in steps[1:5]] == ["sense", "move", "sense", "move"]
    for step in steps[:-1]:
        pieces = chess.Board(step["position"].rsplit(" ", 1)[0]).piece_map()
        for side, belief in enumerate(step["sides"]):
            assert belief["possible"] >= 1
            for square, piece in pieces.items():
                if piece.color == (side == 0):
                    assert (belief["pieces"][square], belief["shares"][square]) == (piece.symbol(), 1)
    assert steps[0]["sides"][0]["possible"] == 1
    assert any("sees" in each["note"]["text"] for each in steps)
    chess_game = begin(client, "chess")
    assert client.get(f"/api/games/{chess_game['id']}/replay").status_code == 422


def test_a_clock_runs_while_somebody_follows_and_the_flag_falls(client: TestClient) -> None:
    view = begin(client, "breakthrough", clock={"base": 0.3}, opponent={"strength": 1})
    view = play(client, view, view["legal"][0]["text"])
    time.sleep(0.5)
    assert client.get(f"/api/games/{view['id']}").json()["phase"] == "move", "nobody follows"
    with client.websocket_connect(f"/api/games/{view['id']}/live") as socket:
        assert socket.receive_json()["clock"]["running"] == 0
        over = socket.receive_json()
    assert over["message"]["text"] == "You are out of time: Black wins."
    assert (over["phase"], over["result"]["text"]["text"]) == ("over", "You lost: time ran out.")


def test_a_clock_is_a_text_that_people_write(client: TestClient) -> None:
    view = begin(client, "chess", clock="10+300/15", opponent={"strength": 1})
    clock = view["clock"]
    assert (clock["left"], clock["byoyomi"], clock["periods"], clock["low"]) == ([600, 600], 300, [1, 1], 10)
    assert begin(client, "chess", clock="0.25")["clock"]["low"] == 1.5
    refused = client.post("/api/games", json={"game": "chess", "clock": "soon"})
    assert refused.status_code == 422
    assert refused.json()["detail"].startswith("'soon' is no clock: write minutes and seconds a move")
    for offer in client.get("/api/catalogue").json():
        for usual in offer["clocks"]:
            assert begin(client, offer["name"], clock=usual["text"])["clock"] is not None
        assert bool(offer["clocks"]) != offer["hidden"]


def test_no_clock_runs_before_both_sides_have_moved(client: TestClient) -> None:
    view = begin(client, "breakthrough", clock={"base": 0.3, "increment": 5}, opponent={"strength": 1})
    with client.websocket_connect(f"/api/games/{view['id']}/live") as socket:
        first = socket.receive_json()
        assert (first["phase"], first["clock"]["running"]) == ("move", None)
        time.sleep(0.6)
        view = play(client, view, view["legal"][0]["text"])
        assert (view["phase"], view["ply"]) == ("move", 2)
        assert view["clock"]["running"] == 0
        assert view["clock"]["left"][1] == 0.3, "the first moves take no time and add none"


def test_the_clocks_stand_again_after_the_first_move_is_taken_back(client: TestClient) -> None:
    view = begin(client, "breakthrough", clock={"base": 60}, opponent={"strength": 1})
    with client.websocket_connect(f"/api/games/{view['id']}/live") as socket:
        socket.receive_json()
        view = play(client, view, view["legal"][0]["text"])
        assert view["clock"]["running"] == 0
        back = post(client, view, "undo").json()
        assert (back["ply"], back["clock"]["running"]) == (0, None)


def test_the_clocks_of_a_continued_game_wait_for_a_move_of_both(client: TestClient) -> None:
    view = begin(client, "chess", clock={"base": 60}, opening=["e4", "e5"], opponent={"strength": 1})
    with client.websocket_connect(f"/api/games/{view['id']}/live") as socket:
        assert socket.receive_json()["clock"]["running"] is None
        assert play(client, view, "Nf3")["clock"]["running"] == 0


def test_a_clock_stands_still_after_a_move_that_nobody_sees(client: TestClient) -> None:
    view = begin(client, "breakthrough", clock={"base": 2}, opponent={"strength": 1})
    view = play(client, view, view["legal"][0]["text"])
    assert (view["phase"], view["clock"]["running"]) == ("move", None)


def test_all_who_follow_see_every_change(client: TestClient) -> None:
    view = begin(client, "chess")
    address = f"/api/games/{view['id']}/live"
    with client.websocket_connect(address) as first, client.websocket_connect(address) as second:
        assert first.receive_json() == second.receive_json() == view
        play(client, view, "e4")
        for socket in (first, second):
            assert [socket.receive_json()["ply"] for _ in range(2)] == [1, 2]


def test_a_watched_game_goes_on_while_it_is_watched(client: TestClient) -> None:
    weak = {"kind": "strength", "strength": 1}
    view = begin(client, "breakthrough", you=None, opponent=weak, pace=0)
    with client.websocket_connect(f"/api/games/{view['id']}/live") as socket:
        plies = [socket.receive_json()["ply"] for _ in range(5)]
    assert plies == sorted(plies)
    assert plies[-1] >= 3


def test_a_draw_is_offered_and_claimed(client: TestClient) -> None:
    view = begin(client, "chess")
    assert post(client, view, "draw").json()["message"]["text"] == "The opponent declines the draw."
    moves = "1. Nf3 Nf6 2. Ng1 Ng8 3. Nf3 Nf6 4. Ng1 Ng8 *"
    view = begin(client, "chess", record=moves, format="pgn")
    assert post(client, view, "draw").json()["result"]["score"] == 0.5


def test_requests_of_other_sites_are_refused(client: TestClient) -> None:
    assert client.get("/api/games", headers={"host": "evil.example"}).status_code == 421
    for headers in ({"origin": "http://evil.example"}, {"sec-fetch-site": "cross-site"}, {"origin": "null"}):
        assert client.post("/api/games", json={"game": "chess"}, headers=headers).status_code == 403
    own = {"origin": "http://testserver", "sec-fetch-site": "same-origin"}
    assert client.post("/api/games", json={"game": "chess"}, headers=own).status_code == 201
    assert "access-control-allow-origin" not in client.get("/api/games").headers


def test_large_bodies_are_refused(client: TestClient) -> None:
    assert client.post("/api/games", content=b"x" * (ACCESS.largest_body + 1)).status_code == 413

    def pieces() -> Any:
        for _ in range(40):
            yield b" " * (1 << 16)

    assert client.post("/api/games", content=pieces()).status_code == 413
