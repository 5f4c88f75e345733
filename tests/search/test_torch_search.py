"""Lockstep search with the PyTorch backend, which can run on a GPU: its visits are those of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

from sparring.networks import Position
from sparring.policies import load_policy
from sparring.search import PuctConfig, search_together
from tests.networks.katago_files import KataGoWriter
from tests.networks.katago_files import small_network as small_katago
from tests.networks.lc0_writer import NetworkKind
from tests.networks.lc0_writer import small_network as small_lc0
from tests.networks.maia3_files import maia3_model
from tests.policies.fixed_policy import random_states

pytest.importorskip("torch")
ATTENTION = NetworkKind(structure=134, policy=3, embedding=1, smolgen=1, gate=True, mish=1)


def file_of(family: str, folder: Path) -> tuple[str, str]:
    """The game and a network file of a family; for a game, its shipped network."""
    if family == "katago":
        (folder / "small.bin").write_bytes(KataGoWriter(small_katago(8)).file())
        return "go", str(folder / "small.bin")
    if family == "maia3":
        onnx.save(maia3_model(), folder / "small.onnx")
        return "chess", str(folder / "small.onnx")
    if family.startswith("lc0"):
        kind = ATTENTION if family == "lc0 attention" else NetworkKind()
        (folder / "small.pb").write_bytes(small_lc0(kind).content())
        return "chess", str(folder / "small.pb")
    return family, "human"


@pytest.mark.parametrize("family", ["katago", "lc0", "lc0 attention", "maia3", "chess", "go", "shogi"])
@pytest.mark.parametrize("backend", ["torch", "torch-float32"])
def test_visits_are_those_of_onnx_runtime(family: str, backend: str, tmp_path: Path) -> None:
    game, source = file_of(family, tmp_path)
    rating = {"chess": 1500, "go": 3, "shogi": None}[game]
    positions = [Position(state, rating, rating) for state in random_states(game, 60)[5::18]]
    reference, ours = (
        search_together(load_policy(source, game, backend=name), positions, PuctConfig(c_puct=2.0), 8)
        for name in ("onnxruntime", backend)
    )
    for expected, found in zip(reference, ours, strict=True):
        if family == "chess":  # 8-bit layers: a float difference may change a rounding
            assert np.abs(found.priors - expected.priors).max() < 0.1
            assert np.abs(found.visits - expected.visits).sum() <= 2
        else:
            np.testing.assert_allclose(found.priors, expected.priors, atol=1e-4)
            np.testing.assert_array_equal(found.visits, expected.visits)


@pytest.mark.parametrize("family", ["katago", "lc0", "lc0 attention", "chess", "go", "shogi"])
def test_a_graph_asks_its_device_for_nothing(family: str, tmp_path: Path) -> None:
    """The `meta` device has no numbers: an operator that needs one, which would stop a GPU, fails there."""
    import torch

    from sparring.networks import load_network

    game, source = file_of(family, tmp_path)
    network = load_network(source, game=game, backend="torch")
    inputs = network.codec.encode([Position(state) for state in random_states(game, 9)[::3]])
    graph = network._session.graph.to("meta")  # type: ignore[attr-defined]
    outputs = graph(
        **{name: torch.from_numpy(np.asarray(array)).to("meta") for name, array in inputs.items()}
    )
    assert all(len(value) == 3 for value in outputs.values())
