"""The native alpha-beta search on positions whose answer is known, and against plain minimax."""

from __future__ import annotations

import pytest

from sparring.chess.game import Chess
from sparring.games.states import State

GAME = Chess()
WIN = 1_000_000


@pytest.mark.parametrize(
    ("fen", "best"),
    [
        ("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1", "a1a8"),  # a back-rank mate
        ("7k/8/5KQ1/8/8/8/8/8 w - - 0 1", "g6g7"),
        ("4k3/8/8/3q4/8/2N5/8/4K3 w - - 0 1", "c3d5"),  # a queen for nothing
        ("4k3/P7/8/8/8/8/8/4K3 w - - 0 1", "a7a8q"),
        ("3r2k1/5ppp/8/8/8/8/3R1PPP/3R2K1 w - - 0 1", "d2d8"),  # the exchange on d8 mates
    ],
)
def test_the_best_move_is_found(fen: str, best: str) -> None:
    state = GAME.parse(fen)
    assert state.move_text(state.alphabeta(20_000, 0)[0][0]) == best


def test_a_mate_is_scored_by_its_distance() -> None:
    assert GAME.parse("6k1/5ppp/8/8/8/8/8/R6K w - - 0 1").alphabeta(10_000, 0)[0][1] == WIN - 1


def test_a_defended_piece_is_left_alone() -> None:
    state = GAME.parse("4k3/8/2p5/3p4/8/8/3Q4/4K3 w - - 0 1")
    scores = dict(state.alphabeta(20_000, 10_000))
    assert scores[state.parse_move("d2d5")] < max(scores.values()) - 400


def test_every_legal_move_is_scored_and_the_search_is_deterministic() -> None:
    state: State = GAME.initial()
    scores = GAME.initial().alphabeta(5_000, 20)
    assert sorted(move for move, _ in scores) == state.legal_moves()
    assert scores == GAME.initial().alphabeta(5_000, 20)
    assert [score for _, score in scores] == sorted((score for _, score in scores), reverse=True)
