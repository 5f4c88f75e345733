"""The fit of one person: known vectors are found, few games do no harm, repertoires are learned."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.training.person.adaptation import check_on_latest
from sparring.training.person.evaluation import gains, score_choices
from sparring.training.person.fitting import fit_person
from sparring.training.person.repertoire_fit import with_repertoire
from sparring.training.person.vector_fit import fit_vector, log_probabilities
from tests.training.person.synthetic import synthetic_person

Z = np.array([1.0, 1.5, -1.0, 0.0, 0.5])


def test_the_vector_of_a_person_is_recovered() -> None:
    assert np.abs(fit_vector(synthetic_person(Z, 400), 1.0) - Z)[1:].max() < 0.2


def test_an_infinite_precision_is_the_base_itself() -> None:
    choices = synthetic_person(Z, 5)
    assert not fit_vector(choices, np.inf).any()
    base = log_probabilities(choices, np.zeros(5))
    assert np.abs(base - choices.logs).max() < 1e-5


def test_the_fit_is_the_minimum() -> None:
    choices = synthetic_person(Z, 10)

    def loss(z: np.ndarray) -> float:
        return float(-log_probabilities(choices, z)[:, 0].sum() + z @ z / 2)

    found = fit_vector(choices, 1.0)
    for axis in range(5):
        for step in (-0.05, 0.05):
            assert loss(found) < loss(found + step * np.eye(5)[axis])


def test_a_person_like_the_base_is_left_alone() -> None:
    fits = [fit_person(synthetic_person(np.zeros(5), games, seed=games)) for games in (2, 3, 5, 10, 20)]
    later = synthetic_person(np.zeros(5), 100, seed=99)
    base = log_probabilities(later, np.zeros(5))[:, 0].mean()
    for fit in fits:
        assert log_probabilities(later, fit.z)[:, 0].mean() > base - 0.02
        assert fit.style_gain >= 0
        assert fit.repertoire_gain >= 0


@pytest.mark.parametrize("games", [5, 20, 100])
def test_later_games_of_a_person_become_likelier(games: int) -> None:
    fit = fit_person(synthetic_person(Z, games))
    later = synthetic_person(Z, 100, seed=7)
    found = gains(score_choices(later, log_probabilities(later, 0 * Z), log_probabilities(later, fit.z)))
    assert found["nats"]["value"] > (0.02 if games == 5 else 0.08)
    assert found["nats"]["low"] < found["nats"]["value"] < found["nats"]["high"]
    assert found["games"] == 100
    assert set(found["phases"]) == {"opening", "middle game", "endgame"}


def test_a_repertoire_is_learned_where_positions_recur() -> None:
    choices = synthetic_person(np.zeros(5), 20, opening=4)
    fit = fit_person(choices)
    assert fit.repertoire_gain > 0.2
    assert fit.concentration <= 1
    later = synthetic_person(np.zeros(5), 10, seed=3, opening=4)
    style = log_probabilities(later, 0 * Z)
    logs = with_repertoire(later, style, fit.repertoire(choices))
    assert np.exp(logs[:, 0])[later.ply < 4].min() > 0.9
    assert np.abs(np.exp(logs).sum(axis=1) - 1).max() < 1e-4
    assert (logs[later.ply >= 4] == style[later.ply >= 4]).all()


def test_few_games_are_not_checked() -> None:
    assert check_on_latest(synthetic_person(Z, 9), 9) is None
    found = check_on_latest(synthetic_person(Z, 50), 50)
    assert found is not None
    assert found["games"] == 10
    assert found["nats"]["value"] > 0
