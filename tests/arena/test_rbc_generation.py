"""Generated games depend on the seed alone; no game is lost or duplicated by a kill."""

from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path

import pytest

from sparring.base.errors import BadConfig
from sparring.games import describe
from sparring.rbc.history import read_histories
from sparring.rbc.matches import HISTORIES, INDEX, GeneratedGame, GenerationConfig, game_setup, generate
from sparring.records.sources import open_chunks

GENERATION = GenerationConfig(("random", "attacker"), 6, seed=3, random_turns=2)


def histories(folder: Path) -> dict[str, bytes]:
    """The games in a folder, by their numbers."""
    found = list(read_histories(open_chunks(folder / HISTORIES)))
    assert all(each.record is not None for each in found), [each.error for each in found]
    return {each.record.site or "": each.record.moves for each in found if each.record}


def test_every_two_bots_meet_with_both_colours() -> None:
    met = Counter(game_setup(GENERATION, number)[:2] for number in range(40))
    assert set(met) == {(a, b) for a in GENERATION.players for b in GENERATION.players}
    assert set(met.values()) == {10}
    assert {game_setup(GENERATION, number)[2] for number in range(40)} == {0, 1, 2}


def test_a_run_that_was_killed_goes_on_and_gives_the_same_games(tmp_path: Path) -> None:
    whole, stopped = tmp_path / "whole", tmp_path / "stopped"
    games = generate(GENERATION, whole, 1)
    assert sorted(game.number for game in games) == list(range(6))

    class Kill(Exception):
        pass

    def on_progress(done: object) -> None:
        if isinstance(done, list) and len(done) == 2:
            raise Kill

    with pytest.raises(Kill):
        generate(GENERATION, stopped, 1, on_progress)
    for name, cut_off in ((HISTORIES, b"half a game"), (INDEX, b'{"number": 2, "fir')):
        with (stopped / name).open("ab") as file:
            file.write(cut_off)
    assert len(generate(GENERATION, stopped, 2)) == 6
    assert histories(stopped) == histories(whole)
    assert len(histories(whole)) == 6


def test_a_game_whose_history_is_not_whole_is_played_again(tmp_path: Path) -> None:
    generate(GenerationConfig(("random",), 2), tmp_path, 1)
    whole = histories(tmp_path)
    os.truncate(tmp_path / HISTORIES, (tmp_path / HISTORIES).stat().st_size - 1)
    assert [each.number for each in generate(GenerationConfig(("random",), 2), tmp_path, 1)] == [0, 1]
    assert histories(tmp_path) == whole


def test_a_folder_is_for_one_generation(tmp_path: Path) -> None:
    generate(GenerationConfig(("random",), 1), tmp_path, 1)
    assert len(generate(GenerationConfig(("random",), 2), tmp_path, 1)) == 2  # more of the same
    with pytest.raises(BadConfig, match="holds other games"):
        generate(GenerationConfig(("random",), 2, seed=1), tmp_path, 1)
    (tmp_path / INDEX).write_text("nonsense\n")
    with pytest.raises(BadConfig, match=r"index.ndjson, line 1 is not JSON"):
        generate(GenerationConfig(("random",), 2), tmp_path, 1)


def test_unplayable_configurations_are_immediate_errors() -> None:
    with pytest.raises(BadConfig, match="nobody"):
        GenerationConfig(("nobody",), 1)
    with pytest.raises(BadConfig, match="at least one"):
        GenerationConfig((), 1)


def test_the_index_says_how_games_went(tmp_path: Path) -> None:
    generate(GENERATION, tmp_path, 1)
    _, *lines = (tmp_path / INDEX).read_text().splitlines()
    games = {game.number: game for game in (GeneratedGame(**json.loads(line)) for line in lines)}
    assert sorted(games) == list(range(6))
    for place, game in enumerate(read_histories(open_chunks(tmp_path / HISTORIES))):
        assert game.record is not None
        entry = list(games.values())[place]
        assert game.record.result == entry.result
        assert len(game.record.moves) // describe("rbc").packed_move_bytes == entry.plies


def test_damaged_histories_are_not_continued(tmp_path: Path) -> None:
    generation = GenerationConfig(("random",), 2)
    generate(generation, tmp_path, 1)
    path = tmp_path / HISTORIES
    content = bytearray(path.read_bytes())
    content[len(content) // 2] ^= 1
    path.write_bytes(content)
    with pytest.raises(BadConfig, match="is damaged"):
        generate(generation, tmp_path, 1)


def test_a_foreign_line_of_the_index_is_refused(tmp_path: Path) -> None:
    generation = GenerationConfig(("random",), 2)
    generate(generation, tmp_path, 1)
    with (tmp_path / INDEX).open("a") as index:
        index.write('{"end": "x"}\n')
    with pytest.raises(BadConfig, match="line 4 is foreign"):
        generate(generation, tmp_path, 1)
