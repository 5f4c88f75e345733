"""Static rook and ranging rook: how they are told apart, and players that have one of them."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.games import load_game
from sparring.play.opponent import Opponent
from sparring.players import PlayerConfig, Turn, make_player
from sparring.players.policy_player import MoveDistribution
from sparring.shogi.game import Shogi
from sparring.shogi.opening_style import (
    OPENING_PLIES,
    STYLES,
    StyleModel,
    features,
    style_factors,
    style_of,
)

STATIC, RANGING = STYLES
BOARD = "lnsgkgsnl/1r5b1/ppppppppp/9/9/9/PPPPPPPPP/1B5R1/LNSGKGSNL"


def after(moves: str) -> object:
    game = Shogi()
    state = game.initial()
    for move in moves.split():
        state = state.play(game.parse_move(state, move))
    return state


@pytest.mark.parametrize(
    ("moves", "styles"),
    [
        ("", (STATIC, STATIC)),
        ("7g7f 3c3d 6g6f 8c8d 2h6h", (RANGING, STATIC)),  # fourth-file rook
        ("7g7f 3c3d 2g2f 8b4b", (STATIC, RANGING)),
        ("7g7f 8c8d 7f7e 8d8e 2h7h 7a6b 7h7f", (RANGING, STATIC)),  # Ishida: the rook is before its pawns
        ("7g7f 3c3d 2g2f 8c8d 2h3h", (STATIC, STATIC)),  # to the right of its bishop's file
        ("2g2f 8c8d 2f2e 8d8e 2e2d 2c2d 2h2d", (STATIC, STATIC)),
    ],
)
def test_the_style_is_where_the_rook_stands(moves: str, styles: tuple[str, str]) -> None:
    state = after(moves)
    assert (style_of(state, 0), style_of(state, 1)) == styles


def test_a_side_without_a_rook_on_the_board_has_no_style() -> None:
    state = Shogi().parse(BOARD.replace("1B5R1", "1B7") + " w R 2")
    assert style_of(state, 0) is None
    assert style_of(state, 1) == STATIC
    promoted = Shogi().parse("lnsgkgsnl/1r3+R1b1/ppppppppp/9/9/9/PPPPPPPPP/1B7/LNSGKGSNL w - 2")
    assert style_of(promoted, 0) is None


def test_both_sides_see_the_board_from_their_own_side() -> None:
    """The same moves, by White."""
    black, white = after("7g7f 9a9b 6g6f 1a1b 2h6h"), after("9i9h 3c3d 1i1h 4c4d 9g9f 8b4b")
    seen, mirrored = ([word[2:] for word in features(s, i)] for i, s in enumerate((black, white)))
    assert "rook 6 True" in seen
    assert seen == mirrored


def test_the_probability_of_a_style_weighs_the_moves_of_the_opening_only() -> None:
    model = StyleModel({"0 rook 6 True": 4.0, "0 bias": -2.0})
    state = after("7g7f 3c3d 6g6f 8c8d")
    moves = state.legal_moves()  # type: ignore[attr-defined]
    names = [state.move_text(move) for move in moves]  # type: ignore[attr-defined]
    factors = model.factors(RANGING, state, moves)
    assert factors is not None
    by_name = dict(zip(names, factors, strict=True))
    assert by_name["2h6h"] == pytest.approx(1 / (1 + np.exp(-2)))
    assert by_name["2h7h"] == pytest.approx(1 / (1 + np.exp(2)))
    other = model.factors(STATIC, state, moves)
    assert other is not None
    assert factors + other == pytest.approx(1)
    distribution = MoveDistribution(np.array(moves), np.full(len(moves), 1.0), lambda index, share: "")
    styled = distribution.in_style(lambda state, moves: model.factors(RANGING, state, moves), state)
    assert styled.weights.argmax() == names.index("2h6h")
    late = Shogi().parse(BOARD + " b - 1")
    for _ in range(OPENING_PLIES):
        late = late.play(late.legal_moves()[-1])
    assert model.factors(RANGING, late, late.legal_moves()) is None
    assert distribution.in_style(style_factors_at_the_end, late) is distribution


def style_factors_at_the_end(state: object, moves: object) -> None:
    """The opening is over."""


@pytest.mark.parametrize("style", STYLES)
def test_players_of_a_style_have_it(style: str) -> None:
    """Eight games against a player of any style: 35 % of people range."""
    found = []
    for seed in range(8):
        styled = Opponent("shogi", opening_style=style).completed().make(seed=seed)
        usual = make_player(PlayerConfig("shogi", seed=seed))
        state = load_game("shogi").initial()
        while state.ply < OPENING_PLIES and state.outcome is None:
            state = state.play((styled if state.to_move == seed % 2 else usual).choose(Turn.of(state)).move)
        found.append(style_of(state, seed % 2))
    assert found.count(style) >= 7


def test_a_style_that_a_game_does_not_have_is_refused() -> None:
    with pytest.raises(BadConfig, match="static-rook, ranging-rook"):
        Opponent("shogi", opening_style="left-handed").completed()
    with pytest.raises(BadConfig, match="none in chess"):
        make_player(PlayerConfig("chess", opening_style=RANGING))
    with pytest.raises(BadConfig, match="kind strength has no style"):
        Opponent("shogi", strength=3, opening_style=RANGING).completed()


def test_the_shipped_model_knows_the_first_move_of_the_rook() -> None:
    state = after("7g7f 3c3d 6g6f 8c8d")
    moves = state.legal_moves()  # type: ignore[attr-defined]
    factors = style_factors(RANGING, state, moves)
    assert factors is not None
    by_name = {state.move_text(m): f for m, f in zip(moves, factors, strict=True)}  # type: ignore[attr-defined]
    assert by_name["2h6h"] > 0.9 > 0.5 > by_name["2g2f"]
