"""What takes the steps down, and how far each goes."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, nn

from sparring.training.config import OptimizationConfig


def make_optimiser(model: nn.Module, part: OptimizationConfig) -> torch.optim.Optimizer:
    """Only what multiplies decays: biases, scales and single numbers do not."""
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": part.weight_decay}, {"params": others, "weight_decay": 0.0}]
    options: dict[str, Any] = {"lr": part.learning_rate}
    if (device := decayed[0].device).type == "cuda":  # a CUDA graph reads the rate from the device
        options = {"lr": torch.tensor(part.learning_rate, device=device), "fused": True}
    if part.optimiser == "sgd":
        return torch.optim.SGD(groups, momentum=0.9, nesterov=True, **options)
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), capturable=device.type == "cuda", **options)


def set_learning_rate(optimiser: torch.optim.Optimizer, learning_rate: float) -> None:
    """The rate of the next step."""
    for group in optimiser.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(learning_rate)
        else:
            group["lr"] = learning_rate


def load_optimiser_state(optimiser: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Goes on from a checkpoint; the rates stay where they are, on the device."""
    rates = [group["lr"] for group in optimiser.param_groups]
    optimiser.load_state_dict(state)
    for group, learning_rate in zip(optimiser.param_groups, rates, strict=True):
        group["lr"] = learning_rate


def restore_optimiser_state(optimiser: torch.optim.Optimizer, state: dict[int, dict[str, Tensor]]) -> None:
    """Brings what the optimiser remembers back to a copy of its state; what is new becomes 0."""
    for index, entries in optimiser.state_dict()["state"].items():
        for key, value in entries.items():
            before = state.get(index, {}).get(key)
            value.zero_() if before is None else value.copy_(before)
