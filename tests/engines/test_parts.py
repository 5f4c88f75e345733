from __future__ import annotations

import pytest

from sparring.base.clock import Clock, GameClock
from sparring.engines.protocols import (
    lc0_centipawns,
    mate_in_moves,
    mate_in_plies,
    permille,
    shogi_centipawns,
    wdl_of,
)
from sparring.engines.search_thread import GoCommand, parse_go
from sparring.go.gtp_board import kgs_time_settings, set_time_left, spend_time, time_settings


def go(text: str) -> GoCommand:
    return parse_go(text.split())


def test_a_go_with_everything() -> None:
    go_command = go("wtime 1000 btime 2000 winc 10 binc 20 movestogo 5 searchmoves e2e4 d2d4 nodes 7 ponder")
    assert go_command.clock("w") == Clock(1.0, 0.01, 5)
    assert go_command.clock("b") == Clock(2.0, 0.02, 5)
    assert go_command.moves == ("e2e4", "d2d4")
    assert go_command.nodes == 7
    assert go_command.ponder
    assert not go_command.infinite


def test_byoyomi_alone_is_a_clock() -> None:
    assert go("btime 0 wtime 0 byoyomi 3000").clock("b") == Clock(0.0, byoyomi=3.0)
    assert go("byoyomi 3000").clock("w") == Clock(0.0, byoyomi=3.0)


def test_invalid_words_of_go_are_left_out() -> None:
    go_command = go("wtime soon nodes 9 fast winc")
    assert go_command.numbers == {"nodes": 9}
    assert go_command.unknown == ("wtime", "soon", "fast", "winc")


@pytest.mark.parametrize("overhead", [0.0, 0.1, 1.0])
@pytest.mark.parametrize(
    "words",
    ["wtime 60000", "wtime 100", "wtime 1", "wtime -50", "wtime 3000 winc 2000", "wtime 2000 movestogo 1",
     "wtime 0 byoyomi 1000", "wtime 5000 byoyomi 1000", "movetime 100", "wtime 10000 movestogo 40"],
)  # fmt: skip
def test_no_move_takes_more_than_there_is(words: str, overhead: float) -> None:
    go_command = go(words)
    seconds = go_command.seconds("w", overhead)
    there = go_command.numbers.get(
        "movetime", go_command.numbers.get("wtime", 0) + go_command.numbers.get("byoyomi", 0)
    )
    assert seconds is not None
    assert seconds <= max(there / 1000 - (overhead if "movetime" not in words else 0), 0.001)


def test_scores_grow_with_values_and_are_finite_at_the_ends() -> None:
    for centipawns in (lc0_centipawns, shogi_centipawns):
        scores = [centipawns(value / 10) for value in range(-10, 11)]
        assert scores == sorted(scores)
        assert scores[10] == 0
        assert [-score for score in scores] == scores[::-1]


def test_mates_are_counted_as_protocols_do() -> None:
    assert [mate_in_moves(forced) for forced in (1, 3, 5, -2, -4)] == [1, 2, 3, -1, -2]
    assert [mate_in_plies(forced) for forced in (1, 3, -2)] == [1, 3, -2]


def test_chances_add_up_and_mean_what_the_value_says() -> None:
    for value in (-1.0, -0.4, 0.0, 0.9, 1.0):
        won, drawn, lost = wdl_of(value, (0.3, 0.5, 0.2))
        assert min(won, drawn, lost) >= -1e-12
        assert won - lost == pytest.approx(value)
        assert won + drawn + lost == pytest.approx(1)
        assert sum(permille((won, drawn, lost))) == 1000
    assert wdl_of(0.2, None) == (0.6, 0.0, 0.4)


def test_canadian_overtime_counts_down_and_begins_again() -> None:
    clock = GameClock(time_settings(10, 30, 2))
    assert clock.clock(0) == Clock(10)
    spend_time(clock, 0, 12)  # the move that uses up the main time is the first of a period
    assert clock.clock(0) == Clock(28, moves_to_go=1)
    spend_time(clock, 0, 20)
    assert clock.clock(0) == Clock(30, moves_to_go=2)
    spend_time(clock, 0, 5)
    assert clock.clock(0) == Clock(25, moves_to_go=1)
    assert clock.clock(1) == Clock(10)


def test_japanese_overtime_is_there_at_every_move() -> None:
    clock = GameClock(kgs_time_settings(["byoyomi", "60", "10", "3"]))
    assert clock.clock(0) == Clock(60, byoyomi=10, periods=3)
    set_time_left(clock, 0, 10, 3)  # KGS tells periods in place of stones
    assert clock.clock(0) == Clock(0, byoyomi=10, periods=3)
    set_time_left(clock, 0, 4, 2)
    assert clock.clock(0) == Clock(0, byoyomi=4, periods=2), "the rest of a period is all that a move has"
    spend_time(clock, 0, 3)
    assert clock.clock(0) == Clock(0, byoyomi=10, periods=2)
    spend_time(clock, 0, 12)
    assert clock.clock(0) == Clock(0, byoyomi=10, periods=1)
    set_time_left(clock, 1, 30, 0)
    assert clock.clock(1) == Clock(30, byoyomi=10, periods=3), "main time"


def test_canadian_overtime_without_main_time_begins_at_once() -> None:
    """GUIs that send `time_settings 0 30 2` and no `time_left` leave it to the engine."""
    clock = GameClock(time_settings(0, 30, 2))
    assert clock.clock(0) == Clock(30, moves_to_go=2)
    spend_time(clock, 0, 12)
    assert clock.clock(0) == Clock(18, moves_to_go=1)


def test_no_clock_runs_before_there_is_one() -> None:
    assert GameClock(None).clock(0) is None
    clock = GameClock(time_settings(0, 1, 0))
    assert clock.clock(0) is None
    set_time_left(clock, 1, 30, 0)
    assert clock.clock(1) == Clock(30)
