"""Opponents of the page: levels that adapt, and players of one person."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from sparring.players.persons import person_file
from sparring.policies.person import write_person
from sparring.server.app import create_app
from tests.networks.test_style import fitting_style
from tests.policies.test_person_policy import person_model
from tests.server.conftest import ACCESS
from tests.server.test_games_api import begin, play, post

ADAPTIVE = {"adapt": True}
SCHOLAR = "1. e4 e5 2. Bc4 Nc6 3. Qh5 Nf6 *"


def test_a_level_follows_the_results(client: TestClient) -> None:
    before = client.get("/api/adaptive/chess").json()
    assert before["games"] == 0
    first = begin(client, "chess", opponent=ADAPTIVE)
    assert first["players"][1]["name"]["text"] == "Sparring, level 1500"
    assert "follows your results" in first["players"][1]["about"]["text"]
    assert first["estimate"] is None
    lost = post(client, first, "resign").json()
    assert lost["estimate"]["games"] == 1
    assert lost["estimate"]["rating"] < before["rating"]
    assert client.get("/api/adaptive/chess").json() == lost["estimate"]
    second = begin(client, "chess", opponent={"adapt": True, "level": 2000}, record=SCHOLAR)
    level = round(lost["estimate"]["rating"] / 10) * 10
    assert second["players"][1]["name"]["text"] == f"Sparring, level {level}"
    won = play(client, second, "Qxf7#")
    assert won["estimate"]["rating"] > lost["estimate"]["rating"]
    assert won["estimate"]["games"] == 2


def test_levels_of_go_are_on_the_dial_and_play(client: TestClient) -> None:
    offers = {each["name"]: each for each in client.get("/api/catalogue").json()}
    levels = offers["go"]["levels"]
    assert (levels["family"], levels["scale"], levels["unit"]) == ("Fox", "people", "points")
    assert levels["word"]["text"] == "rank"
    assert levels["names"][str(levels["default"])] == "5k"
    assert "0" not in levels["names"]  # there is no rank between 1k and 1d
    assert [step["level"] for step in levels["estimates"]] == [*range(-15, 0), *range(1, 10)]
    view = play(client, begin(client, "go", opponent={"level": levels["default"]}), "D4")
    assert view["players"][1]["name"]["text"] == "Sparring 5k"
    assert "Errs about as people of 5k do (Fox)." in view["players"][1]["about"]["text"]
    engine = begin(client, "go", opponent={"level": 1550, "scale": "engine"})
    assert engine["players"][1]["name"]["text"] == "Sparring, level 1550"
    assert len(view["moves"]) == 2


def test_a_loss_against_a_low_first_level_lowers_it(client: TestClient) -> None:
    first = begin(client, "chess", opponent={"adapt": True, "level": 700})
    assert post(client, first, "resign").json()["estimate"]["rating"] < 700


def test_a_game_goes_on_at_its_level_after_a_restart(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        games = [begin(client, "chess", opponent={"adapt": True, "level": 1200}) for _ in range(2)]
        post(client, games[0], "resign")
        cookies = dict(client.cookies)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        found = client.get(f"/api/games/{games[1]['id']}").json()
        assert found["players"][1]["name"]["text"] == "Sparring, level 1200"
        assert client.get("/api/adaptive/chess").json()["games"] == 1


@pytest.mark.parametrize(
    ("size", "opponent", "weaker"),
    [(9, {"rating": "5d"}, True), (19, {"rating": "5d"}, False), (9, {"strength": 1}, False)],
)
def test_a_player_that_is_weaker_on_a_small_board_says_so(
    client: TestClient, size: int, opponent: dict[str, Any], weaker: bool
) -> None:
    view = begin(client, "go", options={"size": size}, opponent=opponent)
    assert ("weaker on this board" in view["players"][1]["about"]["text"]) == weaker


@pytest.mark.parametrize(
    "wanted",
    [
        {"game": "breakthrough", "opponent": ADAPTIVE},
        {"game": "chess", "opponent": {"kind": "human", "adapt": True}},
        {"game": "chess", "opponent": ADAPTIVE, "you": None},
        {"game": "chess", "you": None, "second_opponent": ADAPTIVE},
        {"game": "chess", "opponent": {"person": "nobody"}},
        {"game": "chess", "opponent": {"kind": "person"}},
        {"game": "chess", "opponent": {"person": "../../etc/passwd"}},
    ],
)
def test_opponents_that_cannot_be_are_refused(client: TestClient, wanted: dict[str, Any]) -> None:
    answer = client.post("/api/games", json=wanted)
    assert (answer.status_code, list(answer.json())) == (422, ["detail", "text"])
    assert client.get("/api/adaptive/breakthrough").status_code == 422
    assert client.get("/api/adaptive/poker").status_code == 422


def test_a_person_of_the_folder_plays(
    client: TestClient, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SPARRING_HOME", str(tmp_path))
    offers = {each["name"]: each for each in client.get("/api/catalogue").json()}
    assert offers["chess"]["persons"] == []
    (tmp_path / "styles").mkdir()
    (tmp_path / "styles" / "chess.npz").write_bytes(fitting_style("chess").to_bytes())
    model = person_model()
    path = person_file(model.card.person, "chess")
    path.parent.mkdir()
    write_person(path.with_suffix(".person"), model)
    path.write_text(f'game = "chess"\nmodel = "{path.with_suffix(".person").name}"\n')
    offers = {each["name"]: each for each in client.get("/api/catalogue").json()}
    (offer,) = offers["chess"]["persons"]
    assert (offer["name"], offer["title"]) == (path.stem, model.card.person)
    assert offers["go"]["persons"] == []
    view = begin(client, "chess", opponent={"kind": "person", "person": offer["name"]})
    assert view["players"][1]["name"]["text"] == model.card.person
    view = play(client, view, "e4")
    assert view["ply"] == 2
    assert client.get("/api/games").json()[0]["opponent"]["text"] == model.card.person
