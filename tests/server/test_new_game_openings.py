"""Openings and handicaps of new games."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

from sparring.games import GAMES, load_game
from sparring.server.new_game import opening_table
from tests.server.test_games_api import begin, play


@pytest.mark.parametrize("game", GAMES)
def test_all_openings_and_handicaps_of_the_catalogue_can_be_played(game: str) -> None:
    table = opening_table(game)
    for opening in table.openings:
        rules = load_game(game, **opening.options)
        state = rules.initial()
        for move in opening.moves:
            state = rules.play(state, rules.parse_move(state, move))
        assert rules.outcome(state) is None, opening.name
    for handicap in table.handicaps:
        rules = load_game(game, **handicap.options)
        state = rules.initial() if handicap.position is None else rules.parse(handicap.position)
        assert state != load_game(game).initial(), handicap.name
    names = [each.name for each in table.openings] + [each.name for each in table.handicaps]
    assert len(names) == len(set(names))


def test_a_game_begins_with_an_opening(client: TestClient) -> None:
    offers = {each["name"]: each for each in client.get("/api/catalogue").json()}
    (french,) = (opening for opening in offers["chess"]["openings"] if opening["name"] == "french")
    view = begin(client, "chess", opening=french["moves"])
    assert [move["name"] for move in view["moves"]] == ["e4", "e6", "d4", "d5"]
    assert play(client, view, "Nc3")["ply"] == 6
    black = begin(client, "chess", you=1, opening=["e4", "e5", "Nf3"])
    assert (black["ply"], black["phase"]) == (3, "move")


def test_a_game_begins_with_a_handicap(client: TestClient) -> None:
    offers = {each["name"]: each for each in client.get("/api/catalogue").json()}
    (rook,) = (handicap for handicap in offers["shogi"]["handicaps"] if handicap["name"] == "rook")
    view = begin(client, "shogi", you=1 - rook["giver"], position=rook["position"])
    assert view["turn"] == rook["giver"]
    (stones,) = (handicap for handicap in offers["go"]["handicaps"] if handicap["name"] == "4-stones")
    view = begin(client, "go", options={"size": 9, **stones["options"]})
    assert sum(cell is not None for row in view["board"]["cells"] for cell in row) >= 4


def test_an_opening_is_drawn_from_people(client: TestClient) -> None:
    games = [begin(client, "chess", people_plies=6, opponent={"rating": 1200}) for _ in range(2)]
    assert games[0]["ply"] == 6
    assert games[0]["moves"] == games[1]["moves"], "the same seed"
    other = begin(client, "chess", people_plies=6, opponent={"level": 1800}, seed=2)
    assert other["ply"] == 6


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "chess", "opening": ["e5"]},
        {"game": "chess", "opening": ["e4"] * 61},
        {"game": "chess", "opening": ["e4"], "record": "1. d4 *"},
        {"game": "chess", "opening": ["f3", "e5", "g4", "Qh4"]},
        {"game": "chess", "people_plies": 21},
        {"game": "breakthrough", "people_plies": 2},
        {"game": "rbc", "opening": ["sense e7"]},
        {"game": "rbc", "people_plies": 2},
    ],
)
def test_openings_that_cannot_be_are_refused(client: TestClient, wanted: dict[str, Any]) -> None:
    answer = client.post("/api/games", json=wanted)
    assert (answer.status_code, list(answer.json())) == (422, ["detail", "text"])
