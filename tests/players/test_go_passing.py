"""When a player of Go passes, and that every game ends."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from sparring._core import GoState
from sparring.go.counting import (
    apply_passing_rules,
    own_eyes,
    people_would_pass,
    safe_area,
    wins_without_dead_stones,
)
from sparring.go.game import Go
from sparring.networks import Prediction
from sparring.play.game import LiveGame
from sparring.play.opponent import Opponent
from sparring.players import Player, PlayerConfig, Turn, make_player

# Black has the left, White the right; each has two eyes. Black is ahead with 5 columns of 9 and no komi.
SETTLED = "/".join(["1XXXXOOO1", *["XXXXXOOOO"] * 7, "1XXXXOOO1"])
BLACK_AHEAD, WHITE_AHEAD = 0.5, 20.5


def settled(side: str, komi: float, passes: int = 0) -> GoState:
    return Go().parse(f"{SETTLED} {side} - 0 0 {passes} {komi}")


def open_board(passes: int = 0) -> GoState:
    return Go().parse(f"9/9/4X4/9/4O4/9/9/9/9 b - 0 0 {passes} 7.5")


def expecting(state: GoState, passing: float, value: float | None = None) -> Prediction:
    """A pass with this probability, all other moves alike."""
    moves = tuple(state.legal_moves())
    shares = np.full(len(moves), (1 - passing) / max(len(moves) - 1, 1), np.float32)
    shares[-1] = passing
    return Prediction(moves, shares, value)


def pass_share(state: GoState, passing: float, value: float | None = None) -> float:
    shares = apply_passing_rules(state, expecting(state, passing, value))
    assert shares.sum() == pytest.approx(1)
    return float(shares[-1])


def test_eyes_are_own_and_real() -> None:
    state = settled("b", BLACK_AHEAD)
    names = {state.move_text(point) for point in own_eyes(state)}
    assert names == {"A1", "A9"}
    held = Go().parse("5/1OXX1/1X1X1/1XXX1/5 b - 0 0 0 0.5")
    assert [held.move_text(point) for point in own_eyes(held)] == ["C3"], "one corner does not matter"
    lost = Go().parse("5/1OXO1/1X1X1/1XXX1/5 b - 0 0 0 0.5")
    assert own_eyes(lost) == [], "two do"
    corner = Go().parse("5/5/5/XO3/1X3 b - 0 0 0 0.5")
    assert own_eyes(corner) == [], "at the edge one corner is enough to make an eye false"


def test_own_eyes_are_not_filled_and_then_only_the_pass_is_left() -> None:
    assert pass_share(settled("b", BLACK_AHEAD), 0.0) == 1
    assert pass_share(settled("w", BLACK_AHEAD), 0.0) == 1


def test_players_do_not_pass_on_an_open_board() -> None:
    assert pass_share(open_board(), 0.9) == 0
    assert pass_share(open_board(passes=1), 0.9) == 0, "not even after a pass of the opponent"


def test_no_stone_is_played_in_the_own_safe_area_while_there_are_other_moves() -> None:
    """Black's chain has an eye of two points, which is no eye by its shape."""
    rows = ["9", "9", "9", "9", "9", "XXXXXXOOO", "XXXXXXOOO", "X2X1XO1O", "XXXXXXOOO"]
    state = Go().parse(f"{'/'.join(rows)} b - 0 0 0 7.5")
    inside = {state.parse_move(name) for name in ("B2", "C2", "E2")}
    assert inside <= set(state.legal_moves())
    prediction = expecting(state, 0.1)
    shares = dict(zip(prediction.moves, apply_passing_rules(state, prediction), strict=True))
    assert [shares[point] for point in inside] == [0, 0, 0]
    assert shares[state.parse_move("E9")] > 0


@pytest.mark.parametrize("side", "bw")
def test_a_pass_on_a_board_on_which_all_is_decided_is_answered(side: str) -> None:
    """Whatever the network thinks of a board that people never reach."""
    state = settled(side, BLACK_AHEAD, passes=1)
    assert people_would_pass(state, expecting(state, 0.001), -0.9)
    assert people_would_pass(state, expecting(state, 0.001), 0.9) == (side == "b"), (
        "who thinks it wins goes on"
    )
    assert not people_would_pass(
        half_open(side, BLACK_AHEAD, 1), expecting(half_open(side, BLACK_AHEAD, 1), 0.001), -0.9
    )


def half_open(side: str, komi: float, passes: int) -> GoState:
    """Five rows of nine are full; above there is still much to play for."""
    rows = ["9", "9", "9", "9", "XXXXXOOOO", "XXXXXOOOO", "XXXXXOOOO", "XXXXXOOOO", "XXX1XOO1O"]
    return Go().parse(f"{'/'.join(rows)} {side} - 0 0 {passes} {komi}")


@pytest.mark.parametrize(
    ("side", "komi", "passes", "passing", "share"),
    [
        ("b", BLACK_AHEAD, 1, 0.01, 1),  # the score wins: the game can end
        ("w", WHITE_AHEAD, 1, 0.01, 1),
        ("b", WHITE_AHEAD, 1, 0.01, 0),  # a pass would lose: there is something to play for
        ("b", WHITE_AHEAD, 1, 0.9, 1),  # but people would have passed here
        ("b", WHITE_AHEAD, 0, 0.01, 0),
    ],
)
def test_a_pass_is_answered_by_a_pass_when_that_is_good_enough(
    side: str, komi: float, passes: int, passing: float, share: float
) -> None:
    assert pass_share(half_open(side, komi, passes), passing) == pytest.approx(share)


