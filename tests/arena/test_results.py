"""Results on the disk survive a kill at any moment, and are never mixed up."""

from __future__ import annotations

import dataclasses
import json
from pathlib import Path
from typing import TypeAlias

import pytest

from sparring.arena.results import RESULTS, ArenaGame, ResultStore, read_names, read_results
from sparring.base.errors import BadConfig, BadFile, CannotWrite
from sparring.records import GameRecord
from tests.arena.tournaments import play, small, tournament
from tests.docs.markdown import blocks

Games: TypeAlias = list[tuple[ArenaGame, GameRecord | None]]

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


def test_the_sample_line_of_the_docs_has_the_keys_of_a_line(tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    written = json.loads((tmp_path / RESULTS).read_text().splitlines()[-1])
    (sample,) = (block.code for block in blocks("docs/arena.md") if '"number": 0' in block.code)
    assert list(json.loads(sample)) == list(written)


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
    with pytest.raises(BadConfig, match="another tournament"):
        ResultStore(tmp_path, dataclasses.replace(ENTRY, seed=5))
    with pytest.raises(BadConfig, match="3 games already, more than 2"):
        ResultStore(tmp_path, dataclasses.replace(ENTRY, games=2))


def test_two_runs_do_not_share_a_folder(tmp_path: Path) -> None:
    with ResultStore(tmp_path, ENTRY), pytest.raises(CannotWrite, match="another process is writing"):
        ResultStore(tmp_path, ENTRY)


@pytest.mark.parametrize(
    "line", [b"nonsense\n", b"{}\n", b"[1]\n", b"\n", b"\xff\n", b'{"number": 1, "result": "x"}\n']
)
def test_lines_that_are_no_results_are_named(line: bytes, tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    with (tmp_path / RESULTS).open("ab") as file:
        file.write(line)
    with pytest.raises(BadConfig, match="line 4"):
        read_results([tmp_path])
    with pytest.raises(BadConfig, match="line 4"):
        ResultStore(tmp_path, ENTRY)


def test_a_folder_without_results_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="no results"):
        read_results([tmp_path])


@pytest.mark.parametrize("damage", ["shortened", "changed", "removed"])
def test_a_damaged_file_of_games_is_not_continued(damage: str, tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    path = tmp_path / "games.log"
    content = path.read_bytes()
    if damage == "removed":
        path.unlink()
    else:
        path.write_bytes(content[: len(content) // 2] if damage == "shortened" else b"X" + content[1:])
    kept = path.read_bytes() if path.exists() else None
    with pytest.raises(BadFile, match=r"games.log is damaged .*: restore it"):
        ResultStore(tmp_path, ENTRY)
    assert (path.read_bytes() if path.exists() else None) == kept
    path.write_bytes(content)
    with ResultStore(tmp_path, ENTRY) as store:
        assert len(store.results) == 3


@pytest.mark.parametrize(
    "line",
    ['{"a": 1}', "[]", "1", '{"number": "1"}', "null", '"x"', "[" * 90 + "]" * 90],
)
def test_a_foreign_line_among_results_is_refused(line: str, tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    with (tmp_path / RESULTS).open("a") as file:
        file.write(line + "\n")
    for read in (lambda: read_results([tmp_path]), lambda: ResultStore(tmp_path, ENTRY)):
        with pytest.raises(BadConfig, match=r"results.jsonl, line 4 is foreign"):
            read()


def test_a_game_that_is_listed_twice_is_refused(tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    path = tmp_path / RESULTS
    path.write_text(path.read_text() + path.read_text().splitlines()[0] + "\n")
    with pytest.raises(BadConfig, match="has game 0 twice"):
        ResultStore(tmp_path, ENTRY)


@pytest.mark.parametrize("content", ["{", "[]", '{"players": 1}', '{"fingerprint": []}', "[" * 100_000])
def test_corrupt_facts_of_a_tournament_are_refused(content: str, tmp_path: Path, games: Games) -> None:
    fill(tmp_path, games)
    (tmp_path / "tournament.json").write_text(content)
    for read in (lambda: read_names([tmp_path]), lambda: ResultStore(tmp_path, ENTRY)):
        with pytest.raises(BadConfig, match=r"tournament.json cannot be read"):
            read()
