"""Weights by position: the formula, its file, and errors in a file."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.games import load_game
from sparring.networks import Position
from sparring.policies import Curve, FeatureWeightedPool, PolicyPool, PoolMember, load_policy, rating_range
from sparring.policies.pool import FeatureScaler, position_feature_names
from tests.networks.tiny_networks import tiny_network, write
from tests.policies.fixed_policy import FixedPolicy, random_states

STATE = load_game("chess").parse("k7/8/8/8/8/7p/8/K7 w - - 0 1")
"""A lonely king in a corner: three legal moves."""
A, B = np.array([0.7, 0.2, 0.1]), np.array([0.1, 0.3, 0.6])
SCALE = FeatureScaler((10.0, 0.2, 1.0, 0.5), (5.0, 0.1, 0.5, 0.25))
FILE = """
game = "chess"
kind = "position"

[features]
ply = [40, 20]
divergence = [0.2, 0.1]
entropy-1 = [1.5, 0.5]
entropy-2 = [1.0, 0.5]

[[policy]]
use = "human.onnx"
weight = { 1100 = 0.9, 1900 = 0.6 }
feature_weights = { ply = 0.1, divergence = -0.2, entropy-1 = 0.05, entropy-2 = 0.0 }

[[policy]]
use = "strong.onnx"
weight = { 1100 = 0.1, 1900 = 0.4 }
feature_weights = { ply = -0.1, divergence = 0.2, entropy-1 = 0.0, entropy-2 = 0.3 }
"""


def pool(by: tuple[tuple[float, ...], ...]) -> FeatureWeightedPool:
    members = (
        PoolMember(FixedPolicy(A.tolist()), Curve.through({1000: 0.5, 2000: 0.9})),
        PoolMember(FixedPolicy(B.tolist()), Curve.constant(0.4)),
    )
    return FeatureWeightedPool("pool", members, SCALE, by)


def entropy(shares: np.ndarray[tuple[int], np.dtype[np.float64]]) -> float:
    return float(-(shares * np.log(shares)).sum())


def test_traits_add_to_the_weights_by_rating() -> None:
    by = ((0.1, 0.2, 0.3, 0.0), (0.0, -0.1, 0.0, 0.2))
    found = pool(by).predict([Position(STATE, 1500)])[0].probabilities
    divergence = entropy((A + B) / 2) - (entropy(A) + entropy(B)) / 2
    traits = np.array([0.0, divergence, entropy(A), entropy(B)])
    scaled = np.clip((traits - SCALE.means) / np.array(SCALE.stds), -3, 3)
    weights = np.array([0.7, 0.4]) + np.array(by) @ scaled
    expected = A ** weights[0] * B ** weights[1]
    np.testing.assert_allclose(found, expected / expected.sum(), rtol=1e-5)


def test_without_traits_it_is_the_geometric_pool() -> None:
    mine = pool(((0.0,) * 4, (0.0,) * 4))
    positions = [Position(STATE, rating) for rating in (900, 1300, None)]
    for ours, theirs in zip(
        mine.predict(positions), PolicyPool("p", mine.members).predict(positions), strict=True
    ):
        np.testing.assert_allclose(ours.probabilities, theirs.probabilities, rtol=1e-6)


def test_an_odd_position_does_not_run_away_with_the_weights() -> None:
    wild = FeatureScaler((0.0,) * 4, (1e-6, 1e-6, 1e-6, 1e-6))
    mine = FeatureWeightedPool("pool", pool(((0.0,) * 4,) * 2).members, wild, ((1.0,) * 4, (1.0,) * 4))
    shares = mine.predict([Position(STATE, 1500)])[0].probabilities
    weights = np.array([0.7, 0.4]) + 3 * 3  # ply is 0; the other three are cut at three spreads
    expected = A ** weights[0] * B ** weights[1]
    np.testing.assert_allclose(shares, expected / expected.sum(), rtol=1e-4)


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    for seed, name in ((1, "human"), (2, "strong")):
        write(tiny_network("chess", seed), tmp_path / f"{name}.onnx")
    (tmp_path / "blend.toml").write_text(FILE)
    return tmp_path


def test_its_file_is_a_policy_like_any_other(folder: Path) -> None:
    policy = load_policy(str(folder / "blend.toml"), "chess")
    assert isinstance(policy, FeatureWeightedPool)
    assert rating_range(policy) == (-np.inf, np.inf)
    for prediction in policy.predict([Position(state, 1500) for state in random_states("chess", 5)]):
        assert prediction.probabilities.sum() == pytest.approx(1, abs=1e-5)


@pytest.mark.parametrize(
    ("before", "after", "complaint"),
    [
        (
            "[features]\nply = [40, 20]",
            "[features]",
            "expected mean and deviation of ply, divergence, entropy-1, entropy-2",
        ),
        (
            "ply = [40, 20]",
            "ply = [40, 0]",
            "features.ply = [40.0, 0.0]: expected a mean and a deviation > 0",
        ),
        (
            "feature_weights = { ply = 0.1, ",
            "feature_weights = { ",
            "expected a table of numbers for ply, div",
        ),
        ('kind = "position"', "", "kind position needs [features], and no other"),
        ('kind = "position"', 'kind = "position"\nalpha = 0.5', "has no 'alpha'"),
    ],
)
def test_errors_in_a_file_are_reported(folder: Path, before: str, after: str, complaint: str) -> None:
    assert before in FILE
    (folder / "blend.toml").write_text(FILE.replace(before, after))
    with pytest.raises(BadConfig) as caught:
        load_policy(str(folder / "blend.toml"), "chess")
    assert complaint in str(caught.value)


def test_parts_that_do_not_go_together_are_refused() -> None:
    assert position_feature_names(2) == ("ply", "divergence", "entropy-1", "entropy-2")
    with pytest.raises(ValueError, match="each of 2 policies needs 4 numbers"):
        pool(((0.0,) * 4, (0.0,) * 3))
    with pytest.raises(ValueError, match="spreads above 0"):
        FeatureWeightedPool(
            "p", pool(((0.0,) * 4,) * 2).members, FeatureScaler((0.0,) * 4, (0.0,) * 4), ((0.0,) * 4,) * 2
        )
