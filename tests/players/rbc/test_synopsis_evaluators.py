"""Evaluators of synopses: the shipped network by two backends."""

from __future__ import annotations

import numpy as np
import pytest

from sparring.data import path
from sparring.rbc.bots import SHIPPED_NETWORK
from sparring.rbc.evaluators import NetworkEvaluator


def test_pytorch_evaluates_as_onnx_runtime_does() -> None:
    pytest.importorskip("torch")
    words = np.random.default_rng(1).integers(0, 2**64, (3, 5, 104), np.uint64)
    synopses = words[0] & words[1] & words[2]  # few bits, as in synopses
    shipped, opponent = path("synopsis_networks", SHIPPED_NETWORK), np.zeros(5, bool)
    expected = NetworkEvaluator(shipped).evaluate(synopses, opponent)
    found = NetworkEvaluator(shipped, backend="torch").evaluate(synopses, opponent)
    for ours, theirs in zip(found, expected, strict=True):
        np.testing.assert_allclose(ours, theirs, atol=0.1)  # in bfloat16 on a GPU


@pytest.mark.parametrize(
    ("opponent", "headset"),
    [("StrangeFish2", "Top"), ("genetic", "Top"), ("Zugzwang", "All"), ("Oracle", "Oracle"),
     ("TroutBot", "trout"), ("attacker", "attacker"), ("random", "random"), ("inference", "inference")],
)  # fmt: skip
def test_the_shipped_network_uses_a_headset_only_where_it_predicts_no_worse(
    opponent: str, headset: str
) -> None:
    evaluator = NetworkEvaluator(path("synopsis_networks", SHIPPED_NETWORK))
    evaluator.recognise(opponent)
    assert evaluator.opponent_headset == headset
