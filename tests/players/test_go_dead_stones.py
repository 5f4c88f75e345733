"""Dead stones at the end of a game of Go."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.go.counting import apply_passing_rules, dead_stones, wins_without_dead_stones
from sparring.go.game import COLUMNS, Go
from sparring.networks import Prediction

# Black has the left side and White the right; each has lonely stones in the other's.
TWO_SIDES = "3XO4/3XO1X2/O2XO4/1X1XO4/2XXO1O2/1O1XO4/1X1XO4/3XO1O2/3XO4 b - 0 0 2 7.5"
# White's stones at the top have two eyes inside Black's area.
ALIVE = "O1O1OX3/OOOOOX3/XXXXXX3/9/9/9/9/9/9 w - 0 0 2 7.5"

# Black's stones on C and D, White's on F and G: neither side can fill E9 and E8. In the second position both
# have an eye in a corner too.
WALLS = "O1OOXXX1X/OOOOXXXXX/O1OOXXX1X/OOOOXXXXX/OOOOXXXXX/OOOOXXXXX b - 0 0 2 7.5"
SEKI = f"OOXX1OOXX/OOXX1OOXX/OOOXOOXXX/{WALLS}"
SEKI_WITH_EYES = f"1XXX1OOO1/XXXX1OOOO/OOOXOOXXX/{WALLS}"
# As SEKI, but White's chain connects to its wall on E7 by a shared liberty: Black's chain is dead.
CONNECTED = "OOXX1OOXX/OOXX1OOXX/OOOOOXXXX/O1O1OX1X1/OOOOOXXXX/O3OX3/O3OX3/OOOOOXXXX/OOOOOXXXX b - 0 0 2 7.5"
# Black has three points of eye space with a white stone in their middle: a dead shape, no seki.
NAKADE = "1O1XO4/XXXXO4/OOOOO4/9/9/9/9/9/9 b - 0 0 2 7.5"


def points(text: str, size: int = 9) -> list[int]:
    return sorted((int(word[1:]) - 1) * size + COLUMNS.index(word[0]) for word in text.split())


def test_stones_inside_the_opponents_territory_are_dead() -> None:
    state = Go(size=9).parse(TWO_SIDES)
    assert dead_stones(state) == points("G8 A7 B4")
    black, white = state.score()
    assert white > black
    black_without, white_without = state.score(dead_stones(state))
    assert black_without > black
    assert dead_stones(state) == dead_stones(state), "the same state gives the same stones"
    assert not wins_without_dead_stones(state, 0)
    assert white_without > black_without


def test_a_group_with_two_eyes_lives() -> None:
    assert not set(dead_stones(Go(size=9).parse(ALIVE))) & set(Go(size=9).parse(ALIVE).stones[1])


@pytest.mark.parametrize("text", [SEKI, SEKI_WITH_EYES])
@pytest.mark.parametrize("side", "bw")
def test_stones_in_seki_are_alive(text: str, side: str) -> None:
    state = Go(size=9).parse(text.replace(" b ", f" {side} "))
    assert dead_stones(state) == []


@pytest.mark.parametrize("side", "bw")
def test_a_chain_that_connects_by_a_shared_liberty_is_in_no_seki(side: str) -> None:
    """GNU Go 3.8 says the same of this position."""
    state = Go(size=9).parse(CONNECTED.replace(" b ", f" {side} "))
    assert dead_stones(state) == points("C8 D8 C9 D9")


def test_a_dead_shape_inside_a_group_is_no_seki() -> None:
    state = Go(size=9).parse(NAKADE)
    assert dead_stones(state) == points("D9 A8 B8 C8 D8")


@pytest.mark.parametrize("side", "bw")
def test_a_networks_ownership_decides_where_there_is_one(side: str) -> None:
    state = Go(size=9).parse(f"9/9/9/9/4X4/9/9/9/O8 {side} - 0 0 0 7.5")
    black = np.full(81, 0.9, np.float32)
    assert dead_stones(state, black if side == "b" else -black) == points("A1")
    assert dead_stones(state, -black if side == "b" else black) == points("E5")


def test_a_player_that_loses_without_its_dead_stones_does_not_pass() -> None:
    """With its stone on G5 Black is ahead: White's side is no territory. Without it White is."""
    rows = "1XXXO4/XXXXO1O2/XXXXO4/XXXXO4/XXXXO1X2/1XXXO4/XXXXO1O2/XXXXO4/XXXXO4"
    state = Go(size=9, komi=0.5).parse(f"{rows} b - 0 0 1 0.5")
    black, white = state.score()
    assert black > white
    assert not wins_without_dead_stones(state, 0)
    moves = tuple(state.legal_moves())
    chances = np.full(len(moves), 0.5 / (len(moves) - 1), np.float32)
    chances[-1] = 0.5
    shares = apply_passing_rules(state, Prediction(moves, chances, value=0.2))
    assert shares[-1] == 0
    given_up = apply_passing_rules(state, Prediction(moves, chances, value=-0.9))
    assert given_up[-1] == 1, "a lost game ends as people end it"


@pytest.mark.parametrize(
    ("options", "komi"), [({}, 7.5), ({"handicap": 4}, 0.5), ({"handicap": 4, "komi": 6.5}, 6.5)]
)
def test_komi_is_half_a_point_with_a_handicap(options: dict[str, float], komi: float) -> None:
    assert Go(**options).initial().komi == komi  # type: ignore[arg-type]
    assert Go.by_rules("japanese", handicap=2).komi == 0.5
