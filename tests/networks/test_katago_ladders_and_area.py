"""Ladders and area in KataGo's inputs against slow definitions, on random positions."""

from __future__ import annotations

import random

import numpy as np
import pytest

from sparring._core import GoState, katago_encode
from sparring.go.game import Go, ScoringRule, TaxRule
from tests.reference.katago_features import Point, ReferencePosition, area, independent, ladders

LADDERS, LADDER_MOVES, OWN_AREA, OTHER_AREA = 14, 17, 18, 19


def reference_position(state: GoState) -> ReferencePosition:
    size = state.size
    stones = {(p % size, p // size): color for color in (0, 1) for p in state.stones[color]}
    return ReferencePosition(size, stones)


def marked(state: GoState, plane: int) -> set[Point]:
    spatial, _ = katago_encode([state], state.size)
    rows, columns = np.nonzero(spatial[0, plane])
    return {(int(x), state.size - 1 - int(y)) for x, y in zip(columns, rows, strict=True)}


def random_states(seed: int, size: int, games: int, every: int, **rules: object) -> list[GoState]:
    """Positions of random games without passes, in which neither side fills its one-point eyes."""
    rng, found = random.Random(seed), []
    for _ in range(games):
        state = Go(size=size, **rules).initial()  # type: ignore[arg-type]
        for ply in range(3 * size * size):
            now = reference_position(state)
            moves = [
                m
                for m in state.legal_moves()[:-1]
                if any(now.stones.get(n) != state.to_move for n in now.around((m % size, m // size)))
            ]
            if not moves:
                break
            state = state.play(rng.choice(moves))
            if ply % every == 0:
                found.append(state)
    return found


@pytest.mark.parametrize(("size", "games", "every"), [(5, 10, 3), (7, 5, 5), (9, 2, 9)])
def test_ladders_are_those_of_the_definition(size: int, games: int, every: int) -> None:
    found = 0
    for state in random_states(1, size, games, every):
        ko = None if state.ko_point is None else (state.ko_point % size, state.ko_point // size)
        position = reference_position(state)
        lost, working = ladders(position, ko)
        assert marked(state, LADDERS) == lost, state.text()
        theirs = {
            m for stone, moves in working.items() if position.stones[stone] != state.to_move for m in moves
        }
        assert marked(state, LADDER_MOVES) == theirs, state.text()
        found += len(working)
    assert found > 50


@pytest.mark.parametrize("suicide", [False, True])
@pytest.mark.parametrize("tax", ["none", "seki"])
def test_area_is_that_of_the_definition(suicide: bool, tax: TaxRule) -> None:
    alive = 0
    for size, games in ((5, 12), (7, 5), (9, 2)):
        for state in random_states(2, size, games, 4, suicide=suicide, tax=tax):
            position = reference_position(state)
            owner = area(position, suicide)
            if tax != "none":
                living = independent(position, owner)
                owner = {p: c for p, c in owner.items() if living.get(p) == c or position.stones.get(p) == c}
            own = {p for p, color in owner.items() if color == state.to_move}
            assert marked(state, OWN_AREA) == own, state.text()
            assert marked(state, OTHER_AREA) == owner.keys() - own, state.text()
            alive += any(position.stones.get(p, c) != c for p, c in owner.items())
    assert alive > 5  # positions with stones that are dead in pass-alive territory


@pytest.mark.parametrize("scoring", ["area", "territory"])
def test_taxed_scores_leave_out_what_depends_on_others(scoring: ScoringRule) -> None:
    for state in random_states(3, 7, 8, 4, scoring=scoring, tax="seki", komi=0.0):
        position = reference_position(state)
        owner = dict(position.stones)
        for region in position.regions(lambda p, stones=position.stones: p not in stones):  # type: ignore[misc]
            touched = {position.stones[p] for p in position.beside(region)}
            if len(touched) == 1:
                owner |= dict.fromkeys(region, touched.pop())
        living = independent(position, owner)
        points = list(state.prisoners) if scoring == "territory" else [len(s) for s in state.stones]
        for point, color in living.items():
            points[color] += point not in position.stones
        assert state.score() == tuple(points)
