"""Shipped networks, policies, level tables and evaluations have versions, which saved games name."""

from __future__ import annotations

import json
import typing
from hashlib import sha256
from pathlib import Path

import pytest
from fastapi.testclient import TestClient

from sparring import data
from sparring.data import FileVersion
from sparring.server.app import create_app
from sparring.server.page_game import GameSettings
from sparring.server.store import Database
from tests.server.conftest import ACCESS
from tests.server.test_games_api import begin, play, post

VERSIONED: tuple[data.Kind, ...] = (
    "behaviour",
    "difficulty",
    "evaluations",
    "levels",
    "networks",
    "opening_styles",
    "policies",
    "styles",
    "synopsis_networks",
    "line_search",
    "value_networks",
)
FILES = [(kind, name) for kind in VERSIONED for name in data.names(kind)]


@pytest.mark.parametrize(("kind", "name"), FILES)
def test_a_file_has_the_hash_of_its_version(kind: data.Kind, name: str) -> None:
    row = data.file_version(kind, name)
    assert row is not None, f"{kind}/{name} has no row in versions.toml"
    assert row.version >= 1
    assert row.sha256 == sha256(data.path(kind, name).read_bytes()).hexdigest(), (
        f"{kind}/{name} has changed: give it the next version in versions.toml, with its new hash"
    )


def test_every_version_is_of_a_shipped_file() -> None:
    rows = {(kind, name) for kind, names in data._versions().items() for name in names}
    assert rows == set(FILES)
    assert set(VERSIONED) <= set(typing.get_args(data.Kind))


def test_a_game_names_what_its_opponent_played_with(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        level = begin(client, "chess", opponent={"level": 1200})
        networks = {"networks/human-chess": 1, "networks/strong-chess": 1}
        behaviour = {"behaviour/chess": 1, "behaviour/think-time": 1}
        policy = {"policies/level-people-chess": 1}
        assert level["versions"] == {"levels/chess": 2, **networks, **behaviour, **policy}
        strong = begin(client, "chess", opponent={"level": 2400, "scale": "engine"})
        assert strong["versions"]["levels/chess-engine"] == 1
        assert "policies/level-search-chess" in strong["versions"]
        assert "levels/chess" not in strong["versions"]
        style = begin(client, "chess", opponent={"rating": 1200, "kind": "human"})
        assert style["versions"] == {**networks, **behaviour, "policies/blend-chess": 1}
        quick = begin(client, "chess", opponent={"rating": 1200, "kind": "human", "think_time": "none"})
        assert "behaviour/think-time" not in quick["versions"]
        assert begin(client, "go", opponent={"rating": "5k"})["versions"]["behaviour/think-time"] == 1
        assert begin(client, "chess", opponent={"strength": 1})["versions"] == {}
        ranging = begin(client, "shogi", opponent={"level": 30, "opening_style": "ranging-rook"})
        assert ranging["versions"]["opening_styles/shogi"] == 1
        assert ranging["versions"]["levels/shogi"] == 2
        engine = begin(client, "shogi", opponent={"level": 480, "scale": "engine"})["versions"]
        assert engine["levels/shogi-engine"] == engine["policies/blend-shogi"] == 1
        assert set(begin(client, "rbc")["versions"]) == {"synopsis_networks/rbc-small"}
        pgn = client.get(f"/api/games/{level['id']}/record", params={"format": "pgn"}).text
        assert '[OpponentVersions "levels/chess 2, networks/human-chess 1, ' in pgn


def test_a_game_of_another_version_says_so_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = play(client, begin(client, "chess", opponent={"level": 1200}), "e4")
        assert view["facts"] == []
        cookies = dict(client.cookies)
    versions = {kind: dict(rows) for kind, rows in data._versions().items()}
    versions["levels"]["chess"] = FileVersion(3, "0" * 64)
    monkeypatch.setattr(data, "_versions", lambda: versions)
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        later = client.get(f"/api/games/{view['id']}").json()
        assert [fact["text"] for fact in later["facts"]] == [
            "The opponent has changed (levels/chess 2 → 3): it goes on as it is today."
        ]
        assert later["versions"] == view["versions"]
        over = post(client, play(client, later, "d4"), "resign").json()
        assert [fact["text"] for fact in over["facts"]] == [
            "Played with earlier versions of the opponent (levels/chess 2 → 3)."
        ]
        assert begin(client, "chess", opponent={"level": 1200})["facts"] == []


def test_a_game_stored_before_there_were_scales_keeps_its_level_table(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, "chess", opponent={"level": 2000})
        cookies = dict(client.cookies)
    database = Database(file)
    ((text,),) = database.read("SELECT settings FROM games")
    table = json.loads(text)
    for opponent in table["opponents"]:
        del opponent["scale"]
    networks = {"networks/human-chess": 1, "networks/strong-chess": 1}
    table["versions"] = {"levels/chess": 1, **networks, "policies/blend-chess": 1}
    settings = GameSettings.from_json(json.dumps(table))
    assert settings.versions == {"levels/chess-engine": 1, **networks, "policies/blend-chess": 1}
    assert {opponent.scale for opponent in settings.opponents} == {"engine"}
    assert settings.changed_versions() == []
    assert GameSettings.from_json(settings.to_json()) == settings
    database.write(lambda opened: opened.execute("UPDATE games SET settings = ?", (json.dumps(table),)))
    database.close()
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        later = client.get(f"/api/games/{view['id']}").json()
        assert later["facts"] == []
        assert play(client, later, "e4")["moves"]


def test_a_game_of_shogi_stored_with_the_first_table_keeps_the_scale_of_engines(tmp_path: Path) -> None:
    with TestClient(create_app(tmp_path / "page.sqlite", ACCESS, None)) as client:
        begin(client, "shogi", opponent={"level": 50})
    database = Database(tmp_path / "page.sqlite")
    ((text,),) = database.read("SELECT settings FROM games")
    database.close()
    table = json.loads(text)
    for opponent in table["opponents"]:
        if opponent["kind"] == "level":
            opponent["level"] = 480
    table["versions"] = {"levels/shogi": 1}
    settings = GameSettings.from_json(json.dumps(table))
    assert settings.versions == {"levels/shogi-engine": 1}
    assert {opponent.scale for opponent in settings.opponents} == {"engine"}
    assert GameSettings.from_json(settings.to_json()) == settings


def test_a_game_stored_without_versions_says_nothing(tmp_path: Path) -> None:
    file = tmp_path / "page.sqlite"
    with TestClient(create_app(file, ACCESS, None)) as client:
        view = begin(client, "chess", opponent={"level": 1200})
        cookies = dict(client.cookies)
    database = Database(file)
    ((text,),) = database.read("SELECT settings FROM games")
    table = json.loads(text)
    del table["versions"]
    assert GameSettings.from_json(json.dumps(table)).changed_versions() == []
    database.write(lambda opened: opened.execute("UPDATE games SET settings = ?", (json.dumps(table),)))
    database.close()
    with TestClient(create_app(file, ACCESS, None), cookies=cookies) as client:
        assert client.get(f"/api/games/{view['id']}").json()["facts"] == []
