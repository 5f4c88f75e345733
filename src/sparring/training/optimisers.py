"""Optimisers and learning rate schedules."""

from __future__ import annotations

import math
from typing import Any

import torch
from torch import Tensor, nn

from sparring.training.config import OptimizationConfig
from sparring.training.muon import Muon

_PAPER_DROPS = (1 / 5, 1 / 2, 9 / 10)
_FINAL_RATE = 0.01
"""Last learning rate of the cosine schedule as a fraction of the highest."""
_OF_DEVICE = ("lr", "capturable", "fused", "foreach")
"""Options of a parameter group that depend on the device."""


def make_optimiser(model: nn.Module, part: OptimizationConfig) -> torch.optim.Optimizer:
    """Returns the configured optimiser. Tensors of one dimension (biases, scales) have no weight decay."""
    if part.optimiser == "muon":
        return Muon(model, part.learning_rate, part.weight_decay)
    decayed = [p for p in model.parameters() if p.dim() > 1]
    others = [p for p in model.parameters() if p.dim() <= 1]
    groups = [{"params": decayed, "weight_decay": part.weight_decay}, {"params": others, "weight_decay": 0.0}]
    options: dict[str, Any] = {"lr": part.learning_rate}
    if (device := decayed[0].device).type == "cuda":  # a CUDA graph reads the learning rate from the device
        options = {"lr": torch.tensor(part.learning_rate, device=device), "fused": True}
    if part.optimiser == "sgd":
        return torch.optim.SGD(groups, momentum=0.9, nesterov=True, **options)
    return torch.optim.AdamW(groups, betas=(0.9, 0.98), capturable=device.type == "cuda", **options)


def learning_rate_at(step: int, part: OptimizationConfig) -> float:
    """Returns the learning rate of a step (from 0).

    `paper`: divided by 10 after 1/5, 1/2 and 9/10 of the steps. `cosine`: linear warm-up, then a cosine down
    to 1/100.
    """
    done = step / part.steps
    if part.schedule == "paper":
        return float(part.learning_rate * 0.1 ** sum(done >= drop for drop in _PAPER_DROPS))
    if done < part.warmup:
        return part.learning_rate * (step + 1) / math.ceil(part.warmup * part.steps)
    progress = (done - part.warmup) / (1 - part.warmup)
    return part.learning_rate * (_FINAL_RATE + (1 - _FINAL_RATE) * (1 + math.cos(math.pi * progress)) / 2)


def set_learning_rate(optimiser: torch.optim.Optimizer, learning_rate: float) -> None:
    """Sets the learning rate of the next step, in place if it is a tensor."""
    for group in optimiser.param_groups:
        if isinstance(group["lr"], Tensor):
            group["lr"].fill_(learning_rate)
        else:
            group["lr"] = learning_rate


def load_optimiser_state(optimiser: torch.optim.Optimizer, state: dict[str, Any]) -> None:
    """Loads a checkpoint's state, which may come from another kind of device.

    The optimiser keeps its own learning rate objects, which may be tensors on the device, and its own
    choice of kernels.
    """
    kept = [{key: group[key] for key in _OF_DEVICE if key in group} for group in optimiser.param_groups]
    groups = [{**group, **own} for group, own in zip(state["param_groups"], kept, strict=True)]
    optimiser.load_state_dict({**state, "param_groups": groups})
    for group, own in zip(optimiser.param_groups, kept, strict=True):
        group.update(own)


def restore_optimiser_state(optimiser: torch.optim.Optimizer, state: dict[int, dict[str, Tensor]]) -> None:
    """Restores a copy of the optimiser's state in place; entries that the copy lacks become 0."""
    for index, entries in optimiser.state_dict()["state"].items():
        for key, value in entries.items():
            before = state.get(index, {}).get(key)
            value.zero_() if before is None else value.copy_(before)
