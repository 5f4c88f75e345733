"""Expendibots' features against their definitions in plain Python; evaluations and their files."""

from __future__ import annotations

import math
import random
from pathlib import Path

import numpy as np
import pytest

from sparring._core import ExpendibotsSearch, ExpendibotsState
from sparring.base.errors import BadFile
from sparring.expendibots.game import Expendibots
from sparring.search.linear_evaluation import (
    LinearEvaluation,
    feature_names,
    open_evaluation,
    read_evaluation,
    stage_names,
    write_evaluation,
)

GAME = Expendibots()
FEATURES = feature_names("expendibots")
Square = tuple[int, int]


def states(seed: int, step: int = 7) -> list[ExpendibotsState]:
    """Positions at intervals of a random game with few booms."""
    rng = random.Random(seed)
    state, found = GAME.initial(), []
    while state.outcome is None and state.ply < 120:
        if state.ply % step == 0:
            found.append(state)
        moves = [move for move in state.legal_moves() if move >= 64 or rng.random() < 0.02]
        state = state.play(rng.choice(moves or state.legal_moves()))
    return found


def adjacent(a: Square, b: Square) -> bool:
    return a != b and max(abs(a[0] - b[0]), abs(a[1] - b[1])) == 1


def manhattan(a: Square, b: Square) -> int:
    return abs(a[0] - b[0]) + abs(a[1] - b[1])


def largest_cluster(stacks: set[Square]) -> int:
    left, largest = set(stacks), 0
    while left:
        frontier = [left.pop()]
        size = 0
        while frontier:
            at = frontier.pop()
            size += 1
            near = {other for other in left if adjacent(at, other)}
            left -= near
            frontier += near
        largest = max(largest, size)
    return largest


def per_player(own: dict[Square, int], other: dict[Square, int]) -> dict[str, float]:
    """The report's features, normalised to at most about 1."""
    targets: dict[Square, set[Square]] = {}
    for (x, y), height in own.items():
        line = [(i, y) for i in range(8)] + [(x, i) for i in range(8)]
        targets[x, y] = {to for to in line if 0 < manhattan((x, y), to) <= height and to not in other}
    tokens = sum(own.values())
    ring = {(x, y): int(max(abs(x - 3.5), abs(y - 3.5))) for x in range(8) for y in range(8)}
    numbers = {
        "tokens": tokens / 12,
        "stacks": len(own) / 12,
        "actions": (len(own) + sum(own[at] * len(to) for at, to in targets.items())) / 130,
        "average stack": tokens / len(own) / 4,
        "cluster": largest_cluster(set(own)) / 12,
        "mobility": len(set().union(*targets.values())) / 64,
        "connectivity": sum(any(adjacent(at, to) for to in own) for at in own) / 12,
        "threat": sum(any(adjacent(at, to) for to in own) for at in other) / 12,
        "distance": sum(min(manhattan(at, to) for to in other) for at in own) / len(own) / 12,
    }
    for i in range(4):
        numbers[f"tokens in ring {i}"] = sum(h for at, h in own.items() if ring[at] == i) / 12
        numbers[f"stacks in ring {i}"] = sum(ring[at] == i for at in own) / 12
    return numbers


def described(state: ExpendibotsState) -> dict[str, float]:
    """All features by name: half of the mover's view minus half of the opponent's view."""
    mine, theirs = seen(state, state.to_move), seen(state, 1 - state.to_move)
    return {name: (mine[name] - theirs[name]) / 2 for name in mine}


def seen(state: ExpendibotsState, player: int) -> dict[str, float]:
    """All features of the report from a player's view."""
    sides: tuple[dict[Square, int], dict[Square, int]] = ({}, {})
    for y, row in enumerate(state.heights):
        for x, height in enumerate(row):
            if height:
                sides[0 if height > 0 else 1][x, y] = abs(height)
    own, other = sides[player], sides[1 - player]
    mine, theirs = per_player(own, other), per_player(other, own)
    result = {
        "ratio": sum(own.values()) / sum(other.values()),
        "closest": min(manhattan(a, b) for a in own for b in other) / 12,
    }
    for name in mine:
        result[f"own {name}"], result[f"other's {name}"] = mine[name], theirs[name]
        result[f"difference of {name}"] = mine[name] - theirs[name]
    lead = sum(own.values()) - sum(other.values())
    winning = (np.sign(lead) + 1) / 2
    for name, value in list(result.items()):
        result[f"{name}, ahead"] = winning * value
        result[f"{name}, behind"] = (1 - winning) * value
    return result


