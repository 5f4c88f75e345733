"""Identification: who played some games."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.measure.matching import identification_accuracy


def test_more_games_tell_more() -> None:
    random = np.random.default_rng(0)
    people = np.repeat(np.arange(10), 40)
    table = random.normal(0, 1, (10, 400))
    table[people, np.arange(400)] += 0.5
    found = [identification_accuracy(table, people, games) for games in (1, 5, 20)]
    assert found[0].value < found[1].value < found[2].value
    assert all(each.low <= each.value <= each.high for each in found)


def test_a_table_without_information_is_right_by_chance() -> None:
    people = np.repeat(np.arange(10), 100)
    table = np.random.default_rng(1).normal(0, 1, (10, 1000))
    found = identification_accuracy(table, people)
    assert found.low < 0.1 < found.high


def test_too_few_games_are_refused() -> None:
    with pytest.raises(ValueError, match="nobody has 3 games"):
        identification_accuracy(np.zeros((2, 4)), np.array([0, 0, 1, 1]), 3)
