"""UCT on problems whose answer is known."""

from __future__ import annotations

import numpy as np

from sparring.chess.game import Chess
from sparring.search import uct

MATE_IN_ONE = "6k1/5ppp/8/8/8/8/8/R6K w - - 0 1"


def test_a_mate_in_one_gets_most_visits() -> None:
    state = Chess().parse(MATE_IN_ONE)
    best = uct(state, 1500, np.random.default_rng(1))[0]
    assert state.move_text(best.move) == "a1a8"
    assert best.value > 0.99


def test_visits_add_up_and_seeds_reproduce() -> None:
    state = Chess().initial()
    found = uct(state, 100, np.random.default_rng(2))
    assert sum(v.visits for v in found) == 100
    assert found == uct(state, 100, np.random.default_rng(2))


def test_a_finished_game_has_no_moves() -> None:
    state = Chess().parse("R5k1/5ppp/8/8/8/8/8/7K b - - 0 1")
    assert uct(state, 10, np.random.default_rng(3)) == []
