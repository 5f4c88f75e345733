"""The deck of mistakes: cards out of reviews, spaced repetition, puzzle ratings, files; and progress."""

from __future__ import annotations

import csv
import io
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from fastapi import FastAPI
from fastapi.testclient import TestClient

from sparring.base.clock import TimeControl
from sparring.cli.backup import restore_backup, write_backup
from sparring.games import load_game
from sparring.networks import Position, Prediction
from sparring.play.game import StoredMove
from sparring.play.opponent import STRONG
from sparring.play.result import GameResult
from sparring.players.adaptive import OpponentResult, estimate_strength
from sparring.players.player_config import shipped_levels
from sparring.policies import Policy
from sparring.policies.policy import SharedPolicy
from sparring.records import Termination
from sparring.server.deck import Card, Deck, Schedule
from sparring.server.messages import OpponentChoice
from sparring.server.page_game import GameSettings
from sparring.server.progress import finding_of, opponent_of_my_level
from sparring.server.review import ReviewedMove
from sparring.server.security import VISITOR_COOKIE
from sparring.server.store import Database, StoredGame
from tests.server.conftest import another_visitor
from tests.waiting import wait_until

PGN = """[White "Anna"]
[Black "Ben"]
[Result "1-0"]

1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 4. Qxf7# 1-0"""
START = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1"
DAY = 86_400.0


def reviewed(client: TestClient, game: str = "chess", record: str = PGN) -> dict[str, Any]:
    """A review that is done."""
    answer = client.post("/api/reviews", json={"game": game, "record": record})
    assert answer.status_code == 201, answer.text
    address = f"/api/reviews/{answer.json()['id']}"
    wait_until(lambda: bool(client.get(address).json()["done"]))
    found: dict[str, Any] = client.get(address).json()
    return found


MISTAKE = Card(
    "chess", START, ["e2e4", "e7e5", "f1c4", "b8c6", "d1h5"], "g8f6", 0.98, "blunder", "g7g6",
    ["g7g6", "h5f3", "g8f6"], 0.5, plausible=[900, 1100, 1200, 1300, 1500],
)  # fmt: skip
"""The mistake of the game above."""


def kept(app: FastAPI, visitor: str = "owner") -> str:
    """The id of a card with this mistake."""
    deck: Deck = app.state.deck
    (card,) = deck.add(visitor, [MISTAKE]).cards
    return card


def attempt(client: TestClient, card: str, move: str | None) -> dict[str, Any]:
    answer = client.post(f"/api/deck/cards/{card}/try", json={"move": move})
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def make_due(app: FastAPI, card: str) -> None:
    app.state.host.store.database.write(
        lambda file: file.execute("UPDATE deck_cards SET due = 0 WHERE id = ?", (card,))
    )


# The schedule is that of SM-2.


def test_intervals_grow_as_sm2_says() -> None:
    schedule, days = Schedule(due=0.0), []
    for _ in range(4):
        schedule = schedule.after(5, schedule.due)
        days.append(schedule.interval)
    assert days == pytest.approx([1, 6, 6 * 2.7, 6 * 2.7 * 2.8])
    assert schedule.due == pytest.approx(DAY * sum(days))


@pytest.mark.parametrize(("grade", "ease"), [(2, 2.5 - 0.32), (1, 2.5 - 0.54)])
def test_a_forgotten_card_begins_again(grade: Any, ease: float) -> None:
    schedule = Schedule(due=0.0, interval=40.0, repetitions=4).after(grade, 100.0)
    assert (schedule.due, schedule.interval, schedule.repetitions) == (100.0 + DAY, 1.0, 0)
    assert schedule.ease == pytest.approx(ease)
    for _ in range(9):
        schedule = schedule.after(1, 0.0)
    assert schedule.ease == 1.3


# Cards and tries.


