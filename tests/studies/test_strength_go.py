"""The study of Go players' strength: simulated people whose moves tell their rank."""

from __future__ import annotations

from typing import Any

import numpy as np

from sparring.measure.strength import GameEvidence, estimate_rating
from studies.ace.strength_fit import RatedPlayer
from studies.strength.go import GROUPS, MOST_MOVES, RANKS, Side, fitted, group_accuracy, measured, sides_of


def simulated_game(rank: float, rng: np.random.Generator) -> GameEvidence:
    """The likelihood of the moves is highest near the rank, and the loss falls with it."""
    curve = -0.05 * (np.array(RANKS) - rank - rng.normal(0, 2)) ** 2 - 40
    features = MOST_MOVES * np.array([0.1 - 0.005 * rank, 0.2, 1.0, 0.4]) + rng.normal(0, 0.5, 4)
    return GameEvidence(curve, features, MOST_MOVES)


def simulated(games: int, seed: int = 0) -> list[Side]:
    """Sides of people from 5k to 9d."""
    rng = np.random.default_rng(seed)
    sides = []
    for rank in (*range(-5, 0), *range(1, 10)):
        for number in range(games):
            evidence = simulated_game(rank, rng)
            sides.append(Side(f"{rank} {number // 2}", rank, f"game {rank} {number}", evidence))
    return sides


def test_ranks_of_other_people_are_estimated() -> None:
    report = measured(simulated(36), resamples=10)
    single = report["one_game"]
    assert single["players"] == 14 * 36
    assert single["mean_absolute_error"] < 0.75 * single["without_games"]
    assert single["coverage"] > 0.85
    assert single["within_two"] >= single["within_one"]
    one, *_, most = report["groups"]
    assert (one["games"], most["games"]) == (1, 5)
    assert most["accuracy"]["value"] > one["accuracy"]["value"]
    assert most["within_one_group"]["value"] > 0.9


def test_people_who_differ_at_equal_rank_widen_the_interval_of_many_games() -> None:
    sides = simulated(36)
    alone = fitted(sides)
    rng = np.random.default_rng(3)
    persons = []
    for number in range(60):
        rank = int(rng.choice([-4, -2, 2, 5, 8]))
        plays_like = rank + rng.normal(0, 1.5)
        games = tuple(simulated_game(plays_like, rng) for _ in range(8))
        persons.append(RatedPlayer(str(number), rank, games))
    model = fitted(sides, persons)
    assert 0.8 < model.player_error < 2.5
    widths = [
        estimate.high - estimate.low
        for estimate in (estimate_rating(own, persons[0].games) for own in (alone, model))
    ]
    assert widths[1] > widths[0]


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
    row: dict[str, Any] = {
        "name": "a",
        "rank": 3,
        "moves": 2,
        "curve": [-1.0] * len(RANKS),
        "features": [0.1] * 4,
    }
    entries: list[dict[str, Any]] = [
        {"source": "fox", "id": "x", "sides": [row, None]},
        {"source": "kgs", "id": "y", "sides": [row, row | {"name": None}]},
    ]
    assert [side.name for side in sides_of(entries, "fox")] == ["a"]
    assert [side.name for side in sides_of(entries, "kgs")] == ["a", "y"]
