"""Values of requests and senses over a set of possible boards."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.rbc.knowledge import (
    WIN,
    KnowledgeOptions,
    likelihoods,
    request_values,
    sense_entropies,
    sense_values,
    win_probabilities,
)


def test_a_captured_king_is_the_only_certainty() -> None:
    scores = np.array([[WIN, WIN - 3, 3000, 0, -3000, 5 - WIN, 1 - WIN]], np.int32)
    found = win_probabilities(scores, np.zeros_like(scores, bool), 0.0)[0]
    assert found[0] == 1
    assert found[-1] == 0
    assert (np.diff(found) < 0).all()
    assert found[3] == pytest.approx(0.5)


def test_an_attack_on_the_king_is_worth_something_even_when_all_is_won() -> None:
    scores = np.array([[4000, 4000]], np.int32)
    quiet, attack = win_probabilities(scores, np.array([[False, True]]), 0.2)[0]
    assert attack > quiet + 0.01


def test_boards_on_which_the_king_is_attacked_weigh_more_than_they_are() -> None:
    win_probability = np.full((4, 2), 0.5)
    danger = np.array([True, False, False, False])
    weights = likelihoods(
        win_probability, danger, share=0.01, opponent_rationality=0.0, king_danger_weight=10.0
    )
    assert weights.sum() == pytest.approx(1)
    assert weights[0] == pytest.approx(0.1 / (0.1 + 0.99))


def test_blunders_are_believed_in_less() -> None:
    win_probability = np.array([[0.9], [0.4]])
    weights = likelihoods(
        win_probability, np.zeros(2, bool), 0.0, opponent_rationality=4.0, king_danger_weight=1.0
    )
    assert weights[1] > 3 * weights[0]
    assert np.allclose(
        likelihoods(
            win_probability, np.zeros(2, bool), 0.0, opponent_rationality=0.0, king_danger_weight=1.0
        ),
        0.5,
    )


def test_worst_case_weight_prefers_safe_requests() -> None:
    win_probability = np.array([[1.0, 0.6], [1.0, 0.6], [0.0, 0.6]])
    weights = np.full(3, 1 / 3)
    tempers = [
        KnowledgeOptions(worst_case_weight=worst_case_weight, king_loss_weight=0.0)
        for worst_case_weight in (0.0, 0.8)
    ]
    assert [
        int(request_values(win_probability, weights, risk_parameters).argmax()) for risk_parameters in tempers
    ] == [0, 1]
    assert (
        request_values(
            win_probability, weights, KnowledgeOptions(worst_case_weight=0.0, king_loss_weight=1.0)
        ).argmax()
        == 1
    )


def test_a_sense_is_worth_the_better_choices_that_it_allows() -> None:
    win_probability = np.array([[1.0, 0.0], [0.0, 1.0]])
    parts = {5: np.array([0, 0], np.uint32), 9: np.array([0, 1], np.uint32)}
    values = sense_values(win_probability, np.full(2, 0.5), parts.__getitem__, (5, 9))
    assert values.tolist() == [0.5, 1.0]


def test_the_worst_boards_may_be_those_of_a_tenth_of_the_weight() -> None:
    win_probability = np.array([[0.0], [0.5], [1.0]])
    only_worst = KnowledgeOptions(worst_case_weight=1.0, king_loss_weight=0.0)
    weights = np.array([0.04, 0.5, 0.46])
    assert request_values(win_probability, weights, only_worst)[0] == 0
    value = request_values(win_probability, weights, only_worst, weighted_worst=True)[0]
    assert value == pytest.approx(0.6 * 0.5)


def test_the_entropy_of_a_sense_counts_the_weights() -> None:
    parts = {0: np.array([0, 0, 1], np.uint32), 1: np.array([0, 1, 2], np.uint32)}
    found = sense_entropies(np.array([0.25, 0.25, 0.5]), parts.__getitem__, (0, 1))
    assert found == pytest.approx([1.0, 1.5])
