"""The fit of the model of static and ranging rook."""

from __future__ import annotations

import numpy as np

from sparring.games import load_game
from sparring.policies import load_policy
from sparring.shogi.opening_style import OPENING_PLIES, STYLES
from studies.shogi.opening_style import LabelledGame, accuracy, counts, fit, matching

GAME = load_game("shogi")
BEGINNINGS = {"ranging-rook": "7g7f 3c3d 6g6f 8c8d 2h6h", "static-rook": "7g7f 3c3d 2g2f 8c8d 2f2e"}


def opening(style: str, rng: np.random.Generator) -> LabelledGame:
    """A beginning of Black's style, and random moves that leave both rooks."""
    state = GAME.initial()
    states = [state]
    moves = BEGINNINGS[style].split()
    while state.ply < OPENING_PLIES:
        if moves:
            move = GAME.parse_move(state, moves.pop(0))
        else:
            steady = [m for m in state.legal_moves() if state.move_text(m)[1:2] not in ("h", "b")]
            move = int(rng.choice(steady))
        state = state.play(move)
        states.append(state)
    return LabelledGame(tuple(states), (style, "static-rook"))


def test_the_model_tells_the_styles_apart_and_helps_to_predict_moves() -> None:
    rng = np.random.default_rng(1)
    games = [opening(style, rng) for style in STYLES for _ in range(30)]
    model = fit(games)
    fresh = [opening(style, rng) for style in STYLES for _ in range(5)]
    after = fresh[0].states[5], fresh[9].states[5]
    assert model.ranging(after[1], 0) > 0.8 > 0.3 > model.ranging(after[0], 0)
    late = accuracy(model, fresh)[str(OPENING_PLIES - 1)]
    assert late["accuracy"] > 0.9
    assert counts(games)["ranging"] == 0.25
    compared = matching(model, fresh, load_policy("human", "shogi"))
    assert set(compared) == set(STYLES)
    assert compared["ranging-rook"]["positions"] == 5 * OPENING_PLIES // 2
    low, high = compared["ranging-rook"]["nats_gain_interval"]
    assert low <= compared["ranging-rook"]["nats_gain"] <= high
