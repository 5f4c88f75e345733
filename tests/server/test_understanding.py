"""The API of understanding: positions, and reviews of games."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from threading import Event
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.measure.review import Reviewer
from sparring.networks import Position, Prediction
from sparring.play.opponent import STRONG
from sparring.policies import Policy
from sparring.policies.policy import SharedPolicy
from sparring.server.app import create_app
from tests.server.conftest import ACCESS
from tests.server.test_games_api import begin
from tests.waiting import wait_until

MATE = "r1bqkb1r/pppp1ppp/2n2n2/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR w KQkq - 4 4"
"""Scholar's mate is on the board: Qxf7#."""


@pytest.fixture(autouse=True)
def short_searches(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sparring.measure.review._NODES", (500, 20_000, 60_000))


def ask(client: TestClient, **wanted: Any) -> dict[str, Any]:
    answer = client.post("/api/understand", json=wanted)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_a_mate_is_best_and_everything_else_a_loss(client: TestClient) -> None:
    found = ask(client, game="chess", position=MATE)
    curves = {move["name"]: move for move in found["moves"]}
    assert found["best"] == "h5f7"
    assert curves["Qxf7#"]["loss"] == 0
    assert len(found["ratings"]) == len(curves["Qxf7#"]["human"]) == len(found["blunder"])
    assert curves["Qxf7#"]["human"][-1] > 0.8
    for column in range(len(found["ratings"])):
        assert sum(move["human"][column] for move in found["moves"]) == pytest.approx(1, abs=1e-3)
    assert found["blunder"][-1] < 0.5


@pytest.mark.parametrize("game", ["go", "shogi"])
def test_other_games_with_people_s_networks(client: TestClient, game: str) -> None:
    options = {"size": 9} if game == "go" else {}
    found = ask(client, game=game, options=options)
    assert found["best"] in {move["text"] for move in found["moves"]}


class Wild:
    """A policy that calls every position won."""

    name, game = "wild", "chess"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        return [replace(prediction, value=0.8) for prediction in self._policy.predict(positions)]


def test_values_of_a_network_that_calls_the_first_position_won_are_not_shown(
    client: TestClient, app: FastAPI
) -> None:
    opponents = app.state.host.opponents
    opponents._policies["chess", STRONG] = 0, SharedPolicy(Wild(opponents.policy("chess", STRONG)))
    found = ask(client, game="chess", position=MATE)
    assert {move["loss"] for move in found["moves"]} == {None}
    assert set(found["blunder"]) == {0}


def test_the_position_after_some_moves_of_a_game(client: TestClient) -> None:
    pgn = "1. e4 e5 2. Nf3 Nc6 *"
    assert ask(client, game="chess", record=pgn, format="pgn", ply=1)["turn"] == 1
    assert ask(client, game="chess", record=pgn)["ply"] == 4
    found = ask(client, game="chess", record=pgn, ply=2, moves=["Nf3", "d7d6"])
    assert (found["ply"], found["last"]) == (4, "d7d6")
    assert ask(client, game="chess")["last"] is None


def test_the_last_position_of_a_game_has_no_moves(client: TestClient) -> None:
    found = ask(client, game="chess", record="1. f3 e5 2. g4 Qh4# 0-1", ply=4)
    assert (found["moves"], found["best"], found["last"]) == ([], "", "d8h4")
    assert found["position"].startswith("rnb1kbnr/pppp1ppp/8/4p3/6Pq")


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "breakthrough"},
        {"game": "poker"},
        {"game": "chess", "position": "x"},
        {"game": "chess", "record": "1. e5 *"},
        {"game": "chess", "record": "1. e4 *", "ply": 9},
        {"game": "chess", "moves": ["e4", "e4"]},
        {"game": "chess", "position": "7k/5Q2/6K1/8/8/8/8/8 b - - 0 1"},
    ],
)
def test_what_cannot_be_understood_is_refused(client: TestClient, wanted: dict[str, Any]) -> None:
    assert client.post("/api/understand", json=wanted).status_code == 422


