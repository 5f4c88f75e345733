"""The list of games with its filters, and all games as files."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import chess.pgn
import pytest
from fastapi.testclient import TestClient

from sparring.records.readers import reader_of
from sparring.server.app import create_app
from tests.server.conftest import ACCESS
from tests.server.test_attacks import damage
from tests.server.test_games_api import begin, play, post

WEAK = {"kind": "strength", "strength": 2}
MATE = "1. e4 e5 2. Qh5 Nc6 3. Bc4 Nf6 *"


def finished(client: TestClient, game: str, move: str, **keys: Any) -> dict[str, Any]:
    """A game that the person resigned after a move."""
    view = play(client, begin(client, game, opponent=WEAK, **keys), move)
    over: dict[str, Any] = post(client, view, "resign").json()
    return over


def won(client: TestClient) -> dict[str, Any]:
    return play(client, begin(client, "chess", opponent={"rating": 1500}, record=MATE, format="pgn"), "Qxf7#")


def drawn(client: TestClient) -> dict[str, Any]:
    position = "7k/8/8/8/8/8/1q6/K7 w - - 0 1"
    return play(client, begin(client, "chess", opponent=WEAK, position=position), "Kxb2")


def listed(client: TestClient, **query: Any) -> list[str]:
    answer = client.get("/api/games", params=query)
    assert answer.status_code == 200, answer.text
    return [game["id"] for game in answer.json()]


def test_games_are_listed_with_how_they_ended_and_filtered_by_it(client: TestClient) -> None:
    games = {
        "lost": finished(client, "breakthrough", "d2d3"),
        "won": won(client),
        "drawn": drawn(client),
        "unfinished": play(client, begin(client, "chess", opponent={"level": 1200}), "e4"),
    }
    for result, view in games.items():
        assert listed(client, result=result) == [view["id"]], result
    lines = {game["id"]: game for game in client.get("/api/games").json()}
    outcomes = {result: lines[view["id"]]["outcome"] for result, view in games.items()}
    assert outcomes == {"won": "won", "lost": "lost", "drawn": "drawn", "unfinished": None}
    assert listed(client, game="breakthrough") == [games["lost"]["id"]]
    assert listed(client, game="chess", result="lost") == []
    assert lines[games["unfinished"]["id"]]["level"] == "1200"
    assert lines[games["won"]["id"]]["level"] == "1500"
    assert lines[games["lost"]["id"]]["level"] == "2"
    assert client.get("/api/games", params={"result": "adjourned"}).status_code == 422


def test_a_loss_of_the_second_player_is_no_win(client: TestClient) -> None:
    view = begin(client, "breakthrough", opponent=WEAK, you=1)
    while view["phase"] != "move":
        view = client.get(f"/api/games/{view['id']}").json()
    view = play(client, view, view["legal"][0]["text"])
    assert post(client, view, "resign").json()["result"]["score"] == 1
    assert listed(client, result="lost") == [view["id"]]
    assert listed(client, result="won") == []


def test_the_list_goes_on_before_a_time(client: TestClient) -> None:
    games = [finished(client, "breakthrough", "d2d3")["id"] for _ in range(3)][::-1]
    first = client.get("/api/games", params={"count": 2}).json()
    assert [game["id"] for game in first] == games[:2]
    assert listed(client, before=first[-1]["updated"]) == games[2:]


def test_moves_are_counted_as_people_count(client: TestClient) -> None:
    finished(client, "chess", "e4", clock={"base": 300, "increment": 3})
    finished(client, "shogi", "7g7f", clock={"base": 600, "byoyomi": 30})
    view = begin(client, "rbc", opponent={"bot": "random"})
    post(client, play(client, play(client, view, "sense e7"), "e2e4"), "resign")
    lines = {game["game"]: game for game in client.get("/api/games").json()}
    counts = {game: (line["moves"], line["plies"]) for game, line in lines.items()}
    assert counts == {"chess": (1, 2), "shogi": (2, 2), "rbc": (1, 4)}
    assert [lines[game]["clock"] for game in ("chess", "shogi", "rbc")] == ["5+3", "10+0 byo-yomi 30", ""]


def test_the_name_of_an_opponent_can_be_translated(client: TestClient) -> None:
    play(client, begin(client, "chess", opponent={"level": 1200}), "e4")
    (line,) = client.get("/api/games").json()
    assert line["opponent"] == {
        "text": "Sparring, level 1200",
        "template": "Sparring, level {level}",
        "values": {"level": 1200},
    }


def test_games_without_a_move_of_the_person_are_listed_while_they_are_open(client: TestClient) -> None:
    view = begin(client, "breakthrough", opponent=WEAK)
    with client.websocket_connect(f"/api/games/{view['id']}/live") as live:
        live.receive_json()
        assert listed(client) == [view["id"]]
    while listed(client):
        pass
    post(client, view, "resign")
    assert listed(client) == []
    watched = begin(client, "breakthrough", opponent=WEAK, you=None)
    assert listed(client) == [watched["id"]]


def test_all_games_are_one_file(client: TestClient) -> None:
    for move in ("e4", "d4"):
        finished(client, "chess", move)
    play(client, begin(client, "chess", opponent=WEAK), "c4")
    answer = client.get("/api/export", params={"game": "chess"})
    assert answer.headers["content-type"].startswith("text/plain")
    assert answer.headers["content-disposition"] == 'attachment; filename="sparring-chess.pgn"'
    text = io.StringIO(answer.text)
    games = list(iter(lambda: chess.pgn.read_game(text), None))
    assert [game.board().san(next(iter(game.mainline_moves()))) for game in games if game] == ["e4", "d4"]
    for query in ({"game": "chess", "format": "sgf"}, {"game": "poker"}, {"format": "pgn"}):
        refused = client.get("/api/export", params=query)
        assert (refused.status_code, "detail" in refused.json()) == (422, True)


def test_everything_is_a_file_of_each_game(client: TestClient) -> None:
    for game, move in (("chess", "e4"), ("go", "K10"), ("shogi", "7g7f"), ("breakthrough", "d2d3")):
        for _ in range(2):
            finished(client, game, move, options={"size": 19} if game == "go" else {})
    for _ in range(2):
        view = begin(client, "rbc", opponent={"bot": "random"})
        post(client, play(client, play(client, view, "sense e7"), "e2e4"), "resign")
    answer = client.get("/api/export")
    assert answer.headers["content-type"] == "application/zip"
    with zipfile.ZipFile(io.BytesIO(answer.content)) as archive:
        names = archive.namelist()
        for name in names:
            game, suffix = name.removeprefix("sparring-").split(".")
            read = list(reader_of(game, suffix)([archive.read(name)], 0))
            assert [(parsed.record is not None, parsed.error) for parsed in read] == [(True, "")] * 2, name
    assert sorted(names) == [
        "sparring-breakthrough.pgn",
        "sparring-chess.pgn",
        "sparring-go.sgf",
        "sparring-rbc.jsonl",
        "sparring-shogi.kif",
    ]


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE games SET settings = '{' WHERE id = ?",
        'UPDATE games SET settings = \'{"game": "poker"}\' WHERE id = ?',
        "UPDATE games SET ending = '[9]' WHERE id = ?",
        "UPDATE games SET ending = '{' WHERE id = ?",
        "UPDATE moves SET text = 'h8h1' WHERE game = ?",
    ],
)
def test_a_damaged_game_breaks_neither_list_nor_export(tmp_path: Path, statement: str) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        games = [finished(client, "breakthrough", "d2d3")["id"] for _ in range(2)]
    damage(file, games[0], statement)
    with TestClient(create_app(file, ACCESS, None)) as client:
        assert games[1] in listed(client)
        for result in ("won", "lost", "drawn", "unfinished"):
            assert client.get("/api/games", params={"result": result}).status_code == 200
        assert "d2d3" in client.get("/api/export", params={"game": "breakthrough"}).text
        assert client.get("/api/export").status_code == 200


def test_records_have_the_persons_name_and_rating(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        named = begin(client, "chess", opponent={"level": 1250}, your_name='Ann "x" [y]', your_rating=1534)
        black = begin(client, "chess", opponent={"level": 1250}, you=1, your_rating=1534)
        go = begin(client, "go", opponent={"strength": 1}, your_name="Ann", your_rating="5k")
        watched = begin(client, "chess", you=None, your_name="Ann", your_rating=1534)
        plain = begin(client, "chess", opponent={"level": 1250})
        assert named["players"][0]["name"]["text"] == "You"
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:

        def headers(view: dict[str, Any]) -> chess.pgn.Headers:
            text = client.get(f"/api/games/{view['id']}/record", params={"format": "pgn"}).text
            found = chess.pgn.read_headers(io.StringIO(text))
            assert found is not None
            return found

        tags = headers(named)
        assert (tags["White"], tags["WhiteElo"], tags["BlackElo"]) == ('Ann "x" [y]', "1534", "1250")
        tags = headers(black)
        assert (tags["Black"], tags["BlackElo"], tags["WhiteElo"]) == ("You", "1534", "1250")
        assert "Ann" not in (headers(watched)["White"], headers(watched)["Black"])
        assert "WhiteElo" not in headers(plain)
        sgf = client.get(f"/api/games/{go['id']}/record", params={"format": "sgf"}).text
        assert "PB[Ann]" in sgf
        assert "BR[5k]" in sgf


@pytest.mark.parametrize(
    ("game", "keys"),
    [
        ("chess", {"your_rating": 99999}),
        ("chess", {"your_rating": "5k"}),
        ("chess", {"your_rating": True}),
        ("go", {"your_rating": 1500}),
        ("go", {"your_rating": "90k"}),
        ("chess", {"your_name": "a\nb"}),
        ("chess", {"your_name": "a" * 61}),
    ],
)
def test_a_name_or_rating_that_cannot_be_is_refused(
    client: TestClient, game: str, keys: dict[str, object]
) -> None:
    answer = client.post("/api/games", json={"game": game, **keys})
    assert (answer.status_code, list(answer.json())) == (422, ["detail", "text"])


def test_pgn_has_the_opponents_rating_and_the_opening(client: TestClient) -> None:
    record = "1. Nf3 Nc6 2. e4 e5 3. Bc4 *"  # the person is to move
    for opponent in ({"level": 1250}, {"rating": 1300}):
        view = begin(client, "chess", opponent=opponent, record=record, format="pgn", you=1)
        text = client.get(f"/api/games/{view['id']}/record", params={"format": "pgn"}).text
        headers = chess.pgn.read_headers(io.StringIO(text))
        assert headers is not None
        assert headers["WhiteElo"] == str(opponent.get("level") or opponent.get("rating"))
        assert "BlackElo" not in headers
        assert (headers["ECO"], headers["Opening"]) == ("C50", "Italian Game")
        assert text.count("\n\n") == 1
    other = begin(client, "breakthrough", opponent={"strength": 1}, your_rating=1500)
    text = client.get(f"/api/games/{other['id']}/record", params={"format": "pgn"}).text
    assert "[ECO" not in text