def test_the_mistake_of_a_reviewed_game_becomes_a_card_once(client: TestClient) -> None:
    review = reviewed(client)
    wanted = {"review": review["id"], "side": 1}
    first = client.post("/api/deck/reviews", json=wanted).json()
    again = client.post("/api/deck/reviews", json=wanted).json()
    assert (first["added"], again["added"]) == (1, 0)
    assert first["cards"] == again["cards"]
    assert client.post("/api/deck/reviews", json={**wanted, "side": 0}).json()["cards"] == []
    view = client.get("/api/deck").json()
    assert view["counts"] == [{"game": "chess", "due": 1, "cards": 1}]
    (card,) = view["cards"]
    assert (card["played"]["name"], card["mark"], card["turn"], card["ply"]) == ("Nf6", "blunder", 1, 5)
    assert (card["title"], card["last"], card["legal"]) == ("Anna – Ben", "d1h5", [])
    assert card["position"].split()[0] == "r1bqkbnr/pppp1ppp/2n5/4p2Q/2B1P3/8/PPPP1PPP/RNB1K1NR"


def test_right_and_wrong_moves_and_giving_up(client: TestClient, app: FastAPI) -> None:
    card = kept(app)
    assert "g7g6" in {move["text"] for move in client.get(f"/api/deck/cards/{card}").json()["legal"]}
    wrong = attempt(client, card, "Nf6")
    assert (wrong["right"], wrong["counted"], wrong["days"]) == (False, True, 1.0)
    assert [step["name"] for step in wrong["line"]][:2] == ["Nf6", "Qxf7#"]
    assert wrong["line"][1]["check"]
    retried = attempt(client, card, "g6")  # the retry shows the line, and does not count
    assert (retried["right"], retried["counted"], retried["days"]) == (True, False, 1.0)
    make_due(app, card)
    given_up = attempt(client, card, None)
    assert (given_up["right"], given_up["counted"], given_up["name"]) == (False, True, "")
    assert len(given_up["line"]) >= 3
    stored = client.get("/api/deck").json()["cards"][0]
    assert (stored["answered"], stored["solved"]) == (2, 0)


def test_every_move_as_good_as_the_best_is_right(client: TestClient, app: FastAPI) -> None:
    card = Card("chess", START, [], "a2a3", 0.2, "blunder", "e2e4", ["e2e4"], 0.5)
    (card_id,) = app.state.deck.add("owner", [card]).cards
    found = {move: attempt(client, card_id, move) for move in ("e4", "d4", "f3", "a3")}
    assert [found[move]["right"] for move in found] == [True, True, False, False]
    assert [found[move]["best"] for move in found] == [True, False, False, False]
    assert found["a3"]["loss"] == 0.2  # that of the review
    assert found["d4"]["loss"] < 0.05 <= found["f3"]["loss"]


def test_what_cannot_be_tried_is_refused_in_a_sentence(client: TestClient, app: FastAPI) -> None:
    card = kept(app)
    for address, body, status in (
        (f"/api/deck/cards/{card}/try", {"move": "Ke5"}, 422),
        ("/api/deck/cards/none/try", {"move": "e4"}, 404),
        ("/api/deck/reviews", {"review": "none", "side": 0}, 404),
        ("/api/deck/cards/none/play", None, 404),
    ):
        answer = client.post(address, json=body)
        assert answer.status_code == status
        assert answer.json()["detail"].endswith(".")
    assert client.get("/api/deck").json()["cards"][0]["answered"] == 0
    assert client.get("/api/deck/export", params={"game": "chess", "format": "sgf"}).status_code == 422
    assert client.get("/api/deck/export", params={"game": "poker"}).status_code == 422
    assert client.get("/api/progress/poker").status_code == 422


def test_a_card_belongs_to_its_visitor(visitor: TestClient, shared_app: FastAPI) -> None:
    visitor.get("/api/deck")
    card = kept(shared_app, visitor.cookies[VISITOR_COOKIE])
    other = another_visitor(shared_app)
    assert other.get("/api/deck").json()["counts"] == []
    assert other.get(f"/api/deck/cards/{card}").status_code == 404
    assert other.post(f"/api/deck/cards/{card}/try", json={"move": "g6"}).status_code == 404
    assert other.delete(f"/api/deck/cards/{card}").status_code == 404
    assert visitor.delete(f"/api/deck/cards/{card}").status_code == 204
    assert visitor.get("/api/deck").json()["cards"] == []


