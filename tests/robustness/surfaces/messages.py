"""Messages to the page's server: numbers, shapes, moves and positions that nobody should send."""

from __future__ import annotations

import copy
import json
import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from fastapi.testclient import TestClient

from sparring.games import GAMES, load_game
from sparring.server.deck import Card
from sparring.server.security import OWNER
from tests.robustness.page_server import NEW, WEAK, shared_client
from tests.robustness.trials import mutated, surface

_NUMBERS = (
    "NaN", "Infinity", "-Infinity", "1e309", "-1e309", "9" * 5000, "-" + "9" * 400, "1e308", "-1", "0",
    "-0.0",
    "1.5", "5e-324", "2147483648", "9223372036854775808", "1e18", '"1"', "true", "null", "[]", "1e2", "0.1",
    "-2147483649", "4294967296", "1e-9", "3", "1000000",
)  # fmt: skip
_SHAPES: tuple[Any, ...] = (
    None, True, 0, -1, 1.5, "", "x", "\ud800", "\x00", "x" * 70_000, [], {}, [[]], [None], {"a": 1}, {"": {}},
    {"\ud800": 1}, "\u202e", "__proto__", {"__class__": 1}, ["chess"], "../x", "%s{0}",
)  # fmt: skip
_MOVES = (
    "", " ", "e2e4", "d2d3", "a1a1", "\x00", "\ud800", "x" * 5000, "٣", "0000", "e2e4 e7e5", "--", "O-O",
    "resign",
    "pass", "sense e4", "d2-d3", "D2D3", "\x1b[31m", "{}", "歩", "d2d3\n", "ｄ２ｄ３", "a9a9", "-1", "null",
)  # fmt: skip
_PIECES = (
    b"/",
    b" w - - 0 1",
    b"9",
    b"0",
    b"88",
    b"K",
    b"k",
    b"+",
    b"[",
    b"]",
    b"-",
    b" b",
    b"\x00",
    b"9" * 50,
)
_REFUSED = (400, 404, 405, 409, 413, 422, 429)


def _templates() -> list[tuple[str, dict[str, Any]]]:
    """Addresses and messages with numbers in many places."""
    clock = {"base": 60, "increment": 1}
    human = {"rating": 1500, "nodes": 4, "temperature": 1.0, "think_time": "none"}
    weak: dict[str, Any] = {**NEW, "you": 0, "pace": 0, "clock": clock, "options": {}}
    record = "1. e4 e5 2. Nf3 Nc6 *"
    return [
        ("games", weak),
        (
            "games",
            {**weak, "opponent": {"kind": "level", "level": 1500, "think_time": "none"}, "game": "chess"},
        ),
        ("games", {**weak, "game": "chess", "opponent": human}),
        ("games", {**weak, "game": "go", "options": {"size": 9, "komi": 7.5}, "opponent": WEAK}),
        ("games", {**weak, "game": "go", "options": {"size": 9}, "handicap": 3, "opponent": WEAK}),
        ("games", {"game": "chess", "record": record, "record_index": 0, "ply": 3, "opponent": WEAK}),
        ("games/ID/moves", {"move": "d2d3", "ply": 0}),
        ("games/ID/undo", {"count": 1}),
        ("games/ID/dead", {"points": ["A1"]}),
        ("reviews", {"game": "chess", "record": "1. e4 *", "record_index": 0, "rating": 1500}),
        ("read", {"text": record, "game": "chess"}),
        (
            "tournaments",
            {"game": "breakthrough", "players": [{"strength": 1}] * 2, "games": 1, "pace": 0, "seed": 1},
        ),
        ("turing/rounds", {"game": "chess", "level": 1, "seed": 1}),
        ("persons", {"game": "chess", "text": "", "name": "x"}),
        ("persons/names", {"game": "chess", "text": record}),
    ]


def _places(message: Any) -> Iterator[tuple[Any, Any]]:
    """Each container in a message with each of its keys."""
    keys = list(message) if isinstance(message, dict) else range(len(message))
    for key in keys:
        yield message, key
        if isinstance(message[key], dict | list):
            yield from _places(message[key])


