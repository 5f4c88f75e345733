"""Muon: orthogonal updates, the choice of parameters, resumed runs."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from sparring.training.optimisers import Muon, make_optimiser, orthogonalise
from tests.training.factories import chess_games, make_trainer, same_weights, small_config


@pytest.mark.parametrize("shape", [(2, 8, 24), (2, 24, 8)])
def test_singular_values_come_near_1(shape: tuple[int, ...]) -> None:
    generator = torch.Generator().manual_seed(0)
    found = torch.linalg.svdvals(orthogonalise(torch.randn(shape, generator=generator)))
    assert found.min() > 0.6
    assert found.max() < 1.3


def test_convolutions_of_the_tower_have_orthogonal_updates_of_one_size(tmp_path: Path) -> None:
    config = small_config(network={"width": 64}, training={"optimiser": "muon", "weight_decay": 0.0})
    trainer = make_trainer(config, chess_games(tmp_path / "table"), tmp_path / "run")
    optimiser = make_optimiser(trainer.model, config.training)
    assert isinstance(optimiser, Muon)
    weight = dict(trainer.model.named_parameters())["tower.blocks.0.first.weight"]
    before = weight.detach().clone()
    for p in trainer.model.parameters():
        p.grad = torch.randn_like(p)
    optimiser.step()
    change = (before - weight.detach()).flatten(1)
    values = torch.linalg.svdvals(change / (config.training.learning_rate * 0.2 * 576**0.5))
    assert values.min() > 0.6
    assert values.max() < 1.3
    others = {id(p) for group in optimiser.param_groups if not group["orthogonal"] for p in group["params"]}
    assert id(trainer.model.get_parameter("result.weight")) in others


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    table = chess_games(tmp_path / "table")
    config = small_config(network={"width": 64}, training={"optimiser": "muon", "steps": 6})
    whole, parts = (make_trainer(config, table, tmp_path / name) for name in ("whole", "parts"))
    assert whole.train()
    parts.train(lambda progress: parts.stop() if progress.step >= 2 else None)
    again = make_trainer(config, table, tmp_path / "parts")
    assert again.step < 6
    assert again.train()
    assert same_weights(whole, again)
