"""The loss of people's moves under a search's visits, and its exact minimum in tau and epsilon."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sparring.measure.tuning import Choices, Theta, VisitData, cross_entropy, fit_choice
from sparring.policies.policy import segment_offsets


def visit_data(
    visits: Sequence[Sequence[float]], played: list[int], priors: list[list[float]] | None = None
) -> VisitData:
    offsets = segment_offsets([len(visit) for visit in visits])
    shares = priors or [[1 / len(visit)] * len(visit) for visit in visits]
    return VisitData(
        np.log(np.concatenate(shares)),
        {10: np.concatenate(visits).astype(np.float64)},
        np.zeros(offsets[-1]),
        offsets,
        np.array(played) + offsets[:-1],
    )


def drawn(temperature: float, count: int = 4000) -> VisitData:
    """Moves drawn from N^(1 / tau)."""
    rng = np.random.default_rng(1)
    visits = rng.integers(1, 30, (count, 5)).astype(np.float64)
    weights = visits ** (1 / temperature)
    cumulative = np.cumsum(weights / weights.sum(axis=1, keepdims=True), axis=1)
    played = (cumulative < rng.random((count, 1))).sum(axis=1)
    return visit_data(visits.tolist(), played.tolist())


def test_tau_of_moves_drawn_at_a_temperature_is_found() -> None:
    for temperature in (0.5, 1.0, 3.0):
        assert abs(np.log(fit_choice(drawn(temperature), 1.0).temperature / temperature)) < 0.12


def test_the_fitted_tau_is_the_minimum() -> None:
    data = drawn(1.5, 300)
    best = fit_choice(data, 1.0)
    at_best = cross_entropy(data, Theta(best.temperature, backoff=best.backoff)).mean()
    assert np.isclose(at_best, best.loss)
    for factor in (0.9, 0.99, 1.01, 1.1):
        assert cross_entropy(data, Theta(best.temperature * factor, backoff=best.backoff)).mean() > at_best


def test_probabilities_sum_to_one_with_and_without_moves_that_the_search_did_not_visit() -> None:
    cases: tuple[list[float], ...] = ([5, 3, 0, 0], [5, 3, 1, 1], [0, 0, 0, 0])
    for visits in cases:
        priors = [0.4, 0.3, 0.2, 0.1]
        total = sum(
            float(np.exp(-cross_entropy(visit_data([visits], [move], [priors]), Theta(0.7, backoff=0.2)))[0])
            for move in range(4)
        )
        assert np.isclose(total, 1)


def test_a_move_without_visits_has_its_share_of_the_policy_over_such_moves() -> None:
    data = visit_data([[6, 2, 0, 0]], [3], [[0.4, 0.3, 0.2, 0.1]])
    assert np.isclose(cross_entropy(data, Theta(backoff=0.3))[0], -np.log(0.3 * 0.1 / 0.3))


def test_epsilon_is_the_share_of_moves_without_visits() -> None:
    data = visit_data([[6, 2, 0]] * 4 + [[3, 3, 2]], [0, 1, 2, 0, 0])
    fit = fit_choice(data, 1.0)
    assert fit.backoff == 1 / 4  # of the four positions that have such moves
    assert np.isfinite(fit.loss)


def test_without_visits_the_choice_is_the_tempered_prior() -> None:
    priors = [[0.7, 0.2, 0.1]]
    losses = cross_entropy(visit_data([[0, 0, 0]], [1], priors), Theta(1.0, policy_temperature=2.0))
    roots = np.sqrt(priors[0])
    assert np.isclose(losses[0], -np.log(roots[1] / roots.sum()))


def test_visited_moves_are_cut_out_position_by_position() -> None:
    choices = Choices.of(visit_data([[4, 0, 2], [0, 5, 0], [1, 1, 1]], [2, 0, 1]), 1.0)
    logs, offsets, played = choices.visited()
    assert choices.hits.tolist() == [True, False, True]
    assert np.exp(logs).round().tolist() == [4, 2, 1, 1, 1]
    assert offsets.tolist() == [0, 2, 5]
    assert played.tolist() == [1, 3]
