"""`open_records`: games and positions of tables and files, as a reader of Python sees them."""

from __future__ import annotations

import gzip
import io
import random
from pathlib import Path

import chess.pgn
import pytest

import sparring
from sparring.base.errors import BadFile
from sparring.games import GAMES, load_game
from sparring.measure.samples import GameSelection, read_sample
from sparring.records import RecordedGame, Split, build_table, load_preset
from sparring.records.build import find_sources
from tests.matching.tables import random_record, rated, write_table
from tests.records.test_table import pgn

PGN = """[Event "Rated Blitz game"]
[White "Anna"]
[Black "Ben"]
[Result "1-0"]
[WhiteElo "1510"]
[BlackElo "1490"]
[TimeControl "180+2"]

1. e4 { [%clk 0:03:00] } e5 { [%clk 0:02:59] } 2. Qh5 { [%clk 0:02:50] } Nc6 { [%clk 0:02:40] }
3. Bc4 { [%clk 0:02:45] } Nf6 { [%clk 0:00:05] } 4. Qxf7# { [%clk 0:02:44] } 1-0
"""


@pytest.fixture
def mate(tmp_path: Path) -> RecordedGame:
    (tmp_path / "mate.pgn").write_text(PGN)
    return next(iter(sparring.open_records(tmp_path / "mate.pgn")))


def test_a_game_of_a_file_says_what_its_tags_say(mate: RecordedGame) -> None:
    assert mate.game == "chess"
    assert mate.players == ("Anna", "Ben")
    assert mate.ratings == (1510, 1490)
    assert mate.result == 1
    assert mate.record.time_control == "180+2"
    assert mate.moves == ["e2e4", "e7e5", "d1h5", "b8c6", "f1c4", "g8f6", "h5f7"]
    assert mate.clocks == [180, 179, 170, 160, 165, 5, 164]
    assert len(mate) == 7


def test_states_lead_from_the_beginning_to_the_end(mate: RecordedGame) -> None:
    assert len(mate.states) == 8
    assert mate.states[0] == load_game("chess").initial()
    assert mate.states[-1].outcome.reason == "checkmate"


def test_a_position_has_the_mover_s_rating_clock_and_result(mate: RecordedGame) -> None:
    positions = list(mate.positions())
    assert [position.move_text for position in positions] == mate.moves
    assert [position.ply for position in positions] == list(range(7))
    assert [position.position.rating for position in positions[:2]] == [1510, 1490]
    assert [position.position.opponent_rating for position in positions[:2]] == [1490, 1510]
    assert [position.position.clock for position in positions[:4]] == [None, None, 180, 179]
    assert [position.result for position in positions[:2]] == [1, 0]
    assert all(position.state.play(position.move) == mate.states[position.ply + 1] for position in positions)


def test_first_plies_and_hurried_moves_can_be_left_out(mate: RecordedGame) -> None:
    assert [position.ply for position in mate.positions(skip_plies=2, min_clock=30)] == [2, 3, 4, 6]


def test_a_game_prints_as_pgn(mate: RecordedGame) -> None:
    game = chess.pgn.read_game(io.StringIO(str(mate)))
    assert game is not None
    assert game.headers["White"] == "Anna"
    assert [move.uci() for move in game.mainline_moves()] == mate.moves


def test_a_game_has_a_short_repr(mate: RecordedGame) -> None:
    assert repr(mate) == f"<RecordedGame {mate.id} (chess): {mate.players[0]} - {mate.players[1]}>"


def test_a_table_and_its_file_have_the_same_games(tmp_path: Path) -> None:
    (tmp_path / "games.pgn.gz").write_bytes(gzip.compress(pgn(1, 30).encode()))
    build_table([tmp_path / "games.pgn.gz"], load_preset("everything"), tmp_path / "table", shard=7)
    table = sparring.open_records(tmp_path / "table")
    file = sparring.open_records(tmp_path / "games.pgn.gz")
    assert len(table) == len(list(file)) == 30
    with pytest.raises(TypeError, match="is not a table: count its games"):
        len(file)
    assert sorted(game.id for game in table) == sorted(game.id for game in file)
    assert table.game == file.game == "chess"


