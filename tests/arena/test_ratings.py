"""Ratings: against published examples, against Davidson's own algorithm, and by simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from sparring.base.errors import UserError
from sparring.measure.ratings import ELO_PER_NAT, RatedGame, connected_components, elo_scale, rate

BASEBALL = {
    "Milwaukee": ["", "4-3", "4-2", "4-3", "6-1", "4-2", "6-0"],
    "Detroit": ["3-3", "", "4-2", "4-3", "6-0", "6-1", "4-3"],
    "Toronto": ["2-5", "4-3", "", "2-4", "4-3", "4-2", "6-0"],
    "New York": ["3-3", "5-1", "2-5", "", "4-3", "4-2", "6-1"],
    "Boston": ["5-1", "2-5", "3-3", "4-2", "", "5-2", "6-0"],
    "Cleveland": ["2-5", "3-3", "3-4", "4-3", "4-2", "", "2-4"],
    "Baltimore": ["2-5", "1-5", "1-6", "2-4", "1-6", "3-4", ""],
}
"""Home wins and losses of 1987 against the teams in the same order (Agresti, Categorical Data Analysis, 2nd
edition, table 10.10 and 10.12), the standing example of the R package BradleyTerry2."""


def baseball() -> list[RatedGame]:
    games = []
    for home, row in enumerate(BASEBALL.values()):
        for away, cell in enumerate(row):
            won, lost = (int(number) for number in cell.split("-")) if cell else (0, 0)
            games += [RatedGame(home, away, 1.0)] * won + [RatedGame(home, away, 0.0)] * lost
    return games


def test_agrestis_baseball_teams_with_their_home_advantage() -> None:
    # BradleyTerry2, tests/testthat/test-baseball.R: abilities of table 10.11, column 5, and the advantage.
    found = rate(baseball(), 7, prior=0)
    shares = np.exp(found.strengths) / np.exp(found.strengths).sum()
    assert sorted(round(float(share), 3) for share in shares) == [
        0.044,
        0.088,
        0.137,
        0.157,
        0.164,
        0.190,
        0.220,
    ]
    assert found.first_advantage / ELO_PER_NAT == pytest.approx(0.302, abs=5e-4)
    anchored = rate(baseball(), 7, prior=0, anchor=6)
    errors = np.sqrt(np.diagonal(anchored.covariance)) / ELO_PER_NAT
    assert [round(float(error), 1) for error in errors] == [0.3] * 6 + [0.0]


TOY = [(0, 1), (2, 0), (0, 3), (1, 0), (1, 2)]
"""Winners and losers: the example of disconnected players in the vignette of the R package PlackettLuce."""


def both_ways(pairs: list[tuple[int, int]]) -> list[RatedGame]:
    """Every game twice, with colours swapped, so that moving first has no part in it."""
    return [game for win, loss in pairs for game in (RatedGame(win, loss, 1.0), RatedGame(loss, win, 0.0))]


def test_plackett_luces_example_without_a_prior() -> None:
    found = rate(both_ways([pair for pair in TOY if 3 not in pair]), 3, anchor=0, prior=0)
    assert found.elo / ELO_PER_NAT == pytest.approx([0, 0.8392, 0.4196], abs=5e-5)
    doubled = math.sqrt(2)  # as every game counts twice
    assert np.sqrt(np.diagonal(found.covariance)) / ELO_PER_NAT * doubled == pytest.approx(
        [0, 1.3596, 1.5973], abs=5e-4
    )


def test_plackett_luces_example_with_its_usual_prior() -> None:
    # Its pseudo-rankings (npseudo = 0.5) are our prior; twice as many for twice the games.
    found = rate(both_ways(TOY), 4, anchor=0, prior=1.0)
    assert found.elo / ELO_PER_NAT == pytest.approx([0, 0.5184185, 0.1354707, -1.1537565], abs=1e-6)


def simulate(
    strengths: NDArray[np.float64], first: float, weight: float, rounds: int, rng: np.random.Generator
) -> list[RatedGame]:
    games = []
    for a in range(len(strengths)):
        for b in range(len(strengths)):
            if a != b:
                d = strengths[a] - strengths[b] + first
                odds = np.array([math.exp(d / 2), weight, math.exp(-d / 2)])
                drawn = rng.choice(3, size=rounds, p=odds / odds.sum())
                games += [RatedGame(a, b, 1 - each / 2) for each in drawn.tolist()]
    return games


def davidson(games: list[RatedGame], players: int) -> tuple[NDArray[np.float64], float]:
    """The iteration of Davidson (1970), section 3: strengths that sum to 1 and the weight of draws."""
    wins = np.zeros((players, players))
    ties = np.zeros((players, players))
    for first, second, result in games:
        if result == 0.5:
            ties[first, second] += 1
            ties[second, first] += 1
        else:
            wins[(first, second) if result == 1 else (second, first)] += 1
    met = wins + wins.T + ties
    points = 2 * wins.sum(1) + ties.sum(1)
    p, weight = np.full(players, 1 / players), 1.0
    for _ in range(3000):
        root = np.sqrt(np.outer(p, p))
        total = p[:, None] + p[None, :] + weight * root
        p = points / (met * (2 + weight * np.sqrt(p[None, :] / p[:, None])) / total).sum(1)
        p = p / p.sum()
        root = np.sqrt(np.outer(p, p))
        total = p[:, None] + p[None, :] + weight * root
        weight = ties.sum() / (met * root / total).sum()
    return p, float(weight)


def test_draws_agree_with_davidsons_own_iteration() -> None:
    rng = np.random.default_rng(1)
    games = simulate(np.array([0.0, 0.5, -0.4, 1.0]), 0.0, 1.3, 25, rng)
    turned = games + [RatedGame(second, first, 1 - result) for first, second, result in games]
    p, weight = davidson(turned, 4)
    found = rate(turned, 4, prior=0)
    assert found.first_advantage == pytest.approx(0, abs=1e-9)
    assert found.draw_weight == pytest.approx(weight, rel=1e-6)
    assert found.strengths == pytest.approx(np.log(p) - np.log(p).mean(), abs=1e-6)


def test_intervals_cover_the_truth_at_their_nominal_rate() -> None:
    rng = np.random.default_rng(7)
    truth = np.array([-0.8, -0.2, 0.1, 0.3, 0.6])
    weight, first, trials = 1.2, 0.3, 400
    elo = (truth - truth.mean()) * ELO_PER_NAT * elo_scale(weight)
    covered = advantage = superior = 0
    for _ in range(trials):
        found = rate(simulate(truth, first, weight, 20, rng), 5)
        covered += int((np.abs(found.elo - elo) <= found.half_widths).sum())
        spread = math.sqrt(found.strength_covariance[5, 5]) * ELO_PER_NAT * elo_scale(found.draw_weight)
        advantage += abs(found.first_advantage - first * ELO_PER_NAT * elo_scale(weight)) <= 1.96 * spread
        superior += found.superiority[3, 2] > 0.95
    # Four standard deviations of the binomial; the five of a trial hang together, hence not sqrt(5) better.
    slack = 4 * math.sqrt(0.95 * 0.05 / trials)
    assert covered / (5 * trials) == pytest.approx(0.95, abs=slack)
    assert advantage / trials == pytest.approx(0.95, abs=slack)
    assert superior / trials < 0.9, "players 0.2 apart are not always told apart"


def test_perfect_scores_stay_finite_with_the_prior_and_are_refused_without() -> None:
    games = [RatedGame(0, 1, 1.0), RatedGame(1, 0, 0.0)] * 10
    found = rate(games, 2)
    assert 300 < found.elo[0] - found.elo[1] < 2000
    with pytest.raises(UserError, match="use the prior"):
        rate(games, 2, prior=0)
    with pytest.raises(UserError, match="no games"):
        rate([], 2)


def test_only_draws_are_finite_too() -> None:
    found = rate([RatedGame(0, 1, 0.5), RatedGame(1, 0, 0.5)] * 10, 2)
    assert found.elo == pytest.approx([0, 0], abs=1e-6)
    assert np.isfinite(found.draw_weight)
    assert np.isfinite(found.half_widths).all()


def test_anchors_move_ratings_and_not_differences() -> None:
    games = baseball()
    mean, anchored = rate(games, 7, at=1500), rate(games, 7, anchor=2, at=2000)
    assert mean.elo.mean() == pytest.approx(1500)
    assert anchored.elo[2] == pytest.approx(2000)
    assert anchored.half_widths[2] == pytest.approx(0, abs=1e-6)
    assert np.diff(mean.elo) == pytest.approx(np.diff(anchored.elo))
    assert mean.superiority == pytest.approx(anchored.superiority)
    assert mean.superiority + mean.superiority.T == pytest.approx(np.ones((7, 7)))


def test_expected_scores_sum_to_the_observed() -> None:
    # The likelihood equations say so, for every player.
    games = simulate(np.array([0.0, 0.7, -0.4]), 0.3, 0.8, 30, np.random.default_rng(3))
    found = rate(games, 3, prior=0)
    for player in range(3):
        observed = expected = 0.0
        for first, second, result in games:
            if player in (first, second):
                score, _ = found.expected(first, second)
                observed += result if player == first else 1 - result
                expected += score if player == first else 1 - score
        assert observed == pytest.approx(expected, abs=1e-6)


def test_groups_that_never_met_are_found() -> None:
    games = [RatedGame(0, 1, 1.0), RatedGame(1, 0, 0.5), RatedGame(2, 3, 0.0), RatedGame(3, 2, 0.5)]
    assert connected_components(games, 5) == [[0, 1], [2, 3], [4]]
    with pytest.raises(UserError, match="prior"):
        rate(games, 4, prior=0)
