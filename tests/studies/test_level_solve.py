"""The dial of a level, and the ladder of all levels."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import numpy as np
import pytest

from sparring.calibration.run import CalibrationGame, GamesTask
from studies.levels.pooled import fit_pooled, policy_games
from studies.levels.report import ladder_table, merge_ladders
from studies.levels.solve import SLOPE, DialSearch, dial_of, level_table_text, solve_dials

ELO = {"a": 1350.0, "b": 1500.0, "c": 1650.0, "d": 1800.0}


def test_higher_positions_of_the_dial_are_colder_or_search_more() -> None:
    rows = [dial_of(1500, x) for x in np.arange(-3, 1, 0.25)]
    assert all(low.temperature > high.temperature for low, high in pairwise(rows))
    assert {row.nodes for row in rows} == {0}
    searching = [dial_of(1500, x) for x in np.arange(1.01, 6, 0.5)]
    assert all(low.nodes < high.nodes for low, high in pairwise(searching))
    assert {row.rating for row in (*rows, *searching)} == {1500}


def test_the_dial_is_found_from_games() -> None:
    rng = np.random.default_rng(1)
    search = DialSearch(1600, 0.0)

    def play(tasks: list[GamesTask]) -> Iterable[CalibrationGame]:
        for task in tasks:
            rating = 1500 + 200 * float(task.player.split("@")[1])  # 1600 at 0.5
            for anchor, number in task.pairings:
                expected = 1 / (1 + 10 ** (SLOPE * (ELO[anchor] - rating) / 400))
                yield CalibrationGame(task.player, anchor, number, float(rng.random() < expected), "mate", 60)

    solve_dials([search], ELO, play, games=120, rounds=6, chunk=40)
    assert len(search.games) == 720
    assert search.position == pytest.approx(0.5, abs=0.2)


def test_a_solved_table_can_be_read() -> None:
    text = level_table_text([dial_of(1200, 0.1), dial_of(1800, 1.5)], "stockfish", "level-solve")
    assert text.count("[[levels]]") == 2
    assert 'family = "stockfish"' in text


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
        for anchor, at in ELO.items():
            expected = 1 / (1 + 10 ** ((at - strength) / 400))
            for number in range(100):
                score = float(rng.random() < expected)
                name = f"{rating}:{temperature}:0:visits:blend"
                entries.append({"player": name, "anchor": anchor, "number": number, "score": score})
    entries.append({"player": "a", "anchor": "b", "number": 0, "score": 1.0})  # anchors among themselves
    games = policy_games(entries, ELO)
    assert len(games) == 2800
    fit = fit_pooled(games)
    assert fit.strength(1400, 1.0)[0] == pytest.approx(1240, abs=60)
    assert fit.temperature(1600) == pytest.approx(np.exp(-(1600 - 1360) / 300), abs=0.12)