def test_a_game_is_played_on_from_a_card(client: TestClient, app: FastAPI) -> None:
    card = kept(app)
    view = client.post(f"/api/deck/cards/{card}/play").json()
    assert (view["you"], view["phase"], view["players"][0]["is_person"]) == (1, "move", False)
    assert view["position"].startswith("r1bqkbnr/pppp1ppp/2n5/4p2Q")
    client.post(f"/api/games/{view['id']}/resign")
    found = client.get(f"/api/deck/cards/{card}").json()
    assert (found["played_on"], found["held"]) == (1, 0)
    assert client.get("/api/progress/chess").json()["course"] == []  # it was no even game


# Puzzle ratings.


def test_the_first_try_alone_moves_the_puzzle_rating(client: TestClient, app: FastAPI) -> None:
    card = kept(app)
    before = client.get("/api/deck").json()
    assert before["rating"] is None
    puzzle = before["cards"][0]["puzzle"]
    assert puzzle["interval"][0] < puzzle["rating"] < puzzle["interval"][1]
    first = attempt(client, card, "g6")["rating"]
    assert first["rating"] > 1500
    assert first["games"] == 1
    make_due(app, card)
    attempt(client, card, "Nf6")
    after = client.get("/api/deck").json()
    assert after["rating"] == first
    assert after["cards"][0]["puzzle"]["chance"] > puzzle["chance"]
    client.delete(f"/api/deck/cards/{card}")
    assert client.get("/api/deck").json()["rating"] == first


def test_a_result_against_a_level_that_is_not_known_well_says_less() -> None:
    results = [OpponentResult(1800, 1.0), OpponentResult(1800, 0.0)] * 4
    sure, unsure = estimate_strength(results, 1500.0), estimate_strength(results, 1500.0, [400.0] * 8)
    assert 1500 < unsure.mean < sure.mean < 1800
    assert unsure.high - unsure.low > sure.high - sure.low
    assert estimate_strength(results, 1500.0, [0.0] * 8) == sure
    assert estimate_strength([], 1500.0).games == 0


def test_problems_of_my_level_come_first(client: TestClient, app: FastAPI) -> None:
    def card(plausible: int, moves: list[str]) -> Card:
        line = ["e7e5"] if moves else ["e2e4"]
        return Card("chess", START, moves, "a7a6" if moves else "a2a3", 0.2, "blunder", line[0], line, 0.5,
                    plausible=[plausible])  # fmt: skip

    app.state.deck.add("owner", [card(900, []), card(1520, ["e2e4"]), card(2400, ["d2d4"])])
    found = client.get("/api/deck", params={"order": "level"}).json()["cards"]
    assert [each["puzzle"]["rating"] for each in found] == [1520, 900, 2400]
    assert found[0]["puzzle"]["chance"] == pytest.approx(0.471, abs=0.001)


# Files.


def test_the_deck_is_written_as_pgn_and_for_anki(client: TestClient, app: FastAPI) -> None:
    kept(app)
    pgn = client.get("/api/deck/export", params={"game": "chess", "format": "pgn"})
    assert 'filename="sparring-deck-chess.pgn"' in pgn.headers["content-disposition"]
    assert '[FEN "r1bqkbnr/pppp1ppp/2n5/4p2Q' in pgn.text
    read = client.post("/api/read", json={"text": pgn.text, "game": "chess"}).json()
    assert (read.get("kind"), read.get("game")) == ("record", "chess"), (read, pgn.text)
    text = client.get("/api/deck/export", params={"game": "chess"}).text
    head, rows = text.split("\n")[:3], list(csv.reader(io.StringIO(text), "excel-tab"))[3:]
    assert head == ["#separator:tab", "#html:true", "#columns:Position\tQuestion\tAnswer\tNotation"]
    ((picture, question, answer, notation),) = rows
    assert picture.startswith("<svg")
    assert question == "Black to move. Nf6 gave away 98%. What is better?"
    assert answer == "<b>g6</b> Qf3 Nf6"
    assert notation.startswith("r1bqkbnr/pppp1ppp/2n5")