@surface("numbers", trials=700, few=15)
def numbers(rng: random.Random, folder: Path) -> None:
    """A number of a message, or of an address, is another; what is accepted is used."""
    client = shared_client()
    game = client.post("/api/games", json=NEW).json()
    if rng.random() < 0.2:
        number = rng.choice(_NUMBERS).strip('"')
        path = rng.choice(
            (
                "games/ID/positions/N",
                "games/ID/replay?since=N",
                "games?count=N",
                "games?before=N",
                "adaptive/N",
            )
        )
        answer = client.get("/api/" + path.replace("ID", game["id"]).replace("N", number))
        assert answer.status_code in (200, *_REFUSED), (path, number, answer.status_code)
    else:
        path, message = copy.deepcopy(rng.choice(_templates()))
        places = [(inner, key) for inner, key in _places(message) if isinstance(inner[key], int | float)]
        for inner, key in rng.sample(places, min(len(places), rng.randint(1, 2))):
            inner[key] = "NUMBER"
        text = json.dumps(message)
        while '"NUMBER"' in text:
            text = text.replace('"NUMBER"', rng.choice(_NUMBERS), 1)
        _send(rng, client, path.replace("ID", game["id"]), text.encode())
    _end(client, game["id"])


@surface("shapes", trials=170)
def shapes(rng: random.Random, folder: Path) -> None:
    """A part of a message has another shape, or the text is no JSON."""
    client = shared_client()
    game = client.post("/api/games", json=NEW).json()
    path, message = copy.deepcopy(rng.choice(_templates()))
    places = list(_places(message))
    for inner, key in rng.sample(places, min(len(places), rng.randint(1, 3))):
        if isinstance(inner, dict) and rng.random() < 0.2:
            inner[rng.choice(("", "x", "__proto__", "\ud800", "id"))] = rng.choice(_SHAPES)
        else:
            inner[key] = rng.choice(_SHAPES)
    content = json.dumps(message).encode()
    match rng.randrange(8):
        case 0:
            content = mutated(rng, content, [b"\\ud800", b"\xff", b"NaN", b"//", b"'"])
        case 1:
            depth = rng.choice((50, 5_000, 100_000))
            content = rng.choice((b"[" * depth, b'{"game":' * depth, b'{"a":' * depth + b"1" + b"}" * depth))
        case 2:
            content = rng.choice((b"\xef\xbb\xbf", b"\xff\xfe", b" " * 9000)) + content
    _send(rng, client, path.replace("ID", game["id"]), content)
    _end(client, game["id"])


@surface("moves", trials=110)
def moves(rng: random.Random, folder: Path) -> None:
    """Hostile moves and commands leave the game as it was, or are played by its rules."""
    client = shared_client()
    game = client.post("/api/games", json=NEW).json()
    address = f"/api/games/{game['id']}"
    for _ in range(3):
        before = client.get(address).json()
        command = rng.choice(("moves", "moves", "undo", "draw", "agree", "resume", "dead", "hint"))
        move = rng.choice(_MOVES)
        if rng.random() < 0.3:
            move = mutated(rng, b"d2d3", (b"x", b"=")).decode("utf-8", "replace")
        body = {"moves": {"move": move, "ply": rng.choice((before["ply"], 0, 1))}, "undo": {"count": 1}}
        content = json.dumps(body.get(command, {"points": [move]} if command == "dead" else {}))
        if command == "hint":
            answer = client.get(f"{address}/hint", params={"rating": move.encode("utf-8", "replace")[:30]})
        else:
            json_type = {"Content-Type": "application/json"}
            answer = client.post(f"{address}/{command}?wait=30", content=content, headers=json_type)
        assert answer.status_code in (200, *_REFUSED), (command, content, answer.text)
        if answer.status_code != 200:
            assert client.get(address).json()["moves"] == before["moves"], content
    _end(client, game["id"])


@surface("positions", trials=370, few=15)
def positions(rng: random.Random, folder: Path) -> None:
    """A changed position is refused in a sentence, or can be played on."""
    client = shared_client()
    name = rng.choice(list(GAMES))
    options = {"size": rng.choice((0, 1, 2, 3, 9, 13, 19, 25, 26, -1, 10**9))} if name == "go" else {}
    if rng.random() < 0.5:
        options = {}
    rules = load_game(name)
    state = rules.initial()
    for _ in range(rng.randrange(6)):
        state = rules.play(state, rng.choice(rules.legal_moves(state)))
    text = mutated(rng, rules.text(state).encode(), _PIECES).decode("utf-8", "replace")
    opponent = {"bot": "random", "think_time": "none"} if name == "rbc" else WEAK
    message = {"game": name, "position": text, "options": options, "opponent": opponent, "seed": 1}
    _send(rng, client, "games", json.dumps(message).encode())
    answer = client.post("/api/read", json={"text": text, "game": name})
    assert answer.status_code in (200, 422), answer.text


