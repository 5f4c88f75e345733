"""Go's native rules against a slow, clear reference: random games under every combination of rules."""

from __future__ import annotations

import random
from itertools import product
from typing import get_args

import pytest

from sparring._core import GoState
from sparring.games import IllegalMove
from sparring.go.game import Go, KoRule, ScoringRule
from tests.reference.go import ReferenceGoGame

RULES = list(product(get_args(KoRule), (False, True), get_args(ScoringRule)))


def point_of(code: int, size: int) -> tuple[int, int] | None:
    return None if code == size * size else (code % size, code // size)


def assert_same(state: GoState, game: ReferenceGoGame, rng: random.Random) -> None:
    size = game.size
    stones = {point_of(p, size): color for color in (0, 1) for p in state.stones[color]}
    assert stones == game.stones
    assert (state.to_move, state.passes, list(state.prisoners)) == (game.to_move, game.passes, game.prisoners)
    expected = sorted(y * size + x for x, y in game.legal_points())
    assert state.legal_moves() == ([*expected, size * size] if game.passes < 2 else [])
    assert state.score() == game.score()
    occupied = [y * size + x for x, y in game.stones]
    dead = rng.sample(occupied, min(len(occupied), 2))
    assert state.score(dead=dead) == game.score((p % size, p // size) for p in dead)
    assert state.score(dead) == state.score([*dead, *dead])


def assert_round_trip(state: GoState) -> None:
    again = GoState.parse(state.text())
    assert again == state
    assert hash(again) == hash(state)
    assert again.key == state.key
    assert again.text() == state.text()
    assert (GoState.encode([again]) == GoState.encode([state])).all()
    assert set(state.legal_moves()) <= set(again.legal_moves())  # the line may forbid more
    if state.ko == "simple":
        assert state.legal_moves() == again.legal_moves()


@pytest.mark.parametrize(("size", "games", "plies"), [(5, 5, 120), (6, 2, 120), (7, 1, 150), (9, 1, 120)])
@pytest.mark.parametrize(("ko", "suicide", "scoring"), RULES)
def test_random_games_agree_with_the_reference(
    size: int, games: int, plies: int, ko: KoRule, suicide: bool, scoring: ScoringRule
) -> None:
    rng = random.Random(f"{size} {ko} {suicide} {scoring}")
    for _ in range(games):
        komi = rng.choice([-3.0, 0.0, 0.5, 7.5])
        state = Go(size=size, komi=komi, ko=ko, suicide=suicide, scoring=scoring).initial()
        game = ReferenceGoGame(size, ko, suicide, scoring, komi)
        for _ in range(plies):
            assert_same(state, game, rng)
            assert_round_trip(state)
            moves = state.legal_moves()
            if not moves:
                break
            # Few passes: the longer the game, the more captures, kos and repetitions.
            move = rng.choice(moves) if rng.random() < 0.1 else rng.choice(moves[:-1] or moves)
            state, game = state.play(move), game.play(point_of(move, size))


def reference_of(state: GoState) -> ReferenceGoGame:
    size = state.size
    stones = {(p % size, p // size): color for color in (0, 1) for p in state.stones[color]}
    return ReferenceGoGame(size, state.ko, state.suicide, state.scoring, state.komi, stones, state.to_move)


@pytest.mark.parametrize("suicide", ["", "suicide"])
@pytest.mark.parametrize("ko", ["", "situational"])
def test_fights_over_three_kos_agree_with_the_reference(ko: str, suicide: str) -> None:
    """Random games seldom meet superko; here both players take a single stone wherever they can."""
    rng = random.Random(f"{ko} {suicide}")
    start = GoState.parse(
        f"1XXOO4/1XO1O4/1XXOO4/1XXOO4/1X1XO4/1XXOO4/1XXOO4/1XO1O4/1XXOO4 b - 0 0 0 7.5 {ko} {suicide}"
    )
    forbidden = 0
    for _ in range(8):
        state, game = start, reference_of(start)
        for _ in range(35):
            assert_same(state, game, rng)
            moves = state.legal_moves()
            if not moves:
                break
            forbidden += len(GoState.parse(state.text()).legal_moves()) - len(moves)
            for move in set(range(82)) - set(moves):
                with pytest.raises(IllegalMove):
                    state.play(move)
            takes = [m for m in moves if sum(state.play(m).prisoners) == sum(state.prisoners) + 1]
            move = rng.choice(takes) if takes and rng.random() < 0.9 else rng.choice(moves)
            state, game = state.play(move), game.play(point_of(move, 9))
    assert forbidden > 10


@pytest.mark.parametrize(
    ("text", "counts"),
    [
        ("5/5/5/5/5 b - 0 0 0 7.5", [26, 651, 15_650]),
        ("1XO2/X1XO1/1XO2/5/5 w - 0 0 0 7.5", [18, 325, 5_240]),
    ],
)
def test_perft_agrees_with_the_reference(text: str, counts: list[int]) -> None:
    state = GoState.parse(text)
    assert [reference_of(state).perft(depth) for depth in (1, 2, 3)] == counts
    assert [state.perft(depth) for depth in (1, 2, 3)] == counts


def test_perft_counts_known_numbers() -> None:
    assert Go(size=5).initial().perft(4) == 361_041
    assert Go(size=19).initial().perft(2) == 361 * 361 + 362