@pytest.mark.parametrize("seed", range(6))
def test_features_are_what_the_report_says(seed: int) -> None:
    for state in states(seed):
        _, features = ExpendibotsSearch.extract_features(state)
        expected = described(state)
        assert sorted(expected) == sorted(FEATURES)
        found = dict(zip(FEATURES, features.tolist(), strict=True))
        assert found == pytest.approx(expected, rel=1e-5, abs=1e-6)


def test_the_value_is_the_weighted_sum_of_the_features() -> None:
    rng = np.random.default_rng(1)
    weights = rng.normal(0, 4, (4, len(FEATURES)))
    search = ExpendibotsSearch(weights)
    compared = 0
    for state in states(1) + states(2):
        stage, features = ExpendibotsSearch.extract_features(state)
        linear = float(weights[stage] @ features)
        if abs(linear) < 98.9:
            compared += 1
            assert search.evaluate(state) == pytest.approx(linear, abs=2e-3)
    assert compared >= 20


def test_values_stay_between_a_loss_and_a_win_with_their_sign() -> None:
    """The report's formula gives hopeless positions a positive value."""
    for weight in (2.0, 30.0, 100.0, 150.0, 1e4, 1e9):
        for sign in (1, -1):
            weights = np.zeros((4, len(FEATURES)))
            weights[:, FEATURES.index("difference of tokens")] = sign * weight * 12 / 11
            value = ExpendibotsSearch(weights).evaluate(GAME.parse("8/8/8/8/8/8/8/L6a w 0"))  # 12 to 1
            expected = weight if weight < 99 else 100 * math.tanh(weight / 35)
            assert value == pytest.approx(sign * min(expected, 99.999), abs=1e-3)
            assert -100 < value < 100


def test_a_position_is_worth_to_one_side_what_it_costs_the_other() -> None:
    search = ExpendibotsSearch(np.random.default_rng(4).normal(0, 4, (4, len(FEATURES))))
    for state in states(5):
        board, side, actions = state.text().split()
        other = GAME.parse(f"{board} {'b' if side == 'w' else 'w'} {actions}")
        assert search.evaluate(GAME.parse(state.text())) == pytest.approx(-search.evaluate(other), abs=1e-3)


def test_stages_go_by_booms_and_by_tokens_left() -> None:
    def stage(state: ExpendibotsState) -> str:
        return stage_names("expendibots")[ExpendibotsSearch.extract_features(state)[0]]

    state = GAME.initial()
    booms = ["boom a1", "boom a8", "boom d1", "boom d8"]
    seen = [stage(state)]
    for text in booms:
        state = state.play(state.parse_move(text))
        seen.append(stage(state))
    assert seen == ["opening", "opening", "developing", "developing", "ending"]
    assert stage(GAME.parse("8/8/8/8/8/8/8/E5aa w 0")) == "middle"


def test_an_evaluation_comes_back_from_its_file(tmp_path: Path) -> None:
    weights = np.random.default_rng(2).normal(0, 1, (4, len(FEATURES))).round(6)
    write_evaluation(LinearEvaluation("expendibots", weights, {"seed": 2}), tmp_path / "mine.json")
    again = open_evaluation("expendibots", tmp_path / "mine.json")
    np.testing.assert_allclose(again.weights, weights)
    assert again.origin == {"seed": 2}


@pytest.mark.parametrize("source", ["start", "learned"])
def test_the_package_has_evaluations(source: str) -> None:
    assert np.any(open_evaluation("expendibots", source).weights)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("{", "not JSON"),
        ("[]", "no entry 'stages'"),
        ('{"game": "chess", "stages": {}}', "is for chess"),
        ('{"game": "expendibots", "stages": {"late": {}}}', "stages opening"),
        ('{"game": "expendibots", "stages": {"ending": {"pawns": 1}}}', "no feature 'pawns'"),
        ('{"game": "expendibots", "stages": {"ending": {"ratio": "much"}}}', "a number"),
        ('{"game": "expendibots", "stages": {"ending": {"ratio": NaN}}}', "a number"),
    ],
)
def test_bad_files_are_refused_with_a_reason(text: str, complaint: str) -> None:
    with pytest.raises(BadFile, match=complaint):
        read_evaluation(text, "expendibots")


def test_games_without_features_and_missing_files_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match="has no features"):
        open_evaluation("chess")
    with pytest.raises(BadFile, match="no evaluation"):
        open_evaluation("expendibots", tmp_path / "none.json")
