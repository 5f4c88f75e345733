"""Intervals: resampling whole games, against plain definitions and against simulated truth."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.measure.metrics import Resamples

GROUPS = np.array([0, 0, 0, 1, 1])
GAMES = np.array([0, 0, 1, 2, 2, 2, 3, 4, 4])
VALUES = np.array([[1.0], [0.0], [1.0], [0.0], [0.0], [1.0], [1.0], [0.0], [1.0]])


def test_every_group_keeps_its_number_of_games_in_every_resample() -> None:
    counts = Resamples.draw(GROUPS, 50).counts
    assert (counts[:, :3].sum(axis=1) == 3).all()
    assert (counts[:, 3:].sum(axis=1) == 2).all()
    np.testing.assert_array_equal(counts, Resamples.draw(GROUPS, 50).counts)
    assert not np.array_equal(counts, Resamples.draw(GROUPS, 50, seed=1).counts)


def test_means_are_ratios_of_sums_over_games_and_so_are_their_resamples() -> None:
    resamples = Resamples.draw(GROUPS, 20)
    group_sums = resamples.group_sums(VALUES, GAMES)
    assert group_sums.group(0).values == pytest.approx([3 / 6])
    assert group_sums.group(1).values == pytest.approx([2 / 3])
    assert group_sums.pooled().values == pytest.approx([5 / 9])
    assert group_sums.macro_average().values == pytest.approx([(3 / 6 + 2 / 3) / 2])
    assert group_sums.pooled().positions == 9
    for row, counts in enumerate(resamples.counts):
        weights = counts[GAMES]
        for group in range(2):
            inside = GROUPS[GAMES] == group
            expected = (weights * VALUES[:, 0])[inside].sum() / weights[inside].sum()
            assert group_sums.group(group).resampled_means[row, 0] == pytest.approx(expected)
        assert group_sums.pooled().resampled_means[row, 0] == pytest.approx(
            (weights * VALUES[:, 0]).sum() / weights.sum()
        )


def test_kinds_are_tallied_as_if_each_stood_alone() -> None:
    resamples = Resamples.draw(GROUPS, 20)
    buckets = np.array([0, 1, 2, 0, -1, 1, 2, 2, -1])
    for kind, group_sums in enumerate(resamples.bucket_sums(VALUES, GAMES, buckets, 3)):
        alone = resamples.group_sums(VALUES[buckets == kind], GAMES[buckets == kind])
        np.testing.assert_array_equal(group_sums.sums, alone.sums)
        np.testing.assert_array_equal(group_sums.resampled, alone.resampled)


def test_a_difference_is_taken_on_the_same_resamples() -> None:
    resamples = Resamples.draw(GROUPS, 200)
    one, other = resamples.group_sums(VALUES, GAMES), resamples.group_sums(VALUES - 0.25, GAMES)
    (found,) = one.pooled().difference(other.pooled())
    assert (found.value, found.low, found.high) == pytest.approx((0.25, 0.25, 0.25))


def test_a_single_game_has_no_width() -> None:
    group_sums = Resamples.draw(np.zeros(1, int), 20).group_sums(np.ones((4, 1)), np.zeros(4, int))
    (found,) = group_sums.pooled().estimates()
    assert (found.value, found.low, found.high) == (1, 1, 1)


def simulated(rng: np.random.Generator, games: int) -> tuple[np.ndarray, np.ndarray]:
    """Hits whose chance differs from game to game: mean 0.5, and positions of a game go together."""
    chances = rng.beta(5, 5, games)
    lengths = rng.integers(20, 60, games)
    of = np.repeat(np.arange(games), lengths)
    return (rng.random(len(of)) < chances[of]).astype(float)[:, None], of


def test_intervals_hold_the_truth_95_times_in_100() -> None:
    rng = np.random.default_rng(1)
    held = narrow = 0
    for repetition in range(400):
        values, of = simulated(rng, 60)
        (found,) = (
            Resamples.draw(np.zeros(60, int), 300, seed=repetition)
            .group_sums(values, of)
            .pooled()
            .estimates()
        )
        held += found.low <= 0.5 <= found.high
        alone = 1.96 * np.sqrt(0.25 / len(of))  # what one would say if positions were independent
        narrow += abs(found.value - 0.5) <= alone
    assert 0.91 <= held / 400 <= 0.98
    assert narrow / 400 < 0.75
