"""No GET route shows what a running game of blind chess hides.

Two games are the same for the person, but the opponent's moves differ: every answer about one of them must be
the answer about the other.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterator
from typing import Any

import chess
import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.chess.game import move_code
from sparring.players import Decision, Player, Turn
from sparring.rbc.game import NO_SENSE, SENSE
from sparring.records.readers import written_formats
from sparring.server.opponents import Opponents
from tests.server.conftest import another_visitor
from tests.server.test_games_api import begin, play, post

HIDDEN = (("b8c6", "a8b8"), ("g8f6", "h8g8"))
"""The opponent's moves in both games."""
SEEN = ("sense b2", "a2a3", "sense g2", "h2h3", "sense b2")
"""What the person does, which shows none of them."""
VALUES = {
    "game": ["rbc"],
    "ply": [str(ply) for ply in range(-1, 10)],
    "format": ["", "x", *written_formats("rbc"), *written_formats("chess")],
    "since": ["0", "1", "5"],
    "rating": ["1500"],
    "result": ["unfinished", "won"],
    "number": ["0"],
}
"""Values of parameters; those that name a thing get the game's id."""


class Scripted(Player):
    """Plays given moves, and senses nothing."""

    def __init__(self, moves: tuple[str, ...]) -> None:
        super().__init__("scripted")
        self._moves = iter(moves)

    def choose(self, turn: Turn) -> Decision:
        """The next move."""
        if turn.legal_moves[-1] >= SENSE:
            return Decision(NO_SENSE)
        return Decision(move_code(chess.Move.from_uci(next(self._moves))))


@pytest.fixture
def games(visitor: TestClient, monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Both games, in which the person has the turn to sense."""
    scripts = iter(HIDDEN)
    monkeypatch.setattr(Opponents, "make", lambda *_: Scripted(next(scripts)))
    return [begin(visitor, "rbc", opponent={"bot": "random"}) for _ in HIDDEN]


def addresses(app: FastAPI, game: str) -> Iterator[str]:
    """Addresses of all GET routes of the description, with every choice of the values of their parameters."""
    for path, methods in app.openapi()["paths"].items():
        if "get" not in methods:
            continue
        parameters = methods["get"].get("parameters", [])
        choices = [
            [*VALUES.get(entry["name"], [game]), *([None] if entry["in"] == "query" else [])]
            for entry in parameters
        ]
        for values in itertools.product(*choices):
            given = {entry["name"]: value for entry, value in zip(parameters, values, strict=True)}
            query = [
                f"{entry['name']}={given[entry['name']]}"
                for entry in parameters
                if entry["in"] == "query" and given[entry["name"]] is not None
            ]
            yield f"{path.format(**given)}?{'&'.join(query)}"


def answers(client: TestClient, app: FastAPI, game: str) -> dict[str, tuple[int, str]]:
    """Status and text of every GET route by its address, without what differs between any two games."""
    found = {}
    for address in addresses(app, game):
        if address.startswith(("/api/games?", "/api/catalogue?")):
            continue  # the list has both games; the offers have times of networks
        answer = client.get(address)
        found[address.replace(game, "ID")] = (answer.status_code, plain(answer.text, game))
    listed = {entry["id"]: entry for entry in client.get("/api/games").json()}
    found["list"] = (200, plain(json.dumps(listed.get(game)), game))
    with client.websocket_connect(f"/api/games/{game}/live") as live:
        message = live.receive()
        found["live"] = (message.get("code", 200), plain(message.get("text") or "", game))
    return found


def plain(text: str, game: str) -> str:
    """A text without the game's id, times and versions."""
    return re.sub(r'"(version|created|updated)": ?[0-9.]+', "", text.replace(game, "ID"))


def test_no_route_tells_games_apart_that_look_the_same(
    visitor: TestClient, shared_app: FastAPI, games: list[dict[str, Any]]
) -> None:
    other = another_visitor(shared_app)
    for action in SEEN:
        games = [play(visitor, view, action) for view in games]
        for client in (visitor, other):
            first, second = (answers(client, shared_app, view["id"]) for view in games)
            assert first == second
    assert [view["ply"] for view in games] == [9, 9]
    statuses = {
        address: status for address, (status, _) in answers(other, shared_app, games[0]["id"]).items()
    }
    assert all(status != 200 for address, status in statuses.items() if address.startswith("/api/games/ID"))
    for view in games:
        post(visitor, view, "resign")
    first, second = (answers(visitor, shared_app, view["id"]) for view in games)
    changed = {address.partition("?")[0] for address in first if first[address] != second[address]}
    assert {"/api/games/ID", "/api/games/ID/record", "/api/games/ID/replay"} <= changed, "it can tell them"
