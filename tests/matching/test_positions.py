"""Positions of recorded games: equal to those of training, with ratings, clocks and evaluations."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sparring.base.errors import NotFound
from sparring.games import load_game
from sparring.measure.samples import PHASES, GameSelection, Sample, game_phase, read_sample
from sparring.records import Batches
from tests.matching.tables import chess_table, random_record, rated, read_table, tenths, write_table


def sample_of(*tables: Path, game: str = "chess") -> Sample:
    return read_sample(GameSelection(game, tables, split=None))


@pytest.mark.parametrize("game", ["chess", "shogi", "go", "expendibots", "rbc"])
def test_they_are_the_positions_that_training_would_see(game: str, tmp_path: Path) -> None:
    rng = random.Random(3)
    clocks = [tenths(*(rng.randrange(60) for _ in range(40))) for _ in range(12)]
    records = [random_record(game, rng, rng.randrange(5, 40), clocks=clock) for clock in clocks]
    table = write_table(tmp_path / "t", game, records, skip_plies=4, min_clock=10)
    seen = {}
    for batch in Batches([table], split=None, threads=1):
        for i in range(len(batch)):
            seen[int(batch.game[i]), int(batch.ply[i])] = int(batch.index[i])
    sample = sample_of(table, game=game)
    found = {
        (sample.games[fact["game"]].identity, int(fact["ply"])): int(fact["played"])
        for fact in sample.metadata
    }
    assert found == seen
    assert len(found) == len(sample)


def test_a_position_has_ratings_and_the_movers_clock_before_the_move(tmp_path: Path) -> None:
    record = random_record(
        "chess",
        random.Random(1),
        5,
        first_rating=1510,
        second_rating=1590,
        clocks=tenths(60, 50, 40, -0.1, 20),
    )
    sample = sample_of(write_table(tmp_path / "t", "chess", [record]))
    ((_, positions),) = sample.batches(0, 100)
    assert [p.rating for p in positions] == [1510, 1590, 1510, 1590, 1510]
    assert [p.opponent_rating for p in positions] == [1590, 1510, 1590, 1510, 1590]
    assert [p.clock for p in positions] == [None, None, 60, 50, 40]
    assert [p.state.ply for p in positions] == [0, 1, 2, 3, 4]


def test_in_go_the_rating_is_the_rank(tmp_path: Path) -> None:
    record = random_record("go", random.Random(1), 3, first_rank="2k", second_rank="2k", first_rating=9)
    ((_, positions),) = sample_of(write_table(tmp_path / "t", "go", [record]), game="go").batches(0, 9)
    assert [p.rating for p in positions] == [-2, -2, -2]


def test_evaluations_are_the_movers_and_swings_what_the_move_changed(tmp_path: Path) -> None:
    evals = np.array([30, -20, -32768, 31999, 100], np.int16).tobytes()
    record = random_record("chess", random.Random(1), 5, first_rating=1500, second_rating=1500, evals=evals)
    metadata = sample_of(write_table(tmp_path / "t", "chess", [record])).metadata
    np.testing.assert_array_equal(metadata["evaluation"], [0, -30, -20, np.nan, 1000])
    np.testing.assert_array_equal(metadata["swing"], [30, 50, np.nan, np.nan, -900])


@pytest.mark.parametrize("begin", [0, 1, 29, 30, 31, 64, 1750])
def test_a_stream_can_begin_anywhere(begin: int, tmp_path: Path) -> None:
    sample = sample_of(chess_table(tmp_path / "t", 30))
    everything: list[Any] = [p.state for _, batch in sample.batches(0, 1000) for p in batch]
    assert len(everything) == len(sample) > 1750
    places, states = [], []
    for place, batch in sample.batches(begin, 64):
        places.append(place)
        states += [p.state for p in batch]
    assert states == everything[begin:]
    assert places == list(range(begin, len(sample), 64))


def test_moves_after_the_end_by_rule_do_not_count(tmp_path: Path) -> None:
    """Knights go back and forth until the fifth repetition ends the game, and then two moves more."""
    state = load_game("chess").initial()
    for text in ["g1f3", "g8f6", "f3g1", "f6g8"] * 5:
        state = state.play_past_end(state.parse_move(text))
    record = random_record("chess", random.Random(1), 1, first_rating=1500, second_rating=1500)
    record = type(record)(moves=state.pack_moves(1), result=0.5, first_rating=1500, second_rating=1500)
    sample = sample_of(write_table(tmp_path / "t", "chess", [record]))
    assert len(sample) == 16


def test_the_digest_tells_samples_apart(tmp_path: Path) -> None:
    tables = [
        chess_table(tmp_path / "a", 4), chess_table(tmp_path / "b", 4),
        chess_table(tmp_path / "c", 4, skip_plies=1), chess_table(tmp_path / "d", 5),
    ]  # fmt: skip
    digests = [sample_of(table).digest() for table in tables]
    assert digests[0] == digests[1]
    assert len(set(digests)) == 3


def test_games_that_are_too_short_leave_nothing(tmp_path: Path) -> None:
    rng = random.Random(1)
    short, long = rated(2, rng, 1500, plies=5), rated(1, rng, 1500, plies=12)
    table = write_table(tmp_path / "t", "chess", short, skip_plies=10)
    with pytest.raises(NotFound, match="none of the positions of 2 games counts"):
        sample_of(table)
    sample = sample_of(write_table(tmp_path / "u", "chess", short + long, skip_plies=10))
    assert (len(sample.games), len(sample)) == (1, 2)
    assert sample.games[0].record == next(r for r in read_table(tmp_path / "u") if len(r.moves) == 12)


def test_chess_is_in_its_endgame_by_material() -> None:
    rules = load_game("chess")
    ending = rules.parse("4k3/pppppppp/8/8/8/8/PPPPPPPP/RNBQKB2 w Q - 0 1")
    assert PHASES[game_phase("chess", ending, 0)] == "endgame"
    assert PHASES[game_phase("chess", rules.initial(), 19)] == "opening"
    assert PHASES[game_phase("chess", rules.initial(), 20)] == "middle game"
    go = load_game("go").initial()
    assert [game_phase("go", go, ply) for ply in (49, 50, 149, 150)] == [0, 1, 1, 2]