def test_a_player_with_a_positive_value_does_not_pass_while_the_score_loses() -> None:
    """As where the opponent's stones are dead and still on the board."""
    assert pass_share(half_open("b", WHITE_AHEAD, 1), 0.9, value=0.5) == 0
    assert pass_share(half_open("b", WHITE_AHEAD, 1), 0.9, value=-0.5) == 1
    assert pass_share(half_open("b", BLACK_AHEAD, 1), 0.9, value=0.5) == 1


def test_a_player_that_wins_without_dead_stones_captures_them_before_it_passes() -> None:
    """Whatever its value says. All stones count as alive here, and a dead one makes White's area neutral."""
    rows = ["1XXXOOO2", "XXXXOOO2", "XXXXOOO2", "XXXXOOO2", "XXXXOOOX1", *["XXXXOOO2"] * 3, "1XXXOOO2"]
    state = Go().parse(f"{'/'.join(rows)} w - 0 0 1 0.5")
    black, white = state.score()
    assert black > white
    assert wins_without_dead_stones(state, 1)
    assert pass_share(state, 0.9, value=-0.5) == 0
    assert pass_share(state, 0.9) == 0


def test_the_first_pass_is_the_policys_choice() -> None:
    assert 0.2 < pass_share(half_open("b", BLACK_AHEAD, 0), 0.3) < 0.4


@pytest.mark.parametrize("size", [9, 13])
def test_every_game_ends(size: int) -> None:
    player = make_player(PlayerConfig("go", rating=5, seed=size))
    state = Go(size=size).initial()
    while state.outcome is None:
        state = state.play(player.choose(Turn.of(state)).move)
    assert state.ply <= 2 * size * size + 2


def test_a_game_against_an_opponent_that_only_passes_ends() -> None:
    player = make_player(PlayerConfig("go", rating=5, seed=1))
    state = Go(size=9).initial()
    while state.outcome is None:
        state = state.play(player.choose(Turn.of(state)).move if state.to_move == 0 else 81)
    assert state.outcome.winner == 0


def test_chains_with_two_eyes_are_safe_and_others_are_not() -> None:
    state = Go().parse("9/9/9/9/9/9/XXXX5/1X1X5/XXXX5 b - 0 0 0 7.5")
    safe = safe_area(state, 0)
    assert len(safe) == 12
    assert safe == set(state.stones[0]) | {9, 11}
    assert safe_area(state, 1) == set()
    one_eye = Go().parse("9/9/9/9/9/9/XXX6/X1X6/XXX6 b - 0 0 0 7.5")
    assert safe_area(one_eye, 0) == set()


def test_a_dead_stone_in_an_eye_does_not_make_it_unsafe() -> None:
    state = Go().parse("9/9/9/9/9/9/XXXXX4/1XO1X4/XXXXX4 b - 0 0 0 7.5")
    safe = safe_area(state, 0)
    assert {9, 11, 12} <= safe


def all_black(region: str, komi: float) -> GoState:
    """Black has the board, with eyes and this region of two points."""
    rows = ["XXXXXXXXX", "1XXXXXXX1", "XXXXXXXXX", "XXXXXXXXX", "XXXX1XXXX", f"XXXXX{region}XX"]
    return Go().parse("/".join([*rows, "XXXXXXXXX", "1XXXXXXX1", "XXXXXXXXX"]) + f" b - 0 0 0 {komi}")


def test_it_passes_when_all_moves_lie_in_its_own_safe_area() -> None:
    state = all_black("2", 7.5)
    assert len(safe_area(state, 0)) == 81
    assert pass_share(state, passing=0.0) == 1


def test_dead_stones_in_its_area_are_captured_only_if_it_loses_by_them() -> None:
    assert pass_share(all_black("O1", 7.5), passing=0.0) == 1
    assert pass_share(all_black("O1", 79.5), passing=0.0) == 0


def test_it_does_not_pass_while_a_move_lies_outside() -> None:
    state = Go().parse("9/9/9/9/9/9/XXXX5/1X1X5/XXXX5 b - 0 0 1 7.5")
    assert pass_share(state, passing=0.0) == 0


# Against a person: dead stones are agreed on after two passes, so nobody has to capture them.


AHEAD = "9/2XO2OX1/X1XO1O1X1/OX1X5/OOX1XX1X1/1OOXOO3/X1OXXO3/OOXXX4/1OOX5 b - 1 0 1 7.5 simple"
"""Black is ahead; White's stones above and in the middle are dead. White has just passed."""
BEHIND = "5OXX1/4OOOX1/OOOOOOXX1/OXXXOXXO1/XX1XOOX2/OXXXXOX2/OOOOXXXX1/O1O1OOX2/OO1OOXX2 b - 1 5 1 7.5 simple"
"""Black is 6.5 points behind and nothing is left. White has just passed."""
UNSETTLED = "9/9/2X3X2/9/4O4/9/2O3O2/9/9 b - 0 0 1 7.5 simple"


def answer(player: Player, position: str) -> str:
    """The move that a player answers a person's pass with."""
    state = Go.by_rules("chinese", 9).parse(position)
    live = LiveGame(Go.of(state), {0: player}, start=state, person=1)
    live.start_players()
    pending = live.pending_turn()
    assert pending is not None
    return state.move_text(live.decide(pending).move)


@pytest.mark.parametrize("position", [AHEAD, BEHIND])
@pytest.mark.parametrize("kind", [{"kind": "human", "rating": "5d"}, {"kind": "level"}, {"kind": "strength"}])
def test_a_persons_pass_ends_a_settled_game(position: str, kind: dict[str, Any]) -> None:
    assert answer(Opponent("go", **kind).completed().make(seed=1), position) == "pass"


def test_a_persons_pass_does_not_end_an_open_game() -> None:
    for opponent in (Opponent("go", kind="human"), Opponent("go", kind="strength")):
        assert answer(opponent.completed().make(seed=1), UNSETTLED) != "pass"
