"""The dial of a level, and the ladder of all levels."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from sparring.base.errors import UserError
from sparring.measure.calibration import CalibrationGame
from studies.levels.pooled import POLICY, DialGame, dial_games, fit_pooled
from studies.levels.report import ladder_table, merge_ladders, pooled_report
from studies.levels.solve import RULE, DialSolver, level_table_text

ELO = {str(elo): float(elo) for elo in range(900, 3000, 150)}
LEVELS = (1000, 1400, 1600, 2000, 2400)


def _strength(rating: float, temperature: float, nodes: float) -> float:
    """The strength of the players of these tests."""
    cold = -math.log(temperature)
    if nodes <= 1:
        return 1000 + 0.5 * (rating - 1000) + 600 * cold
    return 1500 + 0.2 * (rating - 1600) + 100 * math.log2(nodes) + 400 * cold


def _score(rng: np.random.Generator, strength: float, anchor: float) -> float:
    return float(rng.random() < 1 / (1 + 10 ** ((anchor - strength) / 400)))


def test_stronger_dials_are_colder_or_search_more() -> None:
    solver = DialSolver(LEVELS, search_from=1600)
    rows = [solver.dial(1200, strength) for strength in range(1000, 1500, 50)]
    assert all(low.temperature > high.temperature for low, high in pairwise(rows))
    assert {row.nodes for row in rows} == {0}
    searching = [solver.dial(2000, strength) for strength in range(1900, 2500, 100)]
    assert all(low.nodes < high.nodes for low, high in pairwise(searching))
    assert {row.rating for row in searching} == {2000}


def test_with_given_nodes_the_temperature_is_solved() -> None:
    solver = DialSolver(LEVELS, search_from=1600, nodes=64)
    rows = [solver.dial(2000, strength) for strength in range(2100, 2600, 100)]
    assert {row.nodes for row in rows} == {64}
    assert all(low.temperature > high.temperature for low, high in pairwise(rows))


def test_dials_are_solved_from_games() -> None:
    rng = np.random.default_rng(1)
    solver = DialSolver(LEVELS, search_from=1600)
    remaining = iter(range(100))
    for task in solver.tasks(ELO, 24, 3, lambda: next(remaining, None) is not None):
        assert task.config is not None
        assert len(set(task.pairings)) == 24
        assert task.config.model == solver.policy
        dial = task.config
        strength = _strength(float(dial.rating or 0), dial.temperature, dial.nodes)
        solver.add(
            [
                CalibrationGame(task.player, name, number, _score(rng, strength, ELO[name]), "mate", 60)
                for name, number in task.pairings
            ],
            ELO,
        )
    assert len(solver.games) == 2400
    for level in LEVELS:
        row = solver.dial(level)
        assert _strength(row.rating or 0, row.temperature, row.nodes) == pytest.approx(level, abs=70)
        strength, error = solver.strength(row)
        assert strength == pytest.approx(level, abs=10)
        assert error < 50


def test_a_solved_table_can_be_read() -> None:
    solver = DialSolver(LEVELS, search_from=1600)
    text = level_table_text([solver.dial(1200), solver.dial(1800)], solver.policy, "stockfish", "level-solve")
    assert text.count("[[levels]]") == 2
    assert f'rule = "{RULE}"' in text
    assert 'family = "stockfish"' in text
    assert 'policy = "level-blend"' in text


def test_journals_of_grids_and_calibrations_are_read_without_searches_by_visits() -> None:
    def game(player: str, anchor: str = "1500") -> dict[str, object]:
        return {"player": player, "anchor": anchor, "score": 1.0}

    grid: list[dict[str, object]] = [
        {"seed": 1},
        game("1600:0.7:0:visits:blend"),
        game("1600:0.7:8:visits:blend"),
        game("1600:0.7:8:regularised:blend"),
        game("anchor-100", "1650"),
        game("1600:0.7:0:visits:blend", "of another family"),
    ]
    assert list(dial_games(grid, ELO)) == [
        DialGame(1600, 0.7, 0, 1500, 1.0),
        DialGame(1600, 0.7, 8, 1500, 1.0),
    ]
    dials = {"800": {"rating": 800, "temperature": 1.1, "nodes": 0, "rule": "visits"}}
    assert list(dial_games([{"dials": dials}, game("800")], ELO)) == [DialGame(800, 1.1, 0, 1500, 1.0)]


def test_ladders_are_merged_by_family() -> None:
    def ladder(family: str, asked: int, rating: float) -> dict[str, object]:
        row = {"player": str(asked), "asked": asked, "rating": rating, "interval": [1, 2], "games": 9}
        dials = {str(asked): {"temperature": 1.0, "nodes": 0}}
        return {"families": {family: {"levels": [row]}}, "dials": dials, "matches": []}

    merged = merge_ladders(
        [ladder("x", 1200, 1230.0), ladder("x", 1000, 1010.0), ladder("y", 1000, 900.0)], [1000, 1200]
    )
    assert merged["families"]["x"]["mean_error"] == 20
    assert merged["families"]["x"]["monotone"]
    assert merged["families"]["y"]["mean_error"] == 100
    assert "| 1000 | 1010 |" in ladder_table(merged)


def test_games_of_one_dial_are_pooled_over_journals() -> None:
    def journal(nodes: int, *games: tuple[str, str, float]) -> list[dict[str, object]]:
        dials = {"2000": {"temperature": 1.0, "nodes": nodes}, "1600": {"temperature": 1.0, "nodes": 6}}
        lines = [{"player": player, "anchor": other, "score": score} for player, other, score in games]
        return [{"dials": dials}, *lines]

    others = ("2000", "maia-1900", 1.0), ("skill-20", "1950", 0.5)  # another family, anchors' own games
    first = journal(16, *[("2000", "1950", 1.0)] * 4, ("2000", "1600", 1.0), *others)
    second = journal(16, *[("2000", "1950", 0.0)] * 4, ("2000", "1600", 0.5))
    found = pooled_report([first, second], "stockfish", ELO)
    (row,) = found["families"]["stockfish"]["levels"]
    assert row["games"] == 8
    assert row["rating"] == pytest.approx(1950, abs=1)
    assert [(match["players"], match["score"]) for match in found["matches"]] == [(["2000", "1600"], 0.75)]
    with pytest.raises(UserError, match="two dials of level 2000"):
        pooled_report([first, journal(8, ("2000", "1950", 1.0))], "stockfish", ELO)


def test_the_strength_of_a_policy_is_found_from_all_games_of_a_grid() -> None:
    rng = np.random.default_rng(2)
    entries = []
    for rating, temperature in (
        (600, 1.0),
        (1000, 1.0),
        (1400, 1.0),
        (1400, 0.5),
        (1800, 1.0),
        (1800, 0.5),
        (2400, 1.0),
    ):
        strength = 400 + 0.6 * rating - 300 * np.log(temperature)
        for anchor, at in list(ELO.items())[3:7]:
            expected = 1 / (1 + 10 ** ((at - strength) / 400))
            for number in range(100):
                score = float(rng.random() < expected)
                name = f"{rating}:{temperature}:0:visits:blend"
                entries.append({"player": name, "anchor": anchor, "number": number, "score": score})
    entries.append({"player": "a", "anchor": "1500", "number": 0, "score": 1.0})  # anchors among themselves
    games = list(dial_games([{}, *entries], ELO))
    assert len(games) == 2800
    fit = fit_pooled(games, POLICY)
    assert fit.strength(1400, 1.0)[0] == pytest.approx(1240, abs=60)
    assert fit.temperature(1600, 1600) == pytest.approx(np.exp(-(1600 - 1360) / 300), abs=0.12)