@pytest.mark.parametrize(
    ("game", "options", "start", "played", "line", "suffix", "text"),
    [
        ("go", {"size": 9}, "9/9/9/9/4X4/9/9/9/9 w - 0 0 0 7.5", "A1", ["C5", "E3"], "sgf", "AB[ee]"),
        ("shogi", {}, "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL b - 1", "9g9f", ["7g7f"],
         "kif", "７六歩"),
    ],
)  # fmt: skip
def test_cards_of_other_games(
    client: TestClient,
    app: FastAPI,
    game: str,
    options: dict[str, Any],
    start: str,
    played: str,
    line: list[str],
    suffix: str,
    text: str,
) -> None:
    card = Card(game, start, [], played, 0.3, "blunder", line[0], line, 0.5, options=options)
    (card_id,) = app.state.deck.add("owner", [card]).cards
    assert attempt(client, card_id, played)["right"] is False
    found = attempt(client, card_id, line[0])
    assert (found["right"], found["best"]) == (True, True)
    assert [step["text"] for step in found["line"]] == line
    assert client.get(f"/api/deck/cards/{card_id}").json()["puzzle"] is None
    assert text in client.get("/api/deck/export", params={"game": game, "format": suffix}).text
    assert "<svg" in client.get("/api/deck/export", params={"game": game}).text
    view = client.post(f"/api/deck/cards/{card_id}/play")
    assert view.status_code == 201, view.text


# Nothing is lost.


def test_a_killed_server_loses_no_card_and_no_answer(tmp_path: Path) -> None:
    path = tmp_path / "page.sqlite"
    program = textwrap.dedent(
        f"""
        from sparring.server.deck import Card, Deck
        from sparring.server.store import Database
        deck = Deck(Database({str(path)!r}))
        card = Card("chess", {START!r}, [], "a2a3", 0.2, "blunder", "e2e4", ["e2e4"], 0.5, plausible=[1500])
        (card_id,) = deck.add("owner", [card]).cards
        deck.answer("owner", card_id, 5)
        print(card_id, flush=True)
        while True:
            deck.answer("owner", card_id, 5)
        """
    )
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        card_id = server.stdout.readline().strip()
        os.kill(server.pid, signal.SIGKILL)
    deck = Deck(Database(path))
    stored = deck.find("owner", card_id)
    assert (stored.answered, stored.solved, stored.schedule.repetitions) == (1, 1, 1)
    assert stored.schedule.due > time.time()


def test_a_backup_has_the_deck(tmp_path: Path) -> None:
    folder, file = tmp_path / "data", tmp_path / "backup.zip"
    (folder / "page").mkdir(parents=True)
    database = Database(folder / "page" / "page.sqlite")
    Deck(database).add("owner", [Card("chess", START, [], "a2a3", 0.2, "blunder", "e2e4", ["e2e4"], 0.5)])
    database.close()
    write_backup(folder, file)
    (folder / "page" / "page.sqlite").unlink()
    restore_backup(file, folder)
    with sqlite3.connect(folder / "page" / "page.sqlite") as found:
        assert found.execute("SELECT count(*) FROM deck_cards").fetchone() == (1,)


# Progress.


def test_reviews_say_where_points_are_lost(client: TestClient) -> None:
    review = reviewed(client)["id"]
    for _ in range(2):  # the same game counts once
        client.post("/api/deck/reviews", json={"review": review, "side": 1, "cards": False})
    found = client.get("/api/progress/chess").json()
    assert (found["reviewed"], found["timed"], found["hurried"]) == (1, 0, None)
    assert found["phases"]["opening"]["loss"] > 0.3
    assert (found["phases"]["opening"]["moves"], found["phases"]["ending"]["moves"]) == (3, 0)
    (opening,) = found["openings"]
    assert (opening["name"], opening["games"], opening["score"]) == ("Bishop's Opening", 1, 0.0)
    assert client.get("/api/deck").json()["cards"] == []


def test_the_level_follows_games_against_levels(client: TestClient, app: FastAPI) -> None:
    for level in (800, 1000):
        opponent = {"kind": "level", "level": level, "think_time": "none"}
        view = client.post("/api/games", json={"game": "chess", "opponent": opponent}).json()
        client.post(f"/api/games/{view['id']}/moves", json={"move": "e4", "ply": 0})
        client.post(f"/api/games/{view['id']}/resign")
    course = client.get("/api/progress/chess").json()["course"]
    assert [(point["level"], point["score"]) for point in course] == [(800, 0.0), (1000, 0.0)]
    assert course[1]["rating"] < course[0]["rating"] < 800
    assert course[1]["interval"][0] < course[1]["rating"] < course[1]["interval"][1]
    mine = opponent_of_my_level(app.state.host.store.database, "owner", "chess")
    table = shipped_levels("chess")
    assert table is not None
    assert mine.level == max(table.range[0], round(course[1]["rating"], -1))


