"""Scores: computed by hand on a small prediction, and bit-identical after a resumed run."""

from __future__ import annotations

import math
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.measure.samples import GameSelection, Sample, read_sample
from sparring.measure.scores import SCORE_DTYPE, score, score_sample
from sparring.networks import Position, Prediction
from sparring.policies import load_policy
from tests.matching.tables import chess_table
from tests.networks.tiny_networks import tiny_network, write
from tests.policies.fixed_policy import FixedPolicy
from tests.waiting import wait_until


def prediction(*shares: float) -> Prediction:
    return Prediction(tuple(range(len(shares))), np.array(shares, np.float32))


def test_scores_by_hand() -> None:
    shares = (0.1, 0.4, 0.1, 0.4, 0.0)
    found = score([prediction(*shares)] * 5, np.arange(5))
    assert found["rank"].tolist() == [2, 0, 3, 1, 4], "of equal moves the first comes first"
    np.testing.assert_allclose(found["played"], shares)
    np.testing.assert_allclose(found["top"], 0.4)
    entropy = -2 * (0.1 * math.log(0.1) + 0.4 * math.log(0.4))
    np.testing.assert_allclose(found["entropy"], entropy, rtol=1e-6)


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    return read_sample(GameSelection("chess", (chess_table(tmp_path / "t", 20),), split=None))


class StoppingError(Exception):
    """What stops a policy in the middle."""


class Stopping(FixedPolicy):
    """Stops when it has been asked about so many positions."""

    left = 300

    def predict(self, positions: Sequence[Position]) -> list[Prediction]:
        self.left -= len(positions)
        if self.left < 0:
            raise StoppingError
        return super().predict(positions)


def test_a_stopped_run_goes_on_where_it_was(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / "scores" / "p.scores"
    with pytest.raises(StoppingError):
        score_sample(Stopping([0.6, 0.4]), sample, path, "key", chunk=64)
    path.write_bytes(path.read_bytes() + b"a part of a row")
    policy = FixedPolicy([0.6, 0.4])
    heard: list[int] = []
    found = score_sample(policy, sample, path, "key", chunk=64, on_progress=heard.append)
    assert heard[0] == 256
    assert heard[-1] == len(sample)
    assert len(policy.positions) == len(sample) - 256
    np.testing.assert_array_equal(found, score_sample(policy, sample, tmp_path / "q", "key", chunk=64))


def test_scores_are_cached_by_their_key(sample: Sample, tmp_path: Path) -> None:
    path = tmp_path / "p.scores"
    first = score_sample(FixedPolicy([0.6, 0.4]), sample, path, "key")
    again = FixedPolicy([0.1, 0.9])
    np.testing.assert_array_equal(score_sample(again, sample, path, "key"), first)
    assert again.positions == []
    changed = score_sample(again, sample, path, "another key")
    assert len(again.positions) == len(sample)
    assert not np.array_equal(changed, first)


def test_predictions_that_are_no_numbers_are_an_error(sample: Sample, tmp_path: Path) -> None:
    with pytest.raises(BadConfig, match="stating: its predictions are not numbers"):
        score_sample(FixedPolicy([float("nan")]), sample, tmp_path / "p", "key")


SCRIPT = """
import sys, time
from pathlib import Path
from sparring.measure import GameSelection, read_sample
from sparring.measure.scores import score_sample
from sparring.policies import load_policy

table, net, out = map(Path, sys.argv[1:])
sample = read_sample(GameSelection("chess", (table,), split=None))
policy = load_policy(str(net), "chess")
score_sample(policy, sample, out, "key", chunk=64, on_progress=lambda done: time.sleep(0.2 if done else 0))
"""


def test_a_killed_process_is_resumed_by_the_next_one(tmp_path: Path) -> None:
    table = chess_table(tmp_path / "t", 20)
    net = write(tiny_network("chess"), tmp_path / "small.onnx")
    out = tmp_path / "p.scores"
    process = subprocess.Popen([sys.executable, "-c", SCRIPT, str(table), str(net), str(out)])
    try:
        wait_until(lambda: out.exists() and out.stat().st_size >= 100 * SCORE_DTYPE.itemsize)
    finally:
        process.send_signal(signal.SIGKILL)
        assert process.wait() == -signal.SIGKILL, "it ended before it could be killed"
    sample = read_sample(GameSelection("chess", (table,), split=None))
    assert out.stat().st_size < len(sample) * SCORE_DTYPE.itemsize
    policy = load_policy(str(net), "chess")
    heard: list[int] = []
    resumed = score_sample(policy, sample, out, "key", chunk=64, on_progress=heard.append)
    assert heard[0] >= 64
    np.testing.assert_array_equal(resumed, score_sample(policy, sample, tmp_path / "q", "key", chunk=64))