def test_a_review_finds_the_blunder(client: TestClient) -> None:
    pgn = '[WhiteElo "1500"]\n[BlackElo "1400"]\n\n1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0'
    answer = client.post("/api/reviews", json={"game": "chess", "record": pgn})
    assert answer.status_code == 201, answer.text
    view = answer.json()
    rows = list(view["moves"])

    def done() -> bool:
        view.update(client.get(f"/api/reviews/{view['id']}", params={"since": len(rows)}).json())
        rows.extend(view["moves"])
        return bool(view["done"])

    wait_until(done)
    assert (view["total"], view["ratings"], view["error"]) == (7, [1500, 1400], None)
    assert [row["name"] for row in rows] == ["e4", "e5", "Bc4", "Nc6", "Qh5", "Nf6", "Qxf7#"]
    assert [row["name"] for row in rows if row["blunder"]] == ["Nf6"]
    assert rows[-1]["loss"] == 0
    assert rows[-1]["best_name"] == "Qxf7#"
    assert all(0 <= row["found"] <= 1 for row in rows)
    assert rows[-1]["found"] > 0.5, "people of this rating see the mate"
    for level, moves in zip(view["levels"], (4, 3), strict=True):
        assert level["interval"][0] < level["rating"] < level["interval"][1]
        assert (level["moves"], level["shown"]) == (moves, f"{level['rating']:.0f}")
    assert client.get("/api/reviews/nothing").status_code == 404
    assert client.post("/api/reviews", json={"game": "chess", "record": "*"}).status_code == 422


def review(client: TestClient, **wanted: Any) -> dict[str, Any]:
    """A review that is done, with all of its moves."""
    answer = client.post("/api/reviews", json=wanted)
    assert answer.status_code == 201, answer.text
    view: dict[str, Any] = answer.json()
    rows = list(view["moves"])

    def done() -> bool:
        view.update(client.get(f"/api/reviews/{view['id']}", params={"since": len(rows)}).json())
        rows.extend(view["moves"])
        return bool(view["done"])

    wait_until(done)
    assert view["error"] is None
    return {**view, "moves": rows}


@pytest.mark.parametrize(
    "pgn",
    [
        "1. e4 c5 2. Nf3 d6 3. d4 cxd4 4. Nxd4 Nf6 5. Nc3 a6 *",
        "1. e4 e6 2. d4 d5 3. e5 c5 4. c3 Nc6 *",
        "1. e4 d5 2. exd5 Qxd5 3. Nc3 Qa5 *",
        "1. f4 e5 2. fxe5 d6 *",
    ],
)
def test_moves_of_usual_openings_have_no_marks(client: TestClient, pgn: str) -> None:
    view = review(client, game="chess", record=pgn, rating=1500)
    assert {move["mark"] for move in view["moves"]} == {""}
    assert not any(move["blunder"] or move["line"] for move in view["moves"])


def test_a_marked_move_has_the_best_line_and_each_review_the_same(client: TestClient, tmp_path: Path) -> None:
    pgn = "1. e4 e5 2. Nf3 Nc6 3. Bc4 Nd4 4. Nxe5 Qg5 5. Nxf7 Qxg2 *"
    view = review(client, game="chess", record=pgn)
    marks = {move["name"]: move for move in view["moves"] if move["mark"]}
    assert marks["Nxf7"]["mark"] == "blunder"
    assert set(marks) <= {"Nd4", "Nxe5", "Nxf7"}
    assert marks["Nxf7"]["kind_text"]["text"].endswith(".")
    assert marks["Nxf7"]["answer"][0]["name"] == "Qxg2"
    assert view["moments"] == [move["ply"] for move in view["moves"] if move["mark"]]
    for mark in marks.values():
        assert 3 <= len(mark["line"]) <= 6
        assert 0 <= mark["chance"] <= 1
        assert mark["line"][0] == {"text": mark["best"], "name": mark["best_name"]}
        before = [move["text"] for move in view["moves"][: mark["ply"]]]
        line = [move["text"] for move in mark["line"]]
        assert ask(client, game="chess", moves=before + line)["ply"] == mark["ply"] + len(line)
    with sqlite3.connect(tmp_path / "page.sqlite") as file:
        file.execute("DELETE FROM finished_reviews")
    assert review(client, game="chess", record=pgn)["moves"] == view["moves"]


SHORT = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"


def test_a_finished_review_is_read_again_also_after_a_restart(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS)) as client:
        first = review(client, game="chess", record=SHORT)
    with monkeypatch.context() as patch, TestClient(create_app(tmp_path / "page.sqlite", ACCESS)) as client:
        patch.setattr(Reviewer, "block", lambda *_: pytest.fail("it is computed again"))
        answer = client.post("/api/reviews", json={"game": "chess", "record": SHORT}).json()
        assert answer["done"]
        assert {**answer, "id": ""} == {**first, "id": ""}
        kept = client.post("/api/deck/reviews", json={"review": answer["id"], "side": 1})
        assert kept.json()["added"] == 1
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS)) as client:
        other = client.post("/api/reviews", json={"game": "chess", "record": SHORT, "rating": 1900}).json()
        assert not other["done"], "another rating is another review"


