"""Clocks: every time control, in seconds that a test decides."""

from __future__ import annotations

import pytest

from sparring.base.clock import Clock, GameClock, TimeControl


def spent(clock: GameClock, *seconds: float) -> Clock:
    """Player 0's clock after turns of these lengths."""
    for turn in seconds:
        assert clock.spend(0, turn)
    shown = clock.clock(0)
    assert shown is not None
    return shown


def test_an_increment_is_added_after_each_move_and_the_margin_is_no_time() -> None:
    clock = GameClock(TimeControl(10, increment=2, margin=0.5))
    assert clock.allowed(0) == 10.5
    assert spent(clock, 3) == Clock(9, 2)
    assert clock.left == [9, 10]
    assert not clock.spend(0, 9.6)
    assert clock.left == [9, 10]


def test_sudden_death_ends_with_the_base() -> None:
    clock = GameClock(TimeControl(10, margin=0))
    assert spent(clock, 4, 6) == Clock(0)
    assert not clock.spend(0, 0.1)


def test_byoyomi_is_there_at_every_move() -> None:
    clock = GameClock(TimeControl(1, byoyomi=5, margin=0))
    assert spent(clock, 4, 5, 5) == Clock(0, byoyomi=5)
    assert not clock.spend(0, 5.1)


def test_a_long_move_uses_up_periods_of_byoyomi() -> None:
    clock = GameClock(TimeControl(10, byoyomi=30, periods=3, margin=0))
    assert spent(clock, 10 + 30) == Clock(0, byoyomi=30, periods=3)
    assert clock.allowed(0) == 90
    spent(clock, 61)  # two whole periods, and a part of the third
    assert clock.allowed(0) == 30
    assert not clock.spend(0, 31)


def test_a_clock_says_what_is_left_of_its_overtime() -> None:
    clock = GameClock(TimeControl(60, byoyomi=30, periods=3, margin=0))
    assert clock.text(0) == "1:00"
    assert clock.text(0, 70) == "0:20 (3 periods)"
    assert clock.text(0, 95) == "0:25 (2 periods)"
    assert clock.text(0, 149) == "0:01"
    canadian = GameClock(TimeControl(60, byoyomi=300, byoyomi_moves=2, margin=0))
    assert canadian.text(0, 70) == "4:50 for 2 moves"
    spent(canadian, 70)
    assert canadian.text(0, 100) == "3:10 for 1 move"
    assert GameClock(TimeControl(5400, moves=40)).text(1) == "90:00 for 40 moves"
    assert GameClock(None).text(0) == ""


def test_canadian_overtime_is_shared_by_its_moves_and_renewed() -> None:
    clock = GameClock(TimeControl(10, byoyomi=30, byoyomi_moves=3, margin=0))
    assert spent(clock, 12) == Clock(28, moves_to_go=2)
    assert spent(clock, 20) == Clock(8, moves_to_go=1)
    assert not clock.spend(0, 9)
    assert spent(clock, 8) == Clock(30, moves_to_go=3)


def test_the_base_is_added_again_after_the_moves_of_a_session() -> None:
    clock = GameClock(TimeControl(100, increment=1, moves=2, margin=0))
    assert clock.clock(0) == Clock(100, 1, 2)
    assert spent(clock, 30) == Clock(71, 1, 1)
    assert spent(clock, 1) == Clock(171, 1, 2)
    assert clock.clock(1) == Clock(100, 1, 2)


def test_without_a_time_control_a_clock_only_measures() -> None:
    clock = GameClock(None)
    assert clock.clock(0) is None
    assert clock.spend(0, 1e9)
    assert clock.until_flag(0) is None


@pytest.mark.parametrize(
    ("text", "control", "written"),
    [
        ("10", TimeControl(600), "600+0"),
        ("0+3", TimeControl(0, 3), "0+3"),
        ("5+3", TimeControl(300, 3), "300+3"),
        ("90+30", TimeControl(5400, 30), "5400+30"),
        ("0.5+1", TimeControl(30, 1), "30+1"),
        ("40/90+30", TimeControl(5400, 30, moves=40), "40/5400+30"),
        ("20+3x30", TimeControl(1200, byoyomi=30, periods=3), "1200+0 3x30 byo-yomi"),
        ("10+300/15", TimeControl(600, byoyomi=300, byoyomi_moves=15), "600+0 300/15 Canadian"),
    ],
)
def test_time_controls_are_read_and_written(text: str, control: TimeControl, written: str) -> None:
    assert TimeControl.parse(text) == control
    assert str(control) == written


@pytest.mark.parametrize(
    "text", ["", "0", "five", "5+", "-1", "1e9", "5 3", "5+3+3", "5+3x", "1000", "10+300/0", "\u0665"]
)
def test_what_is_no_time_control_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="expected minutes"):
        TimeControl.parse(text)


def test_keys_that_a_clock_does_not_use_are_no_part_of_it() -> None:
    plain = {"base": 600.0, "increment": 0.0, "byoyomi": 0.0, "margin": 0.05}
    assert TimeControl.parse("10").used_keys() == plain
    assert TimeControl.parse("20+3x30").used_keys() == plain | {"base": 1200.0, "byoyomi": 30.0, "periods": 3}
    assert set(TimeControl.parse("40/90+300/15").used_keys()) - set(plain) == {"moves", "byoyomi_moves"}
