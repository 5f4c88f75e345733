"""The paper's alpha in a policy's file: from 0 to 1, for two policies."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.networks import Position
from sparring.policies import load_policy
from tests.networks.tiny_networks import tiny_network, write
from tests.policies.fixed_policy import random_states

POLICIES = '\n[[policy]]\nuse = "human.onnx"\n[[policy]]\nuse = "strong.onnx"\n'


@pytest.fixture
def folder(tmp_path: Path, model_store: Path) -> Path:
    for seed, name in ((1, "human"), (2, "strong")):
        write(tiny_network("chess", seed), tmp_path / f"{name}.onnx")
    return tmp_path


def opened(folder: Path, text: str) -> list[np.ndarray[tuple[int], np.dtype[np.float32]]]:
    (folder / "blend.toml").write_text(f'game = "chess"\n{text}')
    policy = load_policy(str(folder / "blend.toml"), "chess")
    positions = [Position(state, 1500) for state in random_states("chess", 4)]
    return [prediction.probabilities for prediction in policy.predict(positions)]


def test_alpha_is_the_first_policys_weight_and_the_second_has_the_rest(folder: Path) -> None:
    short = opened(folder, "alpha = { 1100 = 0.9, 1900 = 0.5 }" + POLICIES)
    weights = POLICIES.replace('human.onnx"', 'human.onnx"\nweight = 0.7').replace(
        'strong.onnx"', 'strong.onnx"\nweight = 0.3'
    )
    for ours, theirs in zip(short, opened(folder, weights), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-5)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("alpha = 1.2" + POLICIES, "alpha = 1.2: expected a number from 0 to 1"),
        ("alpha = { 1100 = 0.5, 1900 = -0.1 }" + POLICIES, "alpha = -0.1: expected a number from 0 to 1"),
        ("alpha = 0.5" + POLICIES + "weight = 1", "'alpha' is for two policies without weights"),
        ("alpha = 0.5" + POLICIES[: POLICIES.rindex("[[")], "'alpha' is for two policies"),
        ("alpha = true" + POLICIES, "alpha = true: expected a number or a table of numbers"),
    ],
)
def test_an_alpha_that_is_none_is_refused(folder: Path, text: str, complaint: str) -> None:
    with pytest.raises(BadConfig) as caught:
        opened(folder, text)
    assert complaint in str(caught.value)