@surface("study", trials=91, few=6)
def study(rng: random.Random, folder: Path) -> None:
    """Requests about safer moves, warnings, the deck and progress are answered, or refused in a sentence."""
    client = shared_client()
    game = client.post("/api/games", json={**NEW, "game": "chess"}).json()
    card = _card(client)
    for _ in range(3):
        method, path, message = copy.deepcopy(rng.choice(_STUDIED))
        path = path.replace("GAME", game["id"]).replace("CARD", card)
        if message and rng.random() < 0.8:
            message[rng.choice(list(message))] = rng.choice((*_SHAPES, *_MOVES, -1, 10**20, 1e308))
        if method == "GET":
            shown = {key: str(value).encode("utf-8", "replace")[:2_000] for key, value in message.items()}
            answer = client.get(f"/api/{path}", params=shown)
        else:
            content, kind = json.dumps(message).encode(), {"Content-Type": "application/json"}
            answer = client.request(method, f"/api/{path}", content=content, headers=kind)
        assert answer.status_code in (200, 201, 204, *_REFUSED), (path, message, answer.text[:300])
        if answer.status_code in _REFUSED:
            assert 0 < len(answer.json()["detail"]) < 1_000, (path, message)
    assert client.get(f"/api/games/{game['id']}").json()["moves"] == []
    _end(client, game["id"])


_STUDIED: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("POST", "understand/safer", {"game": "chess", "moves": ["e4"], "rating": 1500, "options": {}}),
    ("POST", "understand/safer", {"game": "chess", "record": "1. e4 e5 *", "ply": 1, "position": None}),
    ("GET", "games/GAME/warning", {"move": "e2e4", "ply": 0}),
    ("GET", "deck", {"game": "chess", "order": "due", "count": 5}),
    ("GET", "deck/cards/CARD", {}),
    ("POST", "deck/cards/CARD/try", {"move": "e2e4"}),
    ("POST", "deck/cards/x/play", {}),
    ("POST", "deck/reviews", {"review": "x", "side": 0, "cards": True, "source": "GAME"}),
    ("GET", "deck/export", {"game": "chess", "format": "tsv"}),
    ("DELETE", "deck/cards/x", {}),
    ("GET", "progress/chess", {"x": "chess"}),
)
"""Method, path and message or query of what explains positions and games."""


def _card(client: TestClient) -> str:
    """The id of a card in the deck."""
    app: Any = client.app
    start = load_game("chess").initial().text()
    card = Card("chess", start, [], "g2g4", 0.2, "blunder", "e2e4", ["e2e4"], 0.5, plausible=[900, 1500])
    (card_id,) = app.state.deck.add(OWNER, [card]).cards
    return str(card_id)


def _send(rng: random.Random, client: TestClient, path: str, content: bytes) -> None:
    """Sends a message. It is refused in a sentence, or what it makes can be used and deleted."""
    answer = client.post(f"/api/{path}", content=content, headers={"Content-Type": "application/json"})
    assert answer.status_code in (200, 201, *_REFUSED), (path, content[:300], answer.text[:300])
    body = json.loads(answer.content)
    if answer.status_code in _REFUSED:
        assert list(body) == ["detail", "text"], (path, body)
        assert 0 < len(body["detail"]) < 1_000, (path, body)
        return
    assert "NaN" not in answer.text
    assert "Infinity" not in answer.text
    if path == "games":
        address = f"/api/games/{body['id']}"
        if body["legal"]:
            move = {"move": rng.choice(body["legal"])["text"], "ply": body["ply"]}
            code = client.post(f"{address}/moves", json=move).status_code
            assert code in (200, 409, 422), (content[:300], code)
        assert client.get(address).status_code == 200, content[:300]
        assert client.get("/api/games").status_code == 200, content[:300]
        _end(client, body["id"])
    elif path == "tournaments":
        assert client.get(f"/api/tournaments/{body['id']}").status_code == 200
        assert client.delete(f"/api/tournaments/{body['id']}").status_code == 204
    elif path == "persons":
        assert client.delete(f"/api/persons/jobs/{body['job']}").status_code == 204


def _end(client: TestClient, game: str) -> None:
    assert client.delete(f"/api/games/{game}").status_code == 204
