"""The study of the estimated score."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from sparring.networks import Position, Prediction
from studies.go_ranks import score
from studies.go_ranks.score import AskedPosition, judged, of_finished, table
from tests.studies.test_go_counting_study import GAME


@pytest.fixture(autouse=True)
def early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "PLIES", {9: (2, 4)})


class Judge:
    """Says that the side to move is ahead by a point."""

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        return [Prediction((0,), np.ones(1, np.float32), lead=1.0) for _ in positions]


def positions() -> list[AskedPosition]:
    played = replace(GAME, moves="E5 C3 G7 D4 F6 C7 pass pass", gnugo=-3.5)
    won, other_board = replace(played, gnugo=7.5), replace(played, size=13)
    return of_finished([played, other_board, won, GAME], 9)


def test_the_side_to_move_alternates_from_game_to_game() -> None:
    found = positions()
    assert [(position.ply, position.margin) for position in found] == [
        (2, -3.5),
        (4, -3.5),
        (2, 7.5),
        (4, 7.5),
    ]
    assert [position.state.ply for position in found] == [2, 4, 3, 5]
    assert judged(found, Judge()) == [1.0, 1.0, -1.0, -1.0]  # type: ignore[arg-type]


def test_errors_are_from_the_judge_and_winners_from_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(score, "ESTIMATES", {"ours": lambda state: 3.0 if state.to_move == 0 else 1.0})
    found = positions()
    row = table(found, judged(found, Judge()))[0]  # type: ignore[arg-type]
    assert (row["size"], row["ply"], row["positions"]) == (9, 2, 2)
    assert row["ours"]["error"][0] == 2.0
    assert row["ours"]["bias_for_mover"] == 0.0
    assert row["ours"]["right_winner"][0] == 0.5
    assert row["judge"]["right_winner"][0] == 0.0
