"""Results of games: scores, winners, and records of the same."""

from __future__ import annotations

import pytest

from sparring.games import load_game
from sparring.play.result import GameResult


@pytest.mark.parametrize(
    ("position", "scores", "winner", "reason"),
    [
        ("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1", (0.5, 0.5), None, "stalemate"),
        ("7k/6Q1/6K1/8/8/8/8/8 b - - 0 1", (1.0, 0.0), 0, "checkmate"),
        ("8/8/8/8/8/6k1/6q1/7K w - - 0 1", (0.0, 1.0), 1, "checkmate"),
    ],
)
def test_the_rules_decide_the_score(
    position: str, scores: tuple[float, float], winner: int | None, reason: str
) -> None:
    chess = load_game("chess")
    outcome = chess.outcome(chess.parse(position))
    assert outcome is not None
    result = GameResult.by_rules(outcome)
    assert (result.score(0), result.score(1)) == scores
    assert (result.winner, result.reason) == (winner, reason)


@pytest.mark.parametrize("loser", [0, 1])
def test_who_fails_loses(loser: int) -> None:
    result = GameResult.lost_by(loser, "illegal move", broke_rules=True)
    assert (result.score(loser), result.score(1 - loser), result.winner) == (0, 1, 1 - loser)


def test_a_game_that_was_not_finished_has_no_score() -> None:
    result = GameResult(None, "unfinished")
    assert (result.score(0), result.score(1), result.winner) == (None, None, None)
