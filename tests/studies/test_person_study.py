"""The study of one person on a few games: files, people who are held out, results."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

from sparring.records import open_records
from studies.__main__ import main
from studies.person.packed_games import pack_games, read_games
from studies.person.people import people_of
from tests.cli.test_person_commands import write_games


def test_packed_games_keep_their_identities(tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", 6)
    records = [record.record for record in open_records(tmp_path / "games.pgn")]
    pack_games(records, tmp_path / "few.games")
    again = read_games(tmp_path / "few.games", "chess")
    assert [each.identity("chess") for each in again] == [record.identity("chess") for record in records]


def test_people_have_their_games_in_order_of_time(tmp_path: Path) -> None:
    write_games(tmp_path / "games.pgn", 8)
    (alice,) = people_of(read_games(tmp_path / "games.pgn", "chess"), "chess", 5)
    assert alice.name == "Alice"
    assert [record.date for record in alice.records] == sorted(record.date for record in alice.records)  # type: ignore[type-var]
    assert np.array(alice.sides).sum() == 4


def test_the_study_writes_gains_and_identification(tmp_path: Path) -> None:
    for number, name in enumerate(("Alice", "Bob")):
        write_games(tmp_path / f"{name}.pgn", 20, seed=number, plies=4)
        file = tmp_path / f"{name}.pgn"
        file.write_text(file.read_text().replace("Alice", name))
    arguments = [word for name in ("Alice", "Bob") for word in ("-r", str(tmp_path / f"{name}.pgn"))]
    out = tmp_path / "out"
    main(
        ["person", "chess", *arguments, "--people", "2", "--held", "4", "--known-by", "10", "--out", str(out)]
    )
    report = json.loads((out / "chess.json").read_text())
    assert {person["name"] for person in report["people"]} == {"Alice", "Bob"}
    assert report["summary"]["10"]["people"] == 2
    assert report["summary"]["10"]["nats"]["low"] <= report["summary"]["10"]["nats"]["value"]
    assert [row["games"] for row in report["identification"]] == [1, 2]
