"""Results on the disk survive a kill at any moment, and are never mixed up."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TypeAlias

import pytest

from sparring.arena.results import RESULTS, GameResult, ResultStore, read_names, read_results
from sparring.arena.tournament import BadTournament
from sparring.records import GameRecord
from tests.arena.tournaments import play, small, tournament

Games: TypeAlias = list[tuple[GameResult, GameRecord | None]]

ENTRY = tournament(*small(1, 1), game="expendibots", rules={}, games=3)


@pytest.fixture(scope="module")
def games() -> Games:
    return play(ENTRY)


def fill(folder: Path, games: Games) -> None:
    with ResultStore(folder, ENTRY) as store:
        for result, record in games:
            store.add(result, record)


def test_added_results_are_read_again(tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    assert read_results([tmp_path]) == [result for result, _ in games]
    assert read_names([tmp_path]) == ["small-1", "small-2"]
    assert (tmp_path / "games.log").read_text().count("[game ]") == 3


@pytest.mark.parametrize("cut", [1, 30])
def test_a_half_written_line_is_cut_off_with_its_game(cut: int, tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    path = tmp_path / RESULTS
    path.write_bytes(path.read_bytes()[:-cut])
    with ResultStore(tmp_path, ENTRY) as store:
        assert [result.number for result in store.results] == [0, 1]
        store.add(*games[2])
    assert [result.number for result in read_results([tmp_path])] == [0, 1, 2]
    assert (tmp_path / "games.log").read_text().count("[game ]") == 3


def test_a_game_without_its_line_is_cut_away(tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    with (tmp_path / "games.log").open("a") as file:
        file.write("[game ] - Start game log at game 4\n[white] - MO")
    with ResultStore(tmp_path, ENTRY):
        pass
    assert (tmp_path / "games.log").read_text().count("[game ]") == 3


def test_another_tournament_is_refused_and_more_games_are_not(tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    with ResultStore(tmp_path, dataclasses.replace(ENTRY, games=9)) as store:
        assert len(store.results) == 3
    with pytest.raises(BadTournament, match="another tournament"):
        ResultStore(tmp_path, dataclasses.replace(ENTRY, seed=5))
    with pytest.raises(BadTournament, match="3 games already, more than 2"):
        ResultStore(tmp_path, dataclasses.replace(ENTRY, games=2))


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with ResultStore(tmp_path, ENTRY), pytest.raises(BadTournament, match="another process is writing"):
        ResultStore(tmp_path, ENTRY)


@pytest.mark.parametrize(
    "line", [b"nonsense\n", b"{}\n", b"[1]\n", b"\n", b"\xff\n", b'{"number": 1, "result": "x"}\n']
)
def test_lines_that_are_no_results_are_named(line: bytes, tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    with (tmp_path / RESULTS).open("ab") as file:
        file.write(line)
    with pytest.raises(BadTournament, match="line 4"):
        read_results([tmp_path])
    with pytest.raises(BadTournament, match="line 4"):
        ResultStore(tmp_path, ENTRY)


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadTournament, match="no results"):
        read_results([tmp_path])