@pytest.mark.parametrize("damage", ["{", '{"moves": [], "levels": [null, null], "moments": [-1]}'])
def test_a_damaged_review_is_computed_again(client: TestClient, tmp_path: Path, damage: str) -> None:
    first = review(client, game="chess", record=SHORT)
    with sqlite3.connect(tmp_path / "page.sqlite") as file:
        file.execute("UPDATE finished_reviews SET found = ?", (damage,))
    again = review(client, game="chess", record=SHORT)
    assert (again["moves"], again["moments"]) == (first["moves"], first["moments"])


def test_a_review_is_deleted_with_its_game_and_stored_reviews_are_few(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stored() -> list[tuple[str | None]]:
        with sqlite3.connect(tmp_path / "page.sqlite") as file:
            return file.execute("SELECT source FROM finished_reviews ORDER BY used").fetchall()

    monkeypatch.setattr("sparring.server.review._STORED", 2)
    game = begin(client, game="chess", you=0, opponent={"kind": "human"})["id"]
    review(client, game="chess", record="1. e4 *", source=game)
    review(client, game="chess", record="1. c4 *", source="of nobody")
    review(client, game="chess", record="1. d4 *")
    assert stored() == [(game,), (None,)]
    assert client.delete(f"/api/games/{game}").status_code == 204
    assert stored() == [(None,)]
    for record in ("1. Nf3 *", "1. b3 *"):
        review(client, game="chess", record=record)
    assert len(stored()) == 2


def test_a_pass_in_go_is_not_blamed(client: TestClient) -> None:
    sgf = "(;GM[1]SZ[9]KM[7.5];B[ee];W[];B[cc];W[gg];B[])"
    marks = [move["mark"] for move in review(client, game="go", record=sgf, format="sgf")["moves"]]
    assert (marks[1], marks[2], marks[4]) == ("", "", "")


def test_the_rating_that_was_asked_for_is_a_column(client: TestClient) -> None:
    found = ask(client, game="chess", rating=1530)
    assert found["ratings"][found["column"]] == 1530
    assert found["ratings"] == sorted(found["ratings"])
    usual = ask(client, game="chess")
    assert usual["ratings"][usual["column"]] == 1500
    go = ask(client, game="go", options={"size": 9})
    assert go["ratings"][go["column"]] == "5k"
    assert client.post("/api/understand", json={"game": "go", "rating": "40k"}).status_code == 422
    assert ask(client, game="shogi", rating=5)["column"] == 0


def test_a_board_on_which_the_network_is_weaker_has_a_note(client: TestClient) -> None:
    small = ask(client, game="go", options={"size": 9})["note"]
    assert "19x19" in small["text"]
    assert ask(client, game="chess")["note"] is None
    ended = ask(client, game="go", record="(;GM[1]SZ[9];B[ee])", ply=1)
    assert ended["note"] == small


def test_check_is_shown(client: TestClient) -> None:
    assert not ask(client, game="chess")["check"]
    assert ask(client, game="chess", record="1. f3 e5 2. g4 Qh4# 0-1", ply=4)["check"]
    assert ask(client, game="shogi", moves=["7g7f", "3c3d", "8h3c+"])["check"]


def test_a_review_that_nobody_asks_for_gives_way_to_another(
    client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"game": "chess", "record": "1. e4 e5 2. Nf3 Nc6 3. Bb5 a6 4. Ba4 Nf6 5. O-O Be7 6. Re1 b5 *"}
    gate, real = Event(), Reviewer.block

    def slow(*arguments: Any, **options: Any) -> Any:
        assert gate.wait(60)
        return real(*arguments, **options)

    monkeypatch.setattr(Reviewer, "block", slow)
    first, second = (client.post("/api/reviews", json=body).json()["id"] for _ in range(2))
    assert client.post("/api/reviews", json=body).status_code == 429
    monkeypatch.setattr("sparring.server.review._ABANDONED_SECONDS", 0.0)
    third = client.post("/api/reviews", json=body)
    assert third.status_code == 201
    gate.set()
    wait_until(lambda: bool(client.get(f"/api/reviews/{first}").json()["done"]))
    wait_until(lambda: bool(client.get(f"/api/reviews/{second}").json()["done"]))
    rested = client.get(f"/api/reviews/{first}").json()
    assert rested["error"] is None
    assert len(rested["moves"]) == rested["total"], "it went on when it was asked for"
