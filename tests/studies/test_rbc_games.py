"""Studies of recorded RBC games and of matches: counts, resuming, intervals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sparring.rbc.matches import GenerationConfig, generate
from studies.rbc import games as rbc_games
from studies.rbc import matches as rbc_matches
from studies.rbc.games import ReplayConfig, ReplayedSide, win_rates
from studies.rbc.histories import read_games


def test_win_rates_are_grouped_by_number_of_possible_boards() -> None:
    sides = [ReplayedSide(n, 0, 1.0, [1, 4], 0, True) for n in range(10)]
    sides += [ReplayedSide(n, 1, 0.0, [4, 300], 0, True) for n in range(10)]
    rates = {win_rate["boards_up_to"]: win_rate for win_rate in win_rates(sides)}
    assert {bound: each["share"] for bound, each in rates.items()} == {1: 1.0, 5: 0.5, 500: 0.0}
    assert rates[5]["turns"] == 20
    assert win_rates([]) == []


def test_games_are_counted_and_replayed_without_a_miss(tmp_path: Path) -> None:
    generate(GenerationConfig(("guesser", "attacker", "random"), 9, seed=2), tmp_path / "games", 1)
    paths = [tmp_path / "games" / "histories.jsonl.zst"]
    report = rbc_games.run(paths, ReplayConfig(limit=3_000, replayed=3), tmp_path / "out", "command")
    assert report["games"] == 9
    assert report["broken"] == 0
    assert sum(report["results"].values()) == 9
    assert report["scores"]["guesser"]["random"]["games"] == 2
    assert report["replayed"]["sides"] == 6
    assert report["replayed"]["misses"] == 0
    assert (tmp_path / "out" / f"{rbc_games.FIGURE}.svg").exists()
    journal = tmp_path / "out" / rbc_games.JOURNAL
    journal.write_text(journal.read_text() + '{"game": 9')  # cut off by a kill
    again = rbc_games.run(paths, ReplayConfig(limit=3_000, replayed=4), tmp_path / "out", "command")
    assert again["replayed"]["sides"] == 8


def test_a_match_is_played_on_reconchess_s_own_table_and_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    match = rbc_matches.RbcMatch("inference-1", "random", 1, 60.0, 1.0)
    rbc_matches.run([match], tmp_path, "command", 1, None)
    played: list[object] = []
    longer = rbc_matches.RbcMatch("inference-1", "random", 2, 60.0, 1.0)
    report = rbc_matches.run([longer], tmp_path, "command", 1, None, played.append)
    assert len(played) == 1  # the first game was not played again
    (summary,) = report["matches"]
    assert summary["games"] == summary["won"] == 2
    assert summary["clock"] == "60 s + 1 s"
    assert summary["crashed"] == summary["lost_on_time"] == summary["suppressed_failures"] == 0
    assert json.loads((tmp_path / rbc_matches.REPORT).read_text()) == report
    records = [game.record for game in read_games([tmp_path / rbc_matches.HISTORIES])]
    assert [record and (record.first, record.second) for record in records] == [
        ("inference-1", "random"),
        ("random", "inference-1"),
    ]
