"""Ratings on the nominal scale of a family of anchors."""

import numpy as np
import pytest

from sparring.measure.calibration import AnchorScore, fit_rating

ANCHORS = (1350.0, 1500.0, 1650.0, 1800.0, 1950.0)


def scores(rating: float, slope: float, games: int, rng: np.random.Generator) -> list[AnchorScore]:
    """Results of a player of a rating against anchors whose scale is stretched."""
    found = []
    for anchor in ANCHORS:
        expected = 1 / (1 + 10 ** (slope * (anchor - rating) / 400))
        found.append(AnchorScore(anchor, (rng.random(games) < expected).astype(float).tolist()))
    return found


@pytest.mark.parametrize("slope", [0.7, 1.0, 1.8])
def test_the_rating_is_found_whatever_the_slope_of_the_scale(slope: float) -> None:
    fit = fit_rating(scores(1620, slope, 2000, np.random.default_rng(1)), samples=0)
    assert fit.rating == pytest.approx(1620, abs=15)
    assert fit.slope == pytest.approx(slope, rel=0.15)
    assert fit.games == 10_000


def test_intervals_cover_the_truth_about_as_often_as_they_say() -> None:
    rng = np.random.default_rng(2)
    fits = [fit_rating(scores(1700, 1.5, 40, rng), samples=200, seed=n) for n in range(60)]
    covered = sum(fit.interval[0] <= 1700 <= fit.interval[1] for fit in fits)
    assert covered >= 52


def test_a_perfect_score_has_a_finite_rating_above_the_anchors() -> None:
    fit = fit_rating([AnchorScore(anchor, [1.0] * 20) for anchor in ANCHORS], samples=0)
    assert 1950 < fit.rating < 2700, "the prior bounds it, not the end of the search"


def test_a_rating_needs_games() -> None:
    with pytest.raises(ValueError, match="no games"):
        fit_rating([AnchorScore(1500, [])])
