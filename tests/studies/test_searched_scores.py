"""Searches scored on people's moves: the scores are those of `SearchPolicy`, and a stopped run resumes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sparring.base.errors import BadConfig
from sparring.measure.samples import GameSelection, Sample, read_sample
from sparring.measure.scores import CachedPolicy, score
from studies.blend import searched
from studies.blend.searched import RULES, search_scores
from tests.matching.tables import chess_table
from tests.networks.tiny_networks import tiny_network, write
from tests.policies.fixed_policy import FixedPolicy
from tests.reference.search_policy import SearchPolicy


@pytest.fixture
def sample(tmp_path: Path) -> Sample:
    chess_table(tmp_path / "table", 30, skip_plies=20)
    return read_sample(GameSelection("chess", (tmp_path / "table",), None, positions=30))


@pytest.fixture
def expert(tmp_path: Path) -> CachedPolicy:
    write(tiny_network("chess", 1), tmp_path / "human.onnx")
    return CachedPolicy.open("human", str(tmp_path / "human.onnx"), "chess")


def test_every_rule_has_the_scores_of_its_search_policy(
    tmp_path: Path, sample: Sample, expert: CachedPolicy
) -> None:
    found = search_scores(expert, 2.0, 12, sample, tmp_path)
    positions = [each for _, part in sample.batches(0, 64) for each in part]
    for number, rule in enumerate(RULES):
        predictions = SearchPolicy(expert.policy, 2.0, 12, rule).predict(positions)
        expected = score(predictions, sample.metadata["played"])
        np.testing.assert_allclose(found["played"][:, number], expected["played"], atol=2e-5)


def test_the_prior_orders_moves_without_visits(tmp_path: Path, sample: Sample, expert: CachedPolicy) -> None:
    one = search_scores(expert, 2.0, 2, sample, tmp_path)[:, RULES.index("visits")]
    priors = score(expert.policy.predict([p for _, part in sample.batches(0, 64) for p in part]),
                   sample.metadata["played"])  # fmt: skip
    np.testing.assert_array_equal(one["rank"], priors["rank"])


def test_a_stopped_run_resumes(
    tmp_path: Path, sample: Sample, expert: CachedPolicy, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(searched, "_TREES", 8)
    whole = search_scores(expert, 1.0, 6, sample, tmp_path / "whole")
    done: list[int] = []
    search_scores(expert, 1.0, 6, sample, tmp_path / "part")
    (path,) = (tmp_path / "part").glob("*.search")
    path.write_bytes(path.read_bytes()[:-500])
    again = search_scores(expert, 1.0, 6, sample, tmp_path / "part", done.append)
    assert 0 < done[0] < len(sample) == done[-1]
    np.testing.assert_allclose(again["played"], whole["played"], atol=1e-6)


def test_a_policy_without_values_is_refused(tmp_path: Path, sample: Sample) -> None:
    with pytest.raises(BadConfig, match="who is winning"):
        search_scores(CachedPolicy(FixedPolicy([0.5, 0.5]), "key"), 1.0, 5, sample, tmp_path)
