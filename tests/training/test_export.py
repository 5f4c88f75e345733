"""The exported ONNX file computes what the PyTorch model does."""

from __future__ import annotations

from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
import torch

from sparring import games, networks
from sparring.networks.codec import Position
from sparring.training.config import TrainingConfig
from sparring.training.export import export
from sparring.training.model import PolicyValueNetwork, input_spec_of, layout_of
from tests.training.factories import small_config

KINDS: list[TrainingConfig] = [
    small_config("chess"),
    small_config("chess", network={"rating_range": [600, 2600], "clock": True, "width": 12, "blocks": 2}),
    small_config("chess", network={"kind": "attention", "rating_range": [600, 2600]}),
    small_config("chess", network={"kind": "attention", "rating_range": [600, 2600], "smolgen_size": 0}),
    small_config("go", network={"rating_range": [-10, 9]}),
    small_config("go", network={"rating_range": [-10, 9], "facts": True, "servers": ["fox", "kgs"]}),
    small_config("shogi", network={"history": 3}),
    small_config("shogi", network={"kind": "attention"}),
]
PEERS = [KINDS[1], KINDS[3], KINDS[5], KINDS[7]]
"""Kinds that together have every tower, head and input; torch.onnx.export takes two seconds for each."""
BATCHES = (1, 2, 7)
CARD = {"source": "a test", "licence": "GPL-3.0-or-later"}


def random_model(config: TrainingConfig) -> PolicyValueNetwork:
    """A model whose weights, scales and statistics all differ from their initial values."""
    torch.manual_seed(1)
    model = PolicyValueNetwork(config.network, layout_of(config)).eval()
    for name, value in [*model.named_parameters(), *model.named_buffers()]:
        if name.endswith("running_var"):
            value.data.uniform_(0.5, 2)
        elif value.is_floating_point() and name not in ("scales", "context.enabled", "context.knots"):
            value.data += torch.randn_like(value) * 0.1
    return model


def board_sizes(config: TrainingConfig) -> list[tuple[int, int]]:
    """The network's board and, if it takes any size, another one."""
    layout = layout_of(config)
    return [(layout.rows, layout.columns), *([(9, 13)] if layout.any_board_size else [])]


@pytest.mark.parametrize("config", KINDS, ids=lambda config: f"{config.game}-{config.network.kind}")
def test_the_graph_computes_what_the_model_does(config: TrainingConfig) -> None:
    """For every batch and, in Go, board size."""
    model, layout = random_model(config), layout_of(config)
    session = onnxruntime.InferenceSession(export(model, config, CARD).SerializeToString())
    names = ["policy", "wdl", *(["ownership", "lead"] if config.network.facts else [])]
    rng = np.random.default_rng(2)
    for batch, (rows, columns) in product((5, *BATCHES), board_sizes(config)):
        planes = rng.integers(0, 2, (batch, layout.planes, rows, columns), np.uint8)
        context = rng.random((batch, input_spec_of(config).context_width), np.float32)
        context[:, 1:6:2] = context[:, 1:6:2] > 0.3
        with torch.no_grad():
            policy, result, *facts = model(torch.from_numpy(planes), torch.from_numpy(context))
        found: Any = session.run(names, {"planes": planes, "context": context})
        # Weights are stored in float16, with 11 significant bits.
        spread = float(policy.std())
        np.testing.assert_allclose(found[0], policy.numpy(), atol=0.02 * spread)
        np.testing.assert_allclose(found[1], result.softmax(dim=1).numpy(), atol=0.005)
        assert spread > 0.05
        for fact, wanted, error in zip(found[2:], facts, (0.01, 1.0), strict=False):
            np.testing.assert_allclose(fact, wanted.numpy(), atol=error)
            assert batch == 1 or wanted.std() > error


@pytest.mark.parametrize("config", PEERS, ids=lambda config: f"{config.game}-{config.network.kind}")
def test_the_graph_agrees_with_torch_onnx_export(config: TrainingConfig) -> None:
    """Also for other batch and, in Go, board sizes than the exporter traced."""
    pytest.importorskip(
        "onnxscript", reason="torch.onnx.export needs onnxscript: pip install 'sparring[dev]'"
    )
    from tests.reference.torch_export import torch_export

    model, layout = random_model(config), layout_of(config)
    ours, theirs = (
        onnxruntime.InferenceSession(each.SerializeToString())
        for each in (export(model, config, CARD), torch_export(model, config))
    )
    rng = np.random.default_rng(3)
    for batch, (rows, columns) in product(BATCHES, board_sizes(config)):
        planes = rng.integers(0, 2, (batch, layout.planes, rows, columns), np.uint8)
        inputs = {
            "planes": planes,
            "context": rng.random((batch, input_spec_of(config).context_width), np.float32),
        }
        found: list[Any] = [each.run(["policy", "wdl"], inputs) for each in (ours, theirs)]
        for one, other in zip(*found, strict=True):
            assert one.shape == other.shape
            np.testing.assert_allclose(one, other, atol=1e-5)


@pytest.mark.parametrize("config", KINDS, ids=lambda config: f"{config.game}-{config.network.kind}")
def test_the_file_is_a_network_that_predicts_legal_moves(config: TrainingConfig, tmp_path: Path) -> None:
    path = tmp_path / "model.onnx"
    path.write_bytes(export(random_model(config), config, CARD).SerializeToString())
    network = networks.load_network(path)
    state = games.load_game(config.game).initial()
    for _ in range(3):
        (found,) = network.predict([Position(state, rating=1500)])
        assert list(found.moves) == list(state.legal_moves())
        assert float(np.sum(found.probabilities)) == pytest.approx(1, abs=1e-4)
        assert found.wdl is not None
        assert sum(found.wdl) == pytest.approx(1, abs=1e-4)
        state = state.play(found.moves[0])
    assert network.card.game == config.game
    assert network.card.parameters > 0
    assert network.card.licence == "GPL-3.0-or-later"


def test_ratings_matter_only_to_conditioned_networks(tmp_path: Path) -> None:
    state = games.load_game("chess").initial()
    for config, differs in ((KINDS[1], True), (KINDS[0], False)):
        path = tmp_path / f"{differs}.onnx"
        path.write_bytes(export(random_model(config), config, CARD).SerializeToString())
        weak, strong = networks.load_network(path).predict(
            [Position(state, rating=800), Position(state, rating=2400)]
        )
        apart = float(np.abs(weak.probabilities - strong.probabilities).max())
        assert (apart > 1e-4) is differs