def test_positions_agree_with_those_that_are_measured_on(tmp_path: Path) -> None:
    folder = write_table(tmp_path, "chess", rated(20, random.Random(2), 1500), skip_plies=4)
    sample = read_sample(GameSelection("chess", (folder,), split=None))
    ours = {position.position for position in sparring.open_records(folder).positions()}
    theirs = {position for _, batch in sample.batches(0, 100) for position in batch}
    assert ours == theirs
    assert len(list(sparring.open_records(folder).positions(skip_plies=0))) > len(sample)


def test_a_split_takes_each_game_once(tmp_path: Path) -> None:
    folder = write_table(tmp_path, "chess", rated(40, random.Random(3), 1500, plies=4))
    table = sparring.open_records(folder)
    parts = {split: {position.game.id for position in table.positions(split)} for split in Split}
    assert set.union(*parts.values()) == {game.id for game in table}
    assert sum(map(len, parts.values())) == 40
    assert {position.game.id for position in table.positions("train")} == parts[Split.TRAIN]
    assert {position.game.id for position in table.positions("train", seed=1)} != parts[Split.TRAIN]


def test_an_unknown_split_is_named() -> None:
    with pytest.raises(ValueError, match="unknown split 'tset'; there are train, validation, test"):
        Split("tset")


def test_positions_of_some_ratings(tmp_path: Path) -> None:
    rng = random.Random(4)
    folder = write_table(tmp_path, "chess", [*rated(3, rng, 1500, plies=4), *rated(3, rng, 1900, plies=4)])
    found = list(sparring.open_records(folder).positions(ratings=(1900, 2000)))
    assert len(found) == 12
    assert {(each.position.rating or 0) // 100 for each in found} == {19}


def test_ranks_are_numbers(tmp_path: Path) -> None:
    record = random_record("go", random.Random(5), 10, first_rank="3d", second_rank="2k")
    game = next(iter(sparring.open_records(write_table(tmp_path, "go", [record]))))
    assert game.ratings == (3, -2)
    assert [position.position.rating for position in game.positions()][:2] == [3, -2]


@pytest.mark.parametrize("name", GAMES)
def test_games_of_every_kind_are_replayed_and_written(name: str, tmp_path: Path) -> None:
    record = random_record(name, random.Random(7), 12)
    game = next(iter(sparring.open_records(write_table(tmp_path, name, [record]))))
    assert [position.move_text for position in game.positions()] == game.moves
    assert len(game.states) == len(game) + 1
    assert str(game)


def test_a_folder_of_files_is_one_collection(tmp_path: Path) -> None:
    (tmp_path / "deep").mkdir()
    (tmp_path / "a.pgn").write_text(pgn(1, 3))
    (tmp_path / "deep" / "b.pgn").write_text(pgn(2, 4))
    (tmp_path / "notes.txt").write_text("not games")
    assert len(list(sparring.open_records(tmp_path))) == 7
    assert len(find_sources([tmp_path], "chess", pytest.fail)) == 2


def test_broken_games_are_reported_and_skipped(tmp_path: Path) -> None:
    (tmp_path / "a.pgn").write_text(f"{PGN}\n{PGN.replace('Qxf7#', 'Qxa1')}\n{PGN}")
    errors: list[str] = []
    assert len(list(sparring.open_records(tmp_path / "a.pgn", on_error=errors.append))) == 2
    assert len(errors) == 1
    assert errors[0].startswith(f"{tmp_path / 'a.pgn'}, line ")


def test_sources_that_cannot_be_opened_are_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="no such file or folder"):
        sparring.open_records(tmp_path / "nowhere")
    (tmp_path / "notes.txt").write_text("not games")
    with pytest.raises(BadFile, match="game files end in"):
        sparring.open_records(tmp_path / "notes.txt")
    (tmp_path / "a.pgn").write_text(PGN)
    (tmp_path / "a.sgf").write_text("(;GM[1])")
    with pytest.raises(BadFile, match="several games: pass game, one of chess, go"):
        sparring.open_records(tmp_path)
    assert len(list(sparring.open_records(tmp_path, "chess"))) == 1
    with pytest.raises(ValueError, match="unknown game 'checkers'"):
        sparring.open_records(tmp_path / "a.pgn", "checkers")
    folder = write_table(tmp_path / "table", "chess", rated(1, random.Random(6), 1500))
    with pytest.raises(BadFile, match="holds games of chess, not of go"):
        sparring.open_records(folder, "go")
