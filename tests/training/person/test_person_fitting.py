"""The fit of one person: known vectors are found, few games do no harm, repertoires are learned."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.training.person.adaptation import check_on_latest, choose_offset
from sparring.training.person.choices import PersonChoices
from sparring.training.person.fitting import (
    SHARES,
    fit_person,
    log_probabilities,
    minimise,
    with_repertoire,
)
from sparring.training.person.measurement import gains, score_choices
from tests.training.person.synthetic import synthetic_person

Z = np.array([1.0, 1.5, -1.0, 0.0, 0.5])


def fit_vector(choices: PersonChoices, precision: float) -> NDArray[np.float64]:
    """The vector of the largest posterior probability."""
    return minimise([choices], precision, np.zeros(choices.features.shape[2]))[0]


def test_the_vector_of_a_person_is_recovered() -> None:
    assert np.abs(fit_vector(synthetic_person(Z, 400), 1.0) - Z)[1:].max() < 0.2


def test_the_vector_zero_is_the_base_itself() -> None:
    choices = synthetic_person(Z, 5)
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
    assert np.exp(logs[:, 0])[later.ply < 4].min() > 0.98 * max(SHARES)
    assert np.abs(np.exp(logs).sum(axis=1) - 1).max() < 1e-4
    assert (logs[later.ply >= 4] == style[later.ply >= 4]).all()


def test_few_games_are_not_checked() -> None:
    assert check_on_latest(synthetic_person(Z, 9), 9) is None
    found = check_on_latest(synthetic_person(Z, 50), 50)
    assert found is not None
    assert found["games"] == 10
    assert found["nats"]["value"] > 0


def test_a_changed_opening_costs_little() -> None:
    """Sixty games always open alike; later the person plays another move, which no earlier game tells."""
    fit = fit_person(before := synthetic_person(np.zeros(5), 60, opening=4))
    assert fit.repertoire_gain > 0.1
    later = synthetic_person(np.zeros(5), 20, seed=5, opening=4)
    swapped = [1, 0, *range(2, later.logs.shape[1])]
    other = replace(later, logs=later.logs[:, swapped], images=later.images[:, swapped])
    base = log_probabilities(other, np.zeros(5))
    found = with_repertoire(other, base, fit.repertoire(before))
    assert (found - base)[:, 0].min() > np.log(1 - max(SHARES)) - 1e-6
    assert max(SHARES) < 0.7


def test_a_repertoire_counts_only_earlier_games() -> None:
    """In each game the move of the first position is new: the past never tells the next choice."""
    choices = synthetic_person(np.zeros(5), 8, opening=1)
    first = np.flatnonzero(choices.ply == 0)
    images = choices.images.copy()
    images[first, :8] = (images[first, :8] + choices.game[first, None]) % 8
    fit = fit_person(replace(choices, images=images))
    assert fit.repertoire_gain == 0
    assert not np.isfinite(fit.concentration)
    assert len(fit.repertoire(choices)) == 0


def test_one_newton_step_is_as_good_as_a_fit_to_the_other_games() -> None:
    choices = synthetic_person(Z, 10)
    parts = [choices.take(choices.game % 5 == fold) for fold in range(5)]
    z, derivatives = minimise(parts, 4.0, np.zeros(5))
    for fold, part in enumerate(parts):
        exact = fit_vector(choices.take(choices.game % 5 != fold), 4.0)
        quick = z + derivatives.step(z, 4.0, without=fold)
        likelihoods = [log_probabilities(part, each)[:, 0].mean() for each in (exact, quick)]
        assert abs(likelihoods[0] - likelihoods[1]) < 0.002


def test_people_without_habits_are_hardly_ever_changed() -> None:
    """Forty people who play as the base: at most noise is lost, by anybody."""
    later = synthetic_person(np.zeros(5), 60, seed=99)
    base = log_probabilities(later, np.zeros(5))[:, 0]
    for seed in range(40):
        fit = fit_person(synthetic_person(np.zeros(5), 8, seed=seed))
        assert (log_probabilities(later, fit.z)[:, 0] - base).mean() > -0.01


def test_a_rating_offset_is_reported_on_games_that_did_not_choose_it() -> None:
    random = np.random.default_rng(0)
    game = np.repeat(np.arange(30), 8)
    noise = random.normal(0, 0.1, (4, 240))
    assert choose_offset(noise - 0.01, game) == (None, 0.0)
    true = noise + np.array([-0.1, -0.05, 0.05, 0.03])[:, None]
    best, gain = choose_offset(true, game)
    assert best == 2
    assert 0.02 < gain < 1.001 * true[2].mean()
    lucky = noise[:1].copy()  # one game alone carries the gain
    lucky[0, :8] += 3.0
    assert choose_offset(lucky, game)[0] is None
