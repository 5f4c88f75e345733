"""Levels on people's scale: curves of people, ratios, and games of levels against themselves."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sparring.players import LevelTable
from sparring.players.player_config import Level
from sparring.records.readers import reader_for
from sparring.records.sources import open_chunks
from studies.levels.own_games import play_levels, played_games
from studies.levels.people_scale import (
    clustering,
    comparison,
    comparison_table,
    curve_table,
    game_losses,
    interval,
    on_engine_scale,
    people_curves,
)

HEADERS = '[White "a"]\n[Black "b"]\n[WhiteElo "1500"]\n[BlackElo "1520"]\n[Result "1-0"]\n\n'
GAME = f"{HEADERS}1. e4 e5 2. Nf3 Nc6 3. Bc4 Bc5 4. c3 Nf6 5. d3 d6 6. O-O O-O 7. Re1 a6 1-0\n"


def games_of(rate: float, count: int, seed: int) -> np.ndarray[tuple[int, ...], np.dtype[np.float64]]:
    """Games of 40 moves, of which a share loses 0.25 each."""
    errors = np.random.default_rng(seed).binomial(40, rate, count).astype(float)
    return np.stack([np.full(count, 40.0), 0.25 * errors, errors, errors], axis=1)


def people() -> dict[int, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    """People whose share of errors falls from 12 % at 850 to 4 % at 2450, as a parabola's exponential."""
    return {
        group: games_of(0.12 * np.exp(-(group - 800) / 1600 * np.log(3)), 400, group)
        for group in range(800, 2401, 100)
    }


def test_the_curve_of_people_is_smooth_and_near_the_truth() -> None:
    curves = people_curves(people())
    for rating, share in ((850, 0.12), (1650, 0.0693), (2450, 0.04)):
        values = curves["blunders"](rating)
        assert values[0] == pytest.approx(share, rel=0.05)
        low, high = np.quantile(values[1:], [0.025, 0.975])
        assert low < values[0] < high
    smooth = [row["smooth_loss"]["value"] for row in curve_table(people())]
    assert smooth == sorted(smooth, reverse=True)


def test_a_player_who_errs_as_people_do_has_a_ratio_of_one() -> None:
    ours = {1650: games_of(0.0693, 300, 1), 2050: games_of(2 * 0.0526, 300, 2)}
    same, twice = comparison(ours, people())
    assert same["ratio_loss"]["low"] < 1 < same["ratio_loss"]["high"]
    assert same["ratio_loss"]["value"] == pytest.approx(1, abs=0.1)
    assert twice["ratio_mistakes"]["low"] > 1.5
    assert (same["games"], same["people_games"]) == (300, 800)
    assert "| 2050 |" in comparison_table([same, twice])


def test_mistakes_that_come_together_are_told_from_independent_ones() -> None:
    rng = np.random.default_rng(5)
    alike = interval(clustering(games_of(0.1, 500, 3), rng))
    assert alike["low"] < 1 < alike["high"]
    mixed = interval(clustering(np.concatenate([games_of(0.03, 250, 4), games_of(0.2, 250, 5)]), rng))
    assert mixed["low"] > 2


def test_the_engines_scale_is_steeper_and_symmetric() -> None:
    values = on_engine_scale(np.array([0.3, 0.5, 0.7]))
    assert values[1] == pytest.approx(0.5)
    assert values[0] + values[2] == pytest.approx(1, abs=1e-2)
    assert values[2] > 0.8


def test_losses_count_undecided_moves_of_judged_games(tmp_path: Path) -> None:
    records, judged = tmp_path / "games.pgn", tmp_path / "judged.jsonl"
    records.write_text(GAME)
    (parsed,) = reader_for(records, "chess")(open_chunks(records), 0)
    assert parsed.record is not None
    entry = {
        "game": parsed.record.identity("chess"),
        "plies": [10, 11, 12],
        "before": [0.5, 0.6, 0.95],
        "after": [0.35, 0.65, 0.5],
    }
    judged.write_text(json.dumps({"game": "chess"}) + "\n" + json.dumps(entry) + "\n")
    found = game_losses(records, judged)
    assert list(found) == [1500]
    assert found[1500] == pytest.approx(np.array([[2, 0.15, 1, 0]]))


def test_levels_play_themselves_and_a_file_is_continued(tmp_path: Path) -> None:
    table = LevelTable("chess", (Level(800, 800, 0.5), Level(1200, 1200, 0.5)), policy="human")
    out = tmp_path / "own.pgn"
    play_levels(table, [800, 1200], 1, out, together=1, seed=3)
    assert played_games(out, "chess") == {800: 1, 1200: 1}
    first = out.read_text()
    play_levels(table, [800], 2, out, together=2, seed=3)
    assert out.read_text().startswith(first), "games that are there are not played again"
    assert played_games(out, "chess") == {800: 2, 1200: 1}
