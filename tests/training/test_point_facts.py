"""Ownership, lead, komi and servers: what networks of Go learn beside moves and results."""

from __future__ import annotations

import gzip
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from sparring import Position, networks
from sparring.games import load_game
from sparring.records import Batches
from sparring.training.batches import (
    TrainingBatch,
    losses,
    make_training_batch,
    recorded_conditioning,
)
from sparring.training.export import export
from sparring.training.model import PolicyValueNetwork, layout_of
from sparring.training.teachers import Teacher
from tests.matching.tables import write_table
from tests.networks.katago_files import KataGoWriter, small_network
from tests.training.factories import line_record, small_config

CPU = torch.device("cpu")
FACTS: dict[str, Any] = {"rating_range": [-10, 9], "facts": True, "servers": ["fox", "kgs"]}
MOVES = ["Q16", "D4", "C16", "pass", "R4", "R6"]


def taught(tmp_path: Path, share: float) -> tuple[TrainingBatch, Path]:
    """A batch of one game of six moves on KGS, taught by a small KataGo network."""
    path = tmp_path / "small.bin.gz"
    path.write_bytes(gzip.compress(KataGoWriter(small_network(8)).file()))
    teachers: Any = [{"model": str(path), "fact_share": share, "value_weight": 1.0}]
    config = small_config("go", network=FACTS, data={"mirrored": False}, teachers=teachers)
    teacher = Teacher(config.teachers[0], config, CPU)
    record = line_record("go", MOVES, "The KGS Go Server", first_rank="3d", second_rank="1k")
    options: Any = {
        "encoding": "katago", "extra_encodings": ("katago-global",), "packed": True, "split": None,
        "servers": config.network.servers,
    }  # fmt: skip
    batch = next(iter(Batches([write_table(tmp_path / "t", "go", [record])], **options)))
    minibatch = make_training_batch(batch, recorded_conditioning(batch), config, [teacher], CPU)
    assert (batch.server == 1).all()
    return minibatch, path


def states_of_line() -> list[Any]:
    states = [load_game("go").initial()]
    for move in MOVES:
        states.append(states[-1].play(states[-1].parse_move(move)))
    return states


def test_a_teacher_of_facts_teaches_owners_lead_and_value_in_a_share_of_the_batch(tmp_path: Path) -> None:
    minibatch, path = taught(tmp_path, 0.5)
    n, k = len(minibatch.played), len(minibatch.ownership)
    assert (n, k) == (6, 3)
    network = networks.load_network(path)
    # A row's position is found by its number of stones and its mover.
    wanted = network.predict([Position(state) for state in states_of_line()[:-1]])
    for row in range(k):
        matches = [p for p in wanted if p.ownership is not None and p.lead is not None
                   and np.allclose(p.ownership, minibatch.ownership[row].numpy(), atol=1e-4)]  # fmt: skip
        assert len(matches) == 1
        (found,) = matches
        assert found.lead == pytest.approx(float(minibatch.lead[row]), rel=0.5, abs=0.5)
        assert found.wdl is not None
        assert found.wdl[0] == pytest.approx(float(minibatch.teacher_wdl[row, 0]), abs=0.2)
    assert minibatch.teacher_wdl_weight.tolist() == [1.0] * k + [0.0] * (n - k)
    assert minibatch.teacher_policy.shape == (n, 0), "its policy is no target"


def test_the_fact_loss_is_least_for_the_teachers_facts(tmp_path: Path) -> None:
    minibatch, _ = taught(tmp_path, 0.5)
    n, k = len(minibatch.played), len(minibatch.ownership)
    policy, result = torch.zeros(n, 362), torch.zeros(n, 3)

    def total(owner: torch.Tensor, lead: torch.Tensor, weight: float = 1.0) -> float:
        padded = torch.zeros(n, 361), torch.zeros(n, 1)
        padded[0][:k], padded[1][:k] = owner, lead
        return float(losses((policy, result, *padded), minibatch, 0.0, weight).total)

    best = total(minibatch.ownership, minibatch.lead)
    assert best < total(-minibatch.ownership, minibatch.lead)
    assert best < total(minibatch.ownership, minibatch.lead + 5)
    assert total(-minibatch.ownership, minibatch.lead, 0.0) < best, "no weight, no loss of facts"


def test_komi_is_that_of_the_player_to_move_and_the_first_server_is_the_default(tmp_path: Path) -> None:
    config = small_config("go", network=FACTS)
    path = tmp_path / "facts.onnx"
    model = PolicyValueNetwork(config.network, layout_of(config)).eval()
    path.write_bytes(export(model, config, {"source": "a test"}).SerializeToString())
    network = networks.load_network(path)
    black, white = states_of_line()[:2]
    positions = [Position(black, 3), Position(white, 3), Position(white, 3, server="kgs")]
    context = network.codec.encode(positions)["context"]
    assert context[:, 6].tolist() == pytest.approx([-7.5 / 20, 7.5 / 20, 7.5 / 20])
    assert context[:, 7:].tolist() == [[1, 0], [1, 0], [0, 1]]
    # Without training the lead is the sum of the owners and komi.
    for prediction, komi in zip(network.predict(positions), (-7.5, 7.5, 7.5), strict=True):
        assert prediction.ownership is not None
        assert prediction.lead is not None
        assert prediction.lead == pytest.approx(float(prediction.ownership.sum()) + komi, abs=0.3)
