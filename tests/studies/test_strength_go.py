"""The study of Go players' strength: simulated people whose moves tell their rank."""

from __future__ import annotations

import numpy as np

from sparring.measure.strength import GameEvidence
from studies.strength.go import GROUPS, MOST_MOVES, RANKS, Side, fitted, group_accuracy, measured, sides_of


def simulated(games: int, seed: int = 0) -> list[Side]:
    """Sides of people from 5k to 9d; the likelihood of the moves is highest near their rank."""
    rng = np.random.default_rng(seed)
    sides = []
    for rank in (*range(-5, 0), *range(1, 10)):
        for number in range(games):
            peak = rank + rng.normal(0, 2)
            curve = -0.05 * (np.array(RANKS) - peak) ** 2 - 40
            features = MOST_MOVES * np.array([0.1 - 0.005 * rank, 0.2, 1.0, 0.4]) + rng.normal(0, 0.1, 4)
            evidence = GameEvidence(curve, features, MOST_MOVES)
            sides.append(Side(f"{rank} {number // 2}", rank, f"game {rank} {number}", evidence))
    return sides


def test_ranks_of_other_people_are_estimated() -> None:
    report = measured(simulated(36), resamples=10)
    single = report["persons"][0]
    assert single["games"] == 1
    assert single["mean_absolute_error"] < 0.75 * single["without_games"]
    assert single["coverage"] > 0.85
    assert single["within_two"] >= single["within_one"]
    one, *_, most = report["groups"]
    assert (one["games"], most["games"]) == (1, 5)
    assert most["accuracy"]["value"] > one["accuracy"]["value"]
    assert most["within_one_group"]["value"] > 0.9


def test_moves_that_tell_nothing_tell_no_group() -> None:
    rng = np.random.default_rng(1)
    sides = []
    for side in simulated(24):
        noise = GameEvidence(rng.normal(-40, 1, len(RANKS)), rng.normal(1, 0.1, 4), MOST_MOVES)
        sides.append(Side(side.name, side.rank, side.game, noise))
    halves = [[side for side in sides if side.half == which] for which in (0, 1)]
    share = group_accuracy(halves, [fitted(half) for half in halves], 5, 4)
    assert share["accuracy"]["value"] < 2.5 / len(GROUPS)


def test_groups_are_those_of_the_paper() -> None:
    by_rank = {side.rank: side.group for side in simulated(1)}
    assert [by_rank[rank] for rank in (-5, -3, -2, -1, 1, 9)] == [0, 0, 1, 1, 2, 10]


def test_the_journal_gives_sides_of_a_source() -> None:
    row = {"name": "a", "rank": 3, "moves": 2, "curve": [-1.0] * len(RANKS), "features": [0.1] * 4}
    entries = [
        {"source": "fox", "id": "x", "sides": [row, None]},
        {"source": "kgs", "id": "y", "sides": [row, row | {"name": None}]},
    ]
    assert [side.name for side in sides_of(entries, "fox")] == ["a"]
    assert [side.name for side in sides_of(entries, "kgs")] == ["a", "y"]
