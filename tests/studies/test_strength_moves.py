"""The log-linear model of strength: simulated players of known rating, and a few moves of random games."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.measure.strength import shipped_strength_model
from sparring.networks import Position, Prediction
from sparring.records.readers import RecordedGame
from studies.strength import measure
from studies.strength.commands import measured
from studies.strength.fit import fit_model, flat_prior, with_player_error
from studies.strength.measure import (
    GAMES,
    Method,
    errors,
    group_accuracy,
    new_method,
    persons,
    placed_accuracy,
)
from studies.strength.model import FEATURES, GRID, StrengthModel
from studies.strength.moves import (
    GROUPS,
    RATINGS,
    PlannedSide,
    Side,
    evaluate,
    group_of,
    is_fitted,
    plan,
    read_sides,
    whole_of_groups,
    whole_sides,
)
from tests.matching.tables import random_record


def simulated(
    count: int, seed: int, *, games: int = 1, moves: int = 12, slow: bool = False, role: str = "train"
) -> list[Side]:
    """Games of players whose moves have a parabola around their rating, a surprise that falls with it, and
    features without meaning."""
    rng = np.random.default_rng(seed)
    sides = []
    for number in range(count):
        rating = int(rng.uniform(1000, 2600))
        for game in range(games):
            peaks = rating + rng.normal(0, 900, moves)
            curves = -2 - 0.05 * ((np.array(RATINGS) - peaks[:, None]) / 900) ** 2
            features = rng.normal(0, 1, (moves, len(FEATURES)))
            features[:, FEATURES.index("surprise")] += 2 - rating / 1000
            phases = np.sort(rng.integers(0, 3, moves)).tolist()
            sides.append(
                Side(
                    f"{seed} {number} {game}", 0, f"{seed} {number}", rating, slow, role, tuple(phases),
                    tuple(map(tuple, curves.tolist())), tuple(map(tuple, features.tolist())),
                )
            )  # fmt: skip
    return sides


@pytest.fixture(scope="module")
def model() -> StrengthModel:
    return fit_model(simulated(300, 1))


def method(model: StrengthModel) -> Method:
    return new_method("model", model, flat_prior(1000, 2600))


def test_ratings_of_other_players_are_estimated_with_honest_intervals(model: StrengthModel) -> None:
    found = errors([method(model)], [[side] for side in simulated(200, 2)])
    assert found["model"]["mean_absolute_error"]["value"] < 0.7 * found["error_of_the_median"]["value"]
    assert 0.9 <= found["model"]["coverage"]["value"] <= 1
    assert found["model"]["less_the_first"] == {"value": 0, "low": 0, "high": 0}


def test_features_help_the_curve(model: StrengthModel) -> None:
    plain = fit_model(simulated(300, 1), features=False)
    assert all(term == (0.0, 0.0) for term in plain.feature_terms)
    methods = [method(model), new_method("plain", plain, flat_prior(1000, 2600))]
    found = errors(methods, [[side] for side in simulated(200, 3)])
    assert found["plain"]["less_the_first"]["low"] > 0


def test_more_games_tell_groups_better(model: StrengthModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_RESAMPLES", 5)
    rows = group_accuracy([method(model)], simulated(320, 4))
    shares = [row["model"]["accuracy"]["value"] for row in rows]
    assert [row["games"] for row in rows] == list(GAMES)
    assert shares == sorted(shares)
    assert shares[0] > 1.5 / GROUPS
    assert rows[-1]["model"]["within_one_group"]["value"] > 0.8


def test_bounds_between_groups_mend_a_bias(model: StrengthModel, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_RESAMPLES", 4)
    monkeypatch.setattr(measure, "GAMES", (1, 10))
    true = method(model)

    def shifted(sides: Sequence[Side]) -> NDArray[np.float64]:
        return np.roll(true.likelihoods(sides), 20, axis=1)  # all ratings 400 too high

    methods = [Method("biased", shifted, lambda side: 0.0, true.log_prior)]
    sides = simulated(480, 4)
    biased, placed = (tell(methods, sides)[-1] for tell in (group_accuracy, placed_accuracy))
    assert biased["biased"]["accuracy"]["value"] < 0.2
    assert placed["biased"]["accuracy"]["value"] > 0.4


def test_an_offset_of_players_is_found(model: StrengthModel) -> None:
    sides = simulated(60, 5, games=12, role="person")
    same = with_player_error(model, persons(sides, 12))
    apart = [
        Side(**(vars(side) | {"rating": side.rating + (200 if int(side.name.split()[1]) % 2 else -200)}))
        for side in sides
    ]
    other = with_player_error(model, persons(apart, 12))
    assert same.player_error < 100 < other.player_error
    assert with_player_error(model, []) == model


def test_a_report_has_every_table(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measure, "_RESAMPLES", 5)
    sides = [
        *simulated(60, 6), *simulated(60, 7, slow=True), *simulated(12, 8, games=5, role="person"),
        *simulated(40, 9, role="test"), *simulated(6, 10, slow=True, role="whole"),
        *simulated(12, 11, role="whole"),
    ]  # fmt: skip
    report = measured(sides, shipped_strength_model("chess"))
    assert {
        "groups_blitz",
        "one_game_blitz",
        "groups_blitz_all_moves",
        "one_game_rapid_all_moves",
        "persons_blitz",
    } <= set(report)
    assert report["fitted_on"]["sides"] == sum(side.fitted for side in sides)
    assert set(report["one_game_blitz_by_phase"]) == {"opening", "middle game", "endgame"}


class AnyMove:
    """Likes all moves alike; its value is 0.2 for the side to move."""

    name, game = "any", "chess"

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        found = []
        for position in positions:
            moves = tuple(position.state.legal_moves())
            shares = np.full(len(moves), 1 / len(moves), np.float32)
            found.append(Prediction(moves, shares, 0.2, state=position.state))
        return found


def games(speed: str) -> list[RecordedGame]:
    return [
        RecordedGame(
            "chess",
            random_record(
                "chess", random.Random(f"{speed} {number}"), 60, first=f"a{number}", second=f"b{number}",
                first_rating=1000 + 190 * number, second_rating=1010 + 190 * number,
            )._replace(speed=speed),
        )
        for number in range(8)
    ]  # fmt: skip


def test_a_stopped_evaluation_goes_on(tmp_path: Path) -> None:
    wanted: list[PlannedSide] = plan(games("blitz"), games("rapid"))
    assert len(wanted) == 32
    assert {side.role for side in wanted} <= {"train", "test"}
    path = tmp_path / "moves.jsonl"
    human = strong = AnyMove()
    list(evaluate(human, strong, wanted[:3], path))
    whole = [*whole_sides(games("rapid"), 2), *whole_of_groups(wanted, 1)]
    list(evaluate(human, strong, [*wanted[:5], *whole], path))
    sides = read_sides(path)
    assert len(sides) == 8
    assert len({(side.game, side.player, side.role) for side in sides}) == 8
    assert [side.slow for side in sides[-3:]] == [True, True, False]
    for side in sides:
        assert len(side.curves) == len(side.features) == len(side.phases) > 0
        assert side.fitted == (side.role != "whole" and is_fitted(side.name))
        first, *_, decided = side.features[0]
        assert first > 0
        assert decided == pytest.approx(0.2)
        opening = side.of_phase(0)
        assert opening is None or len(opening.curves) == side.phases.count(0)


def test_groups_have_200_points() -> None:
    assert [group_of(rating) for rating in (999, 1000, 1199, 2599, 2600)] == [-1, 0, 0, 7, 8]
    assert GRID[0] < 800 < 2600 < GRID[-1]
