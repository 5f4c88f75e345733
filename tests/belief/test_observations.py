"""Observations of a game: step by step as both players see them, and in words."""

from __future__ import annotations

import chess
import pytest

from sparring._core import RbcState
from sparring.chess.game import move_code
from sparring.rbc.game import (
    NO_SENSE,
    PASS,
    MoveResult,
    Observation,
    OpponentMoveResult,
    OpponentSense,
    SenseResult,
    observation_text,
    observed_steps,
)

E2E4, E2E3 = (move_code(chess.Move.from_uci(text)) for text in ("e2e4", "e2e3"))


def test_a_game_is_observed_by_both_players() -> None:
    game = RbcState.initial()
    for text in ("sense e7", "e2e4", "sense none", "d7d5", "sense d5", "e4d5"):
        game = game.play(game.parse_move(text))
    steps = list(observed_steps(game))
    assert [step.before.move_text(step.move) for step in steps] == [
        "sense e7", "e2e4", "sense none", "d7d5", "sense d5", "e4d5"
    ]  # fmt: skip
    assert steps[0].before == RbcState.initial()
    assert steps[-1].after == game
    white, black = zip(*(step.seen for step in steps), strict=True)
    assert isinstance(white[0], SenseResult)
    assert len(white[0].pieces) == 9
    assert white[1] == MoveResult(E2E4, E2E4, None)
    assert white[2:4] == (OpponentSense(), OpponentMoveResult(None))
    assert black[:3] == (OpponentSense(), OpponentMoveResult(None), SenseResult(()))
    assert black[-1] == OpponentMoveResult(chess.D5)


@pytest.mark.parametrize(
    ("observation", "to_the_player", "about_white"),
    [
        (
            SenseResult(((chess.E7, "p"), (chess.E6, None), (chess.F6, "n"))),
            ["You see a black pawn on e7, a black knight on f6."],
            ["White sees a black pawn on e7, a black knight on f6."],
        ),
        (SenseResult(()), ["You see nothing."], ["White sees nothing."]),
        (MoveResult(PASS, None, None), ["You pass."], ["White passes."]),
        (MoveResult(E2E4, E2E4, None), [], []),
        (
            MoveResult(E2E4, None, None),
            ["e2e4 did not happen: something was in the way."],
            ["e2e4 did not happen: something was in the way."],
        ),
        (
            MoveResult(E2E4, E2E3, chess.E3),
            ["e2e4 became e2e3.", "You captured on e3."],
            ["e2e4 became e2e3.", "White captured on e3."],
        ),
        (
            OpponentMoveResult(chess.D5),
            ["Your piece on d5 was taken."],
            ["White's piece on d5 was taken."],
        ),
        (OpponentMoveResult(None), [], []),
        (OpponentSense(), [], []),
    ],
)
def test_an_observation_is_described_in_sentences(
    observation: Observation, to_the_player: list[str], about_white: list[str]
) -> None:
    assert observation_text(observation) == to_the_player
    assert observation_text(observation, "White") == about_white


def test_no_sense_is_an_observation_of_nothing() -> None:
    (step,) = observed_steps(RbcState.initial().play(NO_SENSE))
    assert step.seen == (SenseResult(()), OpponentSense())
