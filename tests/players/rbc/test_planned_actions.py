"""Scores of a search's actions, and when its choice is settled."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.rbc.planner import PlannedActions, action_scores, is_settled


def search(won: list[float], visits: list[float], ratings: list[float] | None) -> PlannedActions:
    values = 2 * np.array(won) - 1
    count = len(won)
    return PlannedActions(
        np.arange(count),
        np.full(count, 1 / count),
        np.array(visits),
        values,
        values,
        root_value=0.0,
        playouts=int(sum(visits)),
        nodes=0,
        ratings=None if ratings is None else np.array(ratings),
    )


def test_scores_without_ratings_are_totals_of_win_probability() -> None:
    found = action_scores(search([0.5, 0.6], [100, 50], None), 0.0)
    assert found == pytest.approx([50.0, 30.0], abs=0.01)


def test_scores_with_ratings_lie_between_rating_and_playouts() -> None:
    found = action_scores(search([0.4, 0.6], [100, 100], [0.6, 0.5]), 100.0)
    assert found[1] > found[0]
    assert action_scores(search([0.4, 0.6], [1, 1], [0.6, 0.5]), 100.0).argmax() == 0


@pytest.mark.parametrize(("remaining", "settled"), [(10.0, True), (60.0, False)])
def test_without_ratings_a_choice_is_settled_if_it_cannot_be_overtaken(
    remaining: float, settled: bool
) -> None:
    assert is_settled(search([0.5, 0.5], [100, 20], None), 0.0, remaining) is settled


def test_with_ratings_a_choice_is_settled_by_its_lead_in_standard_errors() -> None:
    apart, close = [0.7, 0.3], [0.55, 0.45]
    assert is_settled(search(apart, [100, 100], apart), 100.0, 1e6)
    assert not is_settled(search(close, [16, 16], close), 1.0, 1e6)


def test_a_choice_between_equals_is_settled_when_an_error_costs_little() -> None:
    equal = [0.5, 0.5]
    assert not is_settled(search(equal, [200, 200], equal), 100.0, 1e6)
    assert is_settled(search(equal, [100_000, 100_000], equal), 100.0, 1e6)


def test_a_single_action_is_settled() -> None:
    assert is_settled(search([0.5], [1], [0.5]), 100.0, 1e6)
