"""Segment operations against a loop over positions."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from sparring.policies.policy import (
    segment_argmax,
    segment_log_softmax,
    segment_logsumexp,
    segment_offsets,
    segment_repeat,
    segment_sum,
)

SIZES = [3, 1, 5, 2]
OFFSETS = segment_offsets(SIZES)
VALUES = np.random.default_rng(1).normal(size=(2, sum(SIZES))) * 50
PARTS = [slice(a, b) for a, b in pairwise(OFFSETS.tolist())]


def test_sums_and_logarithms_of_sums_are_those_of_each_segment() -> None:
    np.testing.assert_allclose(
        segment_sum(VALUES, OFFSETS), np.stack([VALUES[:, p].sum(axis=1) for p in PARTS], axis=1)
    )
    for row, found in zip(VALUES, segment_logsumexp(VALUES, OFFSETS), strict=True):
        np.testing.assert_allclose(found, [np.logaddexp.reduce(row[p]) for p in PARTS])


def test_normalised_logarithms_are_of_probabilities_however_large_the_numbers() -> None:
    for row in segment_log_softmax(VALUES * 100, OFFSETS):
        np.testing.assert_allclose([np.exp(row[p]).sum() for p in PARTS], 1)


def test_of_equal_values_the_first_is_best() -> None:
    values = np.array([1.0, 2, 2, 7, 0, 5, 5, 5, 4, 3, 3])
    assert segment_argmax(values, OFFSETS).tolist() == [1, 3, 5, 9]


def test_segment_repeat_gives_every_move_its_positions_value() -> None:
    assert segment_repeat(np.array([9, 8, 7, 6]), OFFSETS).tolist() == [9, 9, 9, 8, 7, 7, 7, 7, 7, 6, 6]