def test_moves_in_time_trouble_and_games_lost_on_time_are_counted(client: TestClient) -> None:
    review = reviewed(client)
    rules = load_game("chess")
    states = [rules.initial()]
    for row in review["moves"]:
        states.append(rules.play(states[-1], rules.parse_move(states[-1], row["text"])))
    moves = [ReviewedMove(**row) for row in review["moves"]]
    seconds = [58.0, 58.0, 40.0, 7.0, 20.0, 5.0, 10.0]
    settings = GameSettings("chess", 1, (OpponentChoice(), OpponentChoice()), 0, 0.0, clock=TimeControl(60.0))
    played = [StoredMove(move.text, left) for move, left in zip(moves, seconds, strict=True)]
    end = GameResult.of_termination(1.0, Termination.TIME, None)
    stored = StoredGame("one", "owner", settings, played, end, "", 0.0)
    found = finding_of(rules, states, moves, 1, None, stored)
    assert (found.score, found.lost_on_time) == (0.0, True)
    assert found.hurried == (1, moves[5].loss)  # a minute is low below six seconds
    assert found.phases[0][0] == 3
    assert found.phases[0][1] == pytest.approx(sum(moves[i].loss or 0.0 for i in (1, 3, 5)), abs=1e-3)
    assert finding_of(rules, states, moves, 0, 1.0, None).hurried is None


# While playing.


def warned(client: TestClient, game: str, move: str, **wanted: Any) -> dict[str, Any]:
    """What the server says of a move that is not played yet."""
    view = client.post("/api/games", json={"game": game, **wanted}).json()
    ply = view["ply"]
    found = client.get(f"/api/games/{view['id']}/warning", params={"move": move, "ply": ply})
    assert found.status_code == 200, found.text
    assert client.get(f"/api/games/{view['id']}").json()["ply"] == ply  # nothing was played
    stale = client.get(f"/api/games/{view['id']}/warning", params={"move": move, "ply": ply + 1})
    assert stale.status_code == 409
    told: dict[str, Any] = found.json()
    return told


def test_a_move_is_judged_before_it_is_played(client: TestClient) -> None:
    opening = ["e4", "e5", "Bc4", "Nc6", "Qh5"]
    bad = warned(client, "chess", "Nf6", you=1, opening=opening)
    assert (bad["name"], bad["points"]) == ("Nf6", None)
    assert bad["loss"] > 0.4
    assert warned(client, "chess", "g6", you=1, opening=opening)["loss"] < 0.05
    assert set(bad) == {"text", "name", "loss", "points"}  # it tells no better move


def test_moves_of_named_openings_passes_and_shogi_are_not_judged(client: TestClient) -> None:
    assert warned(client, "chess", "f4", you=0)["loss"] == 0  # Bird's Opening
    assert warned(client, "go", "pass", you=0, options={"size": 9})["loss"] is None
    assert warned(client, "shogi", "9g9f", you=0)["loss"] is None


class Counting:
    """A strong network that tells leads: each stone on the first line costs ten points."""

    name, game = "counting", "go"

    def __init__(self, policy: Policy) -> None:
        self._policy = policy

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        first = [position.state.text().startswith("X") for position in positions]
        predictions = zip(self._policy.predict(positions), first, strict=True)
        return [
            replace(found, lead=10.0 * bad, value=0.9 if bad else found.value) for found, bad in predictions
        ]


def test_in_go_a_warning_counts_points_where_the_network_does(client: TestClient, app: FastAPI) -> None:
    opponents = app.state.host.opponents
    policy = SharedPolicy(Counting(opponents.policy("go", STRONG)))
    opponents._policies["go", STRONG] = 0, policy
    assert warned(client, "go", "A9", you=0, options={"size": 9})["points"] == 10
