"""The second yardstick: levels beside people in the same positions."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.games import load_game
from sparring.measure.calibration import read_anchors
from sparring.players import LevelTable
from sparring.players.engines import EngineConfig
from sparring.players.player_config import Level
from studies.levels.engine_shares import selection_depth
from studies.levels.positions import PEOPLE, GamePosition
from studies.levels.table import grid_table, table_text, with_measurements
from studies.levels.yardstick import (
    LevelColumns,
    equivalent_ratings,
    equivalent_table,
    loss_table,
    matching_table,
    yardstick_rows,
)


def _columns(level: int, people: float, own: float) -> LevelColumns:
    state = load_game("chess").initial()
    scores = np.full(20, 0.5)
    positions = [GamePosition(PEOPLE, level, number, state, 0, scores) for number in range(40)]
    columns = {"people": people, "level": own, "policy": own}
    columns |= {
        f"{name}, {what}": 0.5 for name in ("level", "policy") for what in ("matching", "log likelihood")
    }
    noise = 1 + 0.01 * np.random.default_rng(level).normal(size=40)
    return LevelColumns(level, positions, {name: value * noise for name, value in columns.items()})


def test_a_level_that_loses_as_much_as_people_is_equivalent_to_its_rating() -> None:
    def loss(rating: float) -> float:
        return 0.2 * float(np.exp(-rating / 1000))

    found = [
        _columns(level, loss(level), loss(level + more))
        for level, more in ((1000, 0), (1500, 200), (2000, 0))
    ]
    rows = equivalent_ratings(found)
    assert [row["equivalent"] for row in rows] == pytest.approx([1000, 1700, 2000], abs=15)
    assert all(row["interval"][0] <= row["equivalent"] <= row["interval"][1] for row in rows)
    assert "| 1500 | 17" in equivalent_table(rows) or "| 1500 | 16" in equivalent_table(rows)


def test_rows_have_the_level_that_was_asked_for() -> None:
    rows = yardstick_rows([_columns(1000, 0.1, 0.2)])
    assert {row["asked"] for row in rows} == {1000}
    assert "| 1000 | all | 40 | 0.1" in loss_table(rows)
    assert matching_table(rows).splitlines()[2].startswith("| 1000 | 40 | 0.5")


def test_stockfish_chooses_at_the_depth_of_the_anchors() -> None:
    rated = [anchor for anchor in read_anchors("stockfish", "chess") if anchor.elo is not None]
    assert rated
    for anchor in rated:
        assert isinstance(anchor.participant, EngineConfig)
        assert selection_depth(int(anchor.elo or 0)) == anchor.participant.limits.depth


def test_a_measurement_counts_for_the_dial_that_was_measured() -> None:
    table = LevelTable("chess", (Level(800, 800, 1.1), Level(1600, 1600, 1.0, 6)), family="stockfish")
    row = {"player": "800", "asked": 800.0, "rating": 812.4, "interval": [780.2, 850.1], "games": 200}
    ladder = {"families": {"stockfish": {"levels": [row]}}, "dials": {"800": table.keys(800)}}
    other = {**ladder, "dials": {"800": {**table.keys(800), "temperature": 1.3}}}
    assert with_measurements(table, [other]) == table
    measured = with_measurements(table, [ladder])
    assert (measured.levels[0].measured, measured.levels[0].games) == (812, 200)
    assert "measured = 812\ninterval = [780, 850]\ngames = 200\n" in table_text(measured, ["by a command"])
    assert table_text(measured).count("nodes") == 1
    before = {key: value for key, value in table.keys(800).items() if key != "unvisited_share"}
    assert with_measurements(table, [{**ladder, "dials": {"800": before}}]) == measured  # an older ladder


def test_dials_of_a_grid_are_levels_where_they_measured_higher_than_weaker_ones() -> None:
    def row(player: str, rating: float) -> dict[str, object]:
        return {"player": player, "rating": rating, "interval": [rating - 50, rating + 50], "games": 60}

    rows = [
        row(":1:16:regularised:blend", 1503.0),
        row(":2:0:visits:blend", 700.0),
        row(":1:0:visits:blend", 1046.0),
        row(":1:4:regularised:blend", 1000.0),
    ]
    table = grid_table("shogi", "fairy-stockfish", [{"families": {"fairy-stockfish": {"levels": rows}}}])
    assert [(level.level, level.temperature, level.nodes) for level in table.levels] == [
        (700, 2.0, 0),
        (1050, 1.0, 0),
        (1500, 1.0, 16),
    ]
    assert table.levels[1].measured == 1046
    assert "rating" not in table_text(table)
