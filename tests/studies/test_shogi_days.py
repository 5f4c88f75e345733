"""Levels by days: losses of a side, fifths of games, and the temperature that loses as much."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from studies.shogi import days
from studies.shogi.judge import JudgedGame
from studies.shogi.people import read_games


def judged(number: int, loss: float, plies: int = 60) -> JudgedGame:
    """A game in which the side that moves at even plies loses `loss` of expected score each time."""
    scores, value = [0], 0.5
    for ply in range(plies):
        value = 1 - (value - (loss if ply % 2 == 0 else 0.0))
        if ply % 2 == 1:
            value = 0.5  # the other side gives it back: the game stays even
        scores.append(round(days.SCALE * float(np.log(value / (1 - value)))))
    return JudgedGame(number, 0, scores, [""] * (plies + 1))


def test_a_side_loses_what_the_engine_says_and_gains_count_as_nothing() -> None:
    sides = days.side_losses([judged(1, 0.1)])
    assert list(sides.game) == [0, 0]
    assert sides.loss[0] == pytest.approx(0.1, abs=0.002)
    assert list(sides.moves) == [30, 30]


def test_moves_in_decided_positions_do_not_count() -> None:
    won = JudgedGame(1, 0, [4000 * (-1) ** ply for ply in range(61)], [""] * 61)
    assert len(days.side_losses([won]).loss) == 0


def test_days_are_ordered_from_the_worst_and_have_intervals() -> None:
    random = np.random.default_rng(0)
    losses = random.permutation(np.linspace(0.02, 0.1, 200))
    sides = days.SideLosses(np.arange(200), losses, np.full(200, 30))
    rows = days.days(sides)
    assert [row["day"] for row in rows] == list(days.DAYS)
    assert [row["loss"] for row in rows] == pytest.approx(
        [0.098, 0.092, 0.076, 0.06, 0.044, 0.028], abs=0.004
    )
    assert all(row["interval"][0] < row["loss"] < row["interval"][1] for row in rows)
    assert all(row["range"][0] <= row["loss"] <= row["range"][1] for row in rows)


def test_the_temperature_of_a_loss_lies_between_the_measured_ones() -> None:
    measured = [(1.0, 0.08), (0.5, 0.02)]
    assert days.temperature_for(0.04, measured) == 0.75
    assert days.temperature_for(0.02, measured) == 0.5
    assert days.temperature_for(0.01, measured) is None


def test_games_of_a_player_against_itself_are_written_as_peoples_games_and_not_played_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(days, "_MOST_PLIES", 12)
    setting, out = days.Setting("human", 1.5), tmp_path / "own.tsv"
    days.play_own([setting], 2, out)
    first = out.read_text()
    games = list(read_games(out))
    assert [game.first for game in games] == ["human-T1.5-n0"] * 2
    assert all(game.plies("shogi") == 12 for game in games)
    assert games[0].moves != games[1].moves
    days.play_own([setting], 2, out, played=lambda name: 2)
    assert out.read_text() == first
