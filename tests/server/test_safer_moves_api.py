"""The API of the safer move."""

from __future__ import annotations

from typing import Any

import pytest
from fastapi.testclient import TestClient

TRAP = ["e4", "e5", "Bc4", "Nc6", "Qh5"]
"""3... Nf6 is mated on f7."""


def ask(client: TestClient, **wanted: Any) -> Any:
    answer = client.post("/api/understand/safer", json=wanted)
    assert answer.status_code == 200, answer.text
    return answer.json()


def test_both_moves_with_both_numbers_and_the_trap(client: TestClient) -> None:
    found = ask(client, game="chess", moves=TRAP, rating=800)
    assert found["rating"] == 800
    assert found["safer"]["people"] >= found["engine"]["people"]
    assert found["safer"]["loss"] <= 0.1
    (trap,) = (move for move in found["traps"] if move["name"] == "Nf6")
    assert trap["likely"] > 0.1
    assert trap["loss"] > 0.3
    if found["mistake"] is not None:
        assert found["mistake"]["line"][0]["text"] == found["engine"]["text"]


def test_a_ply_of_a_game_is_the_position_after_its_moves(client: TestClient) -> None:
    pgn = "1. e4 e5 2. Bc4 Nc6 3. Qh5 g6 4. Qf3 *"
    by_game = ask(client, game="chess", record=pgn, format="pgn", ply=5, rating=800)
    assert by_game == ask(client, game="chess", moves=TRAP, rating=800)
    answer = client.post("/api/understand/safer", json={"game": "chess", "record": pgn, "ply": 99})
    assert (answer.status_code, answer.json()["detail"]) == (422, "The game has 7 moves, not 99.")


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "shogi"},  # its strong network does not judge positions well enough
        {"game": "chess", "moves": ["f3", "e5", "g4", "Qh4"]},  # mate
    ],
)
def test_nothing_is_said_where_nothing_is_known(client: TestClient, wanted: dict[str, Any]) -> None:
    assert ask(client, **wanted) is None


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "breakthrough"},
        {"game": "chess", "moves": ["e5"]},
        {"game": "chess", "position": "x"},
        {"game": "chess", "rating": 9000},
    ],
)
def test_bad_requests_get_one_sentence(client: TestClient, wanted: dict[str, Any]) -> None:
    answer = client.post("/api/understand/safer", json=wanted)
    assert answer.status_code == 422
    assert answer.json()["detail"]
