"""The estimated score of a game on the page."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from tests.server.test_games_api import begin, play, post

OPPONENT = {"kind": "strength", "strength": 1}


def score(client: TestClient, view: dict[str, Any], ply: int) -> dict[str, Any]:
    answer = client.get(f"/api/games/{view['id']}/score/{ply}")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_score_is_estimated_after_every_move(client: TestClient) -> None:
    sgf = "(;GM[1]FF[4]SZ[9]KM[7.5];B[ee];W[cc];B[gg];W[])"
    view = begin(client, "go", record=sgf, format="sgf", opponent=OPPONENT)
    assert view["traits"]["points"]
    now = score(client, view, 4)
    assert now["text"]["text"].startswith(("Black leads by", "White leads by", "The score is about even"))
    assert "network" in now["note"]["template"]
    assert not now["counted"]
    assert [len(row) for row in now["owners"]] == [9] * 9
    assert score(client, view, 1)["ply"] == 1
    assert score(client, view, 1)["owners"] != now["owners"]
    assert client.get(f"/api/games/{view['id']}/score/5").status_code == 404
    assert score(client, post(client, view, "resign").json(), 4) == now, "also after the game"


def test_after_two_passes_it_is_the_score_that_both_agree_on(client: TestClient) -> None:
    position = "3XO4/3XO1X2/O2XO4/1X1XO4/2XXO1O2/1O1XO4/1X1XO4/3XO1O2/3XO4 b - 0 0 1 7.5"
    view = play(client, begin(client, "go", position=position, opponent=OPPONENT), "pass")
    counted = score(client, view, 1)
    assert counted["text"] == view["counting"]["text"]
    assert counted["counted"]
    assert {owner for row in counted["owners"] for owner in row} == {-1, 1}
    assert not score(client, view, 0)["counted"]
    view = post(client, view, "dead", points=["G8"]).json()
    assert score(client, view, 1)["text"] == view["counting"]["text"], "as corrected"
    over = post(client, view, "agree").json()
    assert score(client, over, 1)["text"] == view["counting"]["text"]


@pytest.mark.parametrize("game", ["chess", "rbc"])
def test_a_game_without_points_has_no_score(game: str, client: TestClient) -> None:
    view = begin(client, game, opponent={"bot": "random"} if game == "rbc" else OPPONENT)
    assert not view["traits"]["points"]
    answer = client.get(f"/api/games/{view['id']}/score/0")
    assert answer.status_code == 409
    assert answer.json()["text"]["template"] == "In {game} no points are counted."
