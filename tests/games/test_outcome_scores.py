"""The score of an outcome by the rules, in native games and in those in Python."""

from __future__ import annotations

import pytest

import sparring
from sparring.games.states import PythonOutcome


def outcome(position: str) -> sparring.Outcome:
    ended: sparring.Outcome | None = sparring.load_game("chess").parse(position).outcome
    assert ended is not None
    return ended


def test_a_native_outcome_has_the_score_of_each_side() -> None:
    mated = outcome("rnb1kbnr/pppp1ppp/8/4p3/6Pq/5P2/PPPPP2P/RNBQKBNR w KQkq - 1 3")
    assert (mated.winner, mated.score(0), mated.score(1)) == (1, 0.0, 1.0)
    drawn = outcome("7k/5Q2/6K1/8/8/8/8/8 b - - 0 1")
    assert (drawn.winner, drawn.score(0), drawn.score(1)) == (None, 0.5, 0.5)
    with pytest.raises(ValueError, match="a side is 0 or 1"):
        mated.score(2)


@pytest.mark.parametrize(("winner", "scores"), [(0, (1.0, 0.0)), (1, (0.0, 1.0)), (None, (0.5, 0.5))])
def test_an_outcome_in_python_has_the_score_of_each_side(
    winner: int | None, scores: tuple[float, float]
) -> None:
    ended = PythonOutcome(winner, "far row")
    assert (ended.score(0), ended.score(1)) == scores
