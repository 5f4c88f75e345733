"""Breakthrough's rules: counts that are known, ends of games, and texts."""

from __future__ import annotations

import random

import pytest

from sparring.breakthrough.game import Breakthrough
from sparring.games import IllegalMove, ParseError

GAME = Breakthrough()


def test_perft_from_the_start_by_a_plain_generator() -> None:
    def count(own: frozenset[int], other: frozenset[int], up: int, depth: int) -> int:
        if depth == 0:
            return 1
        total = 0
        for at in own:
            for side in (-1, 0, 1):
                if not 0 <= at % 8 + side < 8:
                    continue
                to = at + 8 * up + side
                if to in own or (side == 0 and to in other):
                    continue
                total += count(other - {to}, own - {at} | {to}, -up, depth - 1)
        return total

    white, black = frozenset(range(16)), frozenset(range(48, 64))
    for depth in range(1, 4):
        assert GAME.initial().perft(depth) == count(white, black, 1, depth)
    assert GAME.initial().perft(1) == 22


def test_the_far_row_wins() -> None:
    state = GAME.parse("8/P7/8/8/8/8/7p/8 w")
    won = state.play(state.parse_move("a7b8"))
    assert won.outcome is not None
    assert (won.outcome.winner, won.outcome.reason) == (0, "far row")
    state = GAME.parse("8/P7/8/8/8/8/7p/8 b")
    assert state.play(state.parse_move("h2h1")).outcome.winner == 1  # type: ignore[union-attr]


def test_capturing_everything_wins() -> None:
    state = GAME.parse("8/8/8/3p4/4P3/8/8/8 w")
    won = state.play(state.parse_move("e4d5"))
    assert won.outcome is not None
    assert (won.outcome.winner, won.outcome.reason) == (0, "no pieces")


def test_straight_steps_do_not_capture_and_there_is_always_a_move() -> None:
    state = GAME.parse("8/8/8/3p4/3P4/8/8/8 w")
    assert [state.move_text(move) for move in state.legal_moves()] == ["d4c5", "d4e5"]
    with pytest.raises(IllegalMove):
        GAME.parse_move(state, "d4d5")
    for seed in range(20):
        rng, state = random.Random(seed), GAME.initial()
        while state.outcome is None:
            state = state.play(rng.choice(state.legal_moves()))
        assert state.outcome.winner in (0, 1)


@pytest.mark.parametrize(
    "text",
    [
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP",
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPPP x",
        "pppppppp/pppppppp/8/8/8/8/PPPPPPPP/PPPPPPP w",
        "pppppppp/pppppppp/8/8/8/PPPPPPPP/PPPPPPPP w",
        "8/8/8/8/8/8/8/8 w",
        "P7/8/8/8/8/8/8/p7 w",
        "pppppppp/pppppppp/p7/8/8/8/8/7P w",
        "8/8/8/8/8/8/8/88 w",
    ],
)
def test_texts_that_are_no_position_are_refused(text: str) -> None:
    with pytest.raises(ParseError):
        GAME.parse(text)
